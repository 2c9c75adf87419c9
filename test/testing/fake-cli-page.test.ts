import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { NEWEST_CLI } from "../support/cli.js";
import { world } from "../support/world.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PAGE = readFileSync(join(ROOT, "docs/testing.md"), "utf8");
const BLOCKS = [...PAGE.matchAll(/```(js|sh)\n([\s\S]*?)```/g)].map(([, kind, code = ""]) => ({
  name: kind === "sh" ? "shell.sh" : (/^\/\/ (\S+\.mjs)\n/.exec(code)?.[1] ?? ""),
  code,
}));

/** A project with the built package, and all files of the page. */
async function project(): Promise<{ cwd: string; env: NodeJS.ProcessEnv }> {
  const { cwd, env } = await world(NEWEST_CLI, []);
  mkdirSync(join(cwd, "node_modules"));
  symlinkSync(ROOT, join(cwd, "node_modules", "hawser"));
  for (const { name, code } of BLOCKS) if (name !== "") writeFileSync(join(cwd, name), code);
  return { cwd, env };
}

async function run(program: string, args: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const { cwd, env } = await project();
  return (await promisify(execFile)(program, args, { cwd, env: { ...env, ...more } })).stdout;
}

describe("the examples of docs/testing.md run as they stand", { timeout: 60_000 }, () => {
  it("model.mjs, on the real CLI", async () => {
    const printed = await run(process.execPath, ["model.mjs"], { HAWSER_CLI: NEWEST_CLI });
    expect(printed).toBe("The shell said: from-the-shell\n");
  });

  it.each([
    ["agent.mjs", "forecast for Oslo\nIt will rain in Oslo.\n[ 'Bash' ]\ntrue control_response\n"],
    ["fault.mjs", "process_exited 1\nok\n"],
    ["functions.mjs", "You said: Hello.\n"],
  ])("%s, with no CLI at all", async (file, printed) => {
    expect(await run(process.execPath, [file], { HAWSER_CLI: "/nowhere" })).toBe(printed);
  });

  it.runIf(process.platform !== "win32")("the shell", async () => {
    const lines = (await run("sh", ["shell.sh"])).trim().split("\n");
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ type: "result", result: "Hello." });
  });

  it("and every file that they use is on the page", () => {
    expect(BLOCKS.map(({ name }) => name)).toEqual(expect.arrayContaining(["scenario.mjs"]));
  });
});
