import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { complete } from "../../src/complete/index.js";
import type { Options } from "../../src/options/index.js";
import { query } from "../../src/query/index.js";
import { openSession } from "../../src/session/index.js";
import { reply, toolUse } from "../../src/testing/index.js";
import { NEWEST_CLI } from "../support/cli.js";
import { allGone } from "../support/gone.js";
import {
  EXTENSIONS,
  INSTRUCTIONS,
  plantHostileGit,
  plantHostileProject,
} from "../support/hostile-project.js";
import { type World, world } from "../support/world.js";

export type Run = (options: Options) => Promise<void>;

export const SESSION: Run = async (options) => {
  const session = await openSession(options);
  onTestFinished(() => session.close());
  await session.send("go").result;
  await session.close();
};

export const AGENT: Run = async (options) => {
  await complete("go", { preset: "agent", ...options });
};

export const LEAN: Run = async (options) => {
  await complete("go", options);
};

export const QUERY: Run = async (options) => {
  for await (const _ of query({ prompt: "go", options })) {
    // Read to the end.
  }
};

/** What the files of a hostile project achieved. */
export interface Outcome {
  readonly ran: readonly string[];
  /** Tools that the callback was asked about. */
  readonly asked: readonly string[];
  readonly words: readonly string[];
  readonly hasHeader: boolean;
}

export const command = toolUse("Bash", { command: "sh -c 'touch made'", description: "d" });

/** Runs in a folder that the configuration of the CLI calls trusted, which is the worse case. */
export async function outcomeOf(cliPath: string, run: Run, more: Options): Promise<Outcome> {
  const place = await world(cliPath, [reply(command), "done"]);
  const project = plantHostileProject(place);
  const asked: string[] = [];
  const canUseTool: Options["canUseTool"] = async (tool) => {
    asked.push(tool);
    return { behavior: "deny", message: "no" };
  };
  await run({ ...place.options, canUseTool, ...more });
  await allGone();
  return { ran: project.ran(), asked, ...seenBy(place) };
}

export function seenBy({ model }: Pick<World, "model">): Pick<Outcome, "words" | "hasHeader"> {
  const said = JSON.stringify(model.requests.map(({ body }) => body));
  const words = [...INSTRUCTIONS, ...EXTENSIONS].filter((word) => said.includes(word));
  return { words, hasHeader: model.requests.some(({ headers }) => headers["x-planted"]) };
}

/** The older CLI would load plugins together with the instructions, so they are not read there. */
export function nothingOn(path: string): Outcome {
  const words = path === NEWEST_CLI ? INSTRUCTIONS : [];
  return { ran: [], asked: ["Bash"], words, hasHeader: false };
}

/** What the Git configuration of the project made run. */
export async function ranByGit(
  cliPath: string,
  run: Run,
  more: Options,
): Promise<readonly string[]> {
  const place = await world(cliPath, ["done"]);
  const project = plantHostileGit(place);
  await run({ ...place.options, ...more });
  await allGone();
  return project.ran();
}

/** A rule of the caller whose path counts from the working directory. */
export const RULE = "Read(/guarded/**)";

export const settingsOf = (deny: readonly string[]) => ({ permissions: { deny } });

/** More rules than fit on a command line. */
export function many(): string[] {
  return Array.from({ length: 1000 }, (_, i) => `Bash(never ${i} *)`);
}

/** Whether a session with these options lets the model read a file that `RULE` denies. */
export async function readsGuarded(
  cliPath: string,
  options: Options | ((place: World) => Options),
  projectSettings: object = {},
): Promise<boolean> {
  const place = await world(cliPath, [toolUse("Read", { file_path: "guarded/a.txt" }), "done"]);
  for (const folder of [".claude", "guarded"]) mkdirSync(join(place.cwd, folder));
  writeFileSync(join(place.cwd, "guarded/a.txt"), "words-of-the-guarded-file");
  writeFileSync(join(place.cwd, ".claude/settings.json"), JSON.stringify(projectSettings));
  const more = typeof options === "function" ? options(place) : options;
  await SESSION({ ...place.options, ...more });
  return JSON.stringify(place.model.requests).includes("words-of-the-guarded-file");
}
