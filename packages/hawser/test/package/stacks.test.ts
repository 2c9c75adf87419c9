import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { DIST } from "../../../../tools/dist.js";
import { isolatedEnv } from "../../src/testing/index.js";

/** What a program that fails prints on stderr. */
async function stderrOf(lines: readonly string[], ...flags: readonly string[]): Promise<string> {
  await using place = await isolatedEnv({ baseUrl: "http://127.0.0.1:9" });
  const file = join(place.cwd, "program.mjs");
  const index = JSON.stringify(join(DIST, "index.js"));
  await writeFile(file, [`import * as hawser from ${index};`, ...lines].join("\n"));
  const { env, cwd } = place;
  const failed = await promisify(execFile)(process.execPath, [...flags, file], { cwd, env }).then(
    () => new Error("The program did not fail."),
    (error: Error & { stderr: string }) => error,
  );
  return "stderr" in failed ? failed.stderr : String(failed);
}

const MISSING = `{ cliPath: "/nowhere/claude" }`;

describe("the stack of an uncaught error", () => {
  it("holds every line of a program that gives a wrong option three calls deep", async () => {
    const stderr = await stderrOf([
      "async function first() { await second(); }",
      "async function second() { await third(); }",
      `async function third() { await hawser.complete("Hello", { modle: "sonnet" }); }`,
      "await first();",
    ]);
    expect(stderr).toMatch(/invalid_options/);
    expect(stderr).toMatch(/at third \(file:.*program\.mjs:4:/);
    expect(stderr).toMatch(/at second \(file:.*program\.mjs:3:/);
    expect(stderr).toMatch(/at first \(file:.*program\.mjs:2:/);
  });

  it.each([
    ["complete()", `await hawser.complete("Hello", ${MISSING});`],
    ["stream()", `for await (const _ of hawser.stream("Hello", ${MISSING}));`],
    [
      "stream().textStream",
      `for await (const _ of hawser.stream("Hello", ${MISSING}).textStream);`,
    ],
    ["openSession()", `await hawser.openSession(${MISSING});`],
    ["query()", `for await (const _ of hawser.query({ prompt: "x", options: ${MISSING} }));`],
    ["startup()", `await hawser.startup({ options: ${MISSING} });`],
    ["pool.complete()", `await hawser.createPool().complete("Hello", ${MISSING});`],
    ["pool.openSession()", `await hawser.createPool().openSession(${MISSING});`],
    ["pool.ready()", `await hawser.createPool({ warm: [${MISSING}] }).ready();`],
    ["locateCli()", `await hawser.locateCli(${MISSING});`],
  ])("holds the line of %s when the CLI is missing", async (_name, line) => {
    const stderr = await stderrOf(["", line]);
    expect(stderr).toMatch(/cli_not_found/);
    expect(stderr).toMatch(/program\.mjs:3:/);
    expect(stderr).toMatch(/at \S+ \(file:.*hawser\.js:\d+:\d+\)/);
  });

  it("holds the line of a call that a timer made", async () => {
    const stderr = await stderrOf([
      "const exit = (error) => { console.error(error); process.exit(1); };",
      `const options = { cliPath: process.execPath, timeouts: { totalMs: 1 } };`,
      `setTimeout(() => hawser.complete("Hello", options).catch(exit), 1);`,
    ]);
    expect(stderr).toMatch(/timeout/);
    expect(stderr).toMatch(/program\.mjs:4:/);
  });

  it("names files of the source with --enable-source-maps", async () => {
    const line = `await hawser.complete("Hello", ${MISSING});`;
    const stderr = await stderrOf([line], "--enable-source-maps");
    expect(stderr).toMatch(/src\/process\/locate\/locate-cli\.ts:\d+/);
    expect(stderr).toMatch(/program\.mjs:2:/);
  });
});
