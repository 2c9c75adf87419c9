import { mkdir, readdir, realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { complete } from "../../src/complete/index.js";
import { configFolder, homeFolder, stateFile } from "../../src/process/index.js";
import { clisInTurn, FULL } from "../support/cli.js";
import { world } from "../support/world.js";

/** The variables, given the path of a folder for the configuration. */
const SETTINGS: readonly [string, (config: string) => Record<string, string | undefined>][] = [
  ["is absolute", (config) => ({ CLAUDE_CONFIG_DIR: config })],
  ["ends with a slash", (config) => ({ CLAUDE_CONFIG_DIR: `${config}/` })],
  ["is not set", () => ({ CLAUDE_CONFIG_DIR: undefined })],
  ["is empty", () => ({ CLAUDE_CONFIG_DIR: "" })],
  ["is relative", () => ({ CLAUDE_CONFIG_DIR: "relative" })],
  ["is not set and HOME is relative", () => ({ CLAUDE_CONFIG_DIR: undefined, HOME: "relative" })],
];

/** One of each kind: given, absent, and relative to the folder of the process. */
const REPRESENTATIVE = ["is absolute", "is not set", "is relative"];
const TRIED = SETTINGS.filter(([name]) => FULL || REPRESENTATIVE.includes(name));

describe.each(clisInTurn())("configFolder() and stateFile() on $name", ({ path }) => {
  it.each(TRIED)("return the paths of the CLI if CLAUDE_CONFIG_DIR %s", async (_, settings) => {
    const place = await world(path, ["Hello."]);
    const root = await realpath(dirname(place.cwd));
    const home = join(root, "a-home");
    const config = join(root, "a-config");
    const cwd = join(root, "a-cwd");
    for (const folder of [home, config, cwd]) await mkdir(folder);
    const env = { ...place.env, HOME: home, ...settings(config) };
    const { sessionId } = await complete("Hi.", {
      ...place.options,
      cwd,
      env,
      persistSession: true,
    });
    const files = (await readdir(root, { recursive: true })).map((name) => join(root, name));
    const found = files.filter((name) => name.endsWith(`${sessionId}.jsonl`));
    expect(found.map((name) => resolve(name, "../../.."))).toEqual([
      resolve(configFolder(env, cwd)),
    ]);
    expect(files).toContain(stateFile(env, cwd));
  });
});

describe("homeFolder()", () => {
  it("treats an empty HOME as unset", () => {
    expect(homeFolder({ HOME: "" })).toBe(homeFolder({}));
    expect(configFolder({ HOME: "" })).toBe(join(homeFolder({}) ?? "", ".claude"));
  });
});
