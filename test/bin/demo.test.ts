import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { HAWSER, hawserIn, place } from "../support/pty.js";

it("hawser demo walks through all of it on the real CLI, and leaves nothing", async () => {
  const pty = hawserIn(place(), "demo");
  await pty.shows(/the real Claude Code \d/);
  await pty.shows("A hawser is a thick rope");
  await pty.shows(/may it\? Write knot\.txt\n\s+\+ bowline\n\s+yes/);
  await pty.shows("A sheet bend joins two ropes");
  await pty.shows('{"name":"bowline","strength":0.65');
  await pty.shows(/cold +\d+ ms/);
  await pty.shows(/warm +\d+ ms/);
  await pty.shows(/\d+\.\d times as fast/);
  await pty.shows("cwd_not_found");
  await pty.shows("0 processes");
  expect((await pty.exit).code).toBe(0);
});

it("hawser demo does the same on a stand-in, and gives its figures as JSON", async () => {
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
