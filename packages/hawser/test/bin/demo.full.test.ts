import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { FULL } from "../support/cli.js";
import { REPOSITORY } from "../support/folders.js";
import { HAWSER, hawserIn, type Pty, place } from "../support/pty.js";

/** The lines of the demo fit the terminal, and its bars are as long as the times beside them. */
function expectToFit(pty: Pty, cols: number): void {
  const lines = pty.raw.replaceAll(/\x1b\[[\d;?]*[A-Za-z]/g, "").split(/\r?\n|\r/);
  expect(lines.filter((line) => [...line].length > cols)).toEqual([]);
  const bars = lines.flatMap((line) => {
    const [, how, ms, bar = ""] = /^ {2}(cold|warm) +(\d+) ms (█+)/.exec(line) ?? [];
    return how === undefined ? [] : { how, ms: Number(ms), length: bar.length };
  });
  expect(bars.map(({ how }) => how).join(" ")).toBe("cold cold cold cold warm warm warm warm");
  const longest = Math.max(...bars.slice(0, 4).map(({ ms }) => ms));
  const room = Math.max(...bars.map(({ length }) => length));
  for (const { ms, length } of bars) {
    expect(length).toBe(Math.max(1, Math.min(room, Math.round((ms / longest) * room))));
  }
  expect(pty.text.replace(/\s+/g, " ")).toContain(
    "times as fast (after 2 warm-up calls; the simulated model answers at once)",
  );
}

describe("hawser demo", () => {
  it("shows every step on the real CLI in 80 columns, and leaves no process", async () => {
    const cols = 80;
    const pty = hawserIn({ ...place(), cols }, "demo");
    await pty.shows(/Claude Code \d/);
    await pty.shows("A hawser is a thick rope");
    await pty.shows(/allow\? Write knot\.txt\n\s+\+ bowline\n\s+yes/);
    await pty.shows("A sheet bend joins two ropes");
    await pty.shows('{ "name": "bowline", "strength": 0.65');
    await pty.shows(/cold +\d+ ms/);
    await pty.shows(/warm +\d+ ms/);
    await pty.shows(/\d+\.\d times as fast/);
    await pty.shows("cwd_not_found");
    await pty.shows("0 processes");
    expect((await pty.exit).code).toBe(0);
    expectToFit(pty, cols);
  });

  it.runIf(FULL)("fits a terminal of 60 columns", async () => {
    const cols = 60;
    const pty = hawserIn({ ...place(), cols }, "demo");
    expect((await pty.exit).code).toBe(0);
    expectToFit(pty, cols);
  });

  it.runIf(FULL)("runs on the real CLI by npm run demo in a clone", async () => {
    const { HAWSER_CLI: _, ...env } = place().env;
    const demo = join(REPOSITORY, "tools/demo.js");
    const { stdout } = await promisify(execFile)(process.execPath, [demo, "--json"], {
      cwd: REPOSITORY,
      env,
    });
    expect(JSON.parse(stdout).about).toMatch(/^offline: Claude Code \d/);
  });

  it("runs on a stand-in where there is no CLI, and prints its figures as JSON", async () => {
    const { cwd, env } = place();
    const alone = { ...env, HAWSER_CLI: "/nowhere/claude" };
    const args = [HAWSER, "demo", "--json"];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env: alone });
    const four = Array.from({ length: 4 }, () => expect.any(Number));
    expect(JSON.parse(stdout)).toEqual({
      about: expect.stringContaining("a stand-in answers"),
      coldMs: four,
      warmMs: four,
      processesLeft: 0,
    });
  });
});
