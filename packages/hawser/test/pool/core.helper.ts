import { expect, onTestFinished } from "vitest";
import { complete } from "../../src/complete/index.js";
import type { Options } from "../../src/options/index.js";
import { type PoolOptions, type PoolSettings, settingsOf } from "../../src/pool/options.js";
import { PoolCore } from "../../src/pool/pool-core.js";
import { processes } from "../../src/process/index.js";
import { registerSource } from "../../src/session/index.js";
import type { FakeCli, Scenario } from "../../src/testing/index.js";
import { reusedFake } from "../support/reused-fake.js";
import { startsOf } from "../support/starts.js";

export interface CoreOnFake {
  readonly core: PoolCore;
  readonly cli: FakeCli;
  readonly ask: (prompt: string, more?: Options) => ReturnType<typeof complete>;
  /** What the process of this number, counted from 1, has received: subtypes of requests, and prompts. */
  received(nth: number): Promise<string[]>;
}

/** A pool over a fake CLI, with settings that `createPool()` does not offer. */
export async function coreOnFake(
  options: PoolOptions,
  settings: Partial<PoolSettings>,
  scenario: Scenario = {},
): Promise<CoreOnFake> {
  const cli = await reusedFake(scenario);
  const core = new PoolCore({ ...settingsOf(options), ...settings });
  const pool = {};
  registerSource(pool, core);
  onTestFinished(async () => {
    await core.close();
    expect(processes()).toEqual([]);
  });
  return {
    core,
    cli,
    ask: (prompt, more) => complete(prompt, { cliPath: cli.path, pool, ...more }),
    async received(nth) {
      const lines = (await startsOf(cli))[nth - 1]?.lines ?? [];
      return lines.map((line) => {
        const { request, message } = JSON.parse(line);
        const content = message?.content;
        return request?.subtype ?? (typeof content === "string" ? content : content?.[0]?.text);
      });
    },
  };
}
