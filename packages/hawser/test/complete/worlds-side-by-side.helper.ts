import { afterAll, expect } from "vitest";
import type { HawserError } from "../../src/base/index.js";
import { type CompleteOptions, complete } from "../../src/complete/index.js";
import { shutdown } from "../../src/process/index.js";
import { isolatedEnv, type ReplyScript, SimulatedModel } from "../../src/testing/index.js";
import { environmentOf, everyProcess, type Seen } from "../support/proc.js";
import type { World } from "../support/world.js";

/**
 * Makes worlds for tests that run side by side. They are removed after the last test of the block,
 * because the end of a `world()` ends every CLI process of the program.
 */
export function worldsSideBySide(): (cliPath: string, replies: ReplyScript) => Promise<World> {
  const worlds: World[] = [];
  afterAll(async () => {
    await shutdown();
    await Promise.all(worlds.map((each) => each.dispose()));
    await Promise.all(worlds.map(({ model }) => model.close()));
  });
  return async (cliPath, replies) => {
    const model = await SimulatedModel.start({ replies });
    const place = await isolatedEnv({ baseUrl: model.url });
    const options = { cliPath, cwd: place.cwd, env: place.env, inheritEnv: false } as const;
    const made = { ...place, model, options };
    worlds.push(made);
    return made;
  };
}

/** The error of a call that must fail, after a check that no process of its world is left. */
export async function failureIn(
  world: World,
  prompt: string,
  options: CompleteOptions,
): Promise<HawserError> {
  try {
    await complete(prompt, { ...world.options, ...options });
  } catch (error) {
    expect(processesOf(world)).toEqual([]);
    return error as HawserError;
  }
  throw new Error("The call did not fail.");
}

/** The CLI of this world and everything that it has started, found by their environment. */
export function processesOf({ configDir }: World): Seen[] {
  return everyProcess().filter(({ pid }) => {
    try {
      return environmentOf(pid).includes(configDir);
    } catch {
      return false; // It has ended in the meantime.
    }
  });
}
