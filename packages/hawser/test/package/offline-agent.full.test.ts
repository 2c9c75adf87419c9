import { execFile, execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clisInTurn } from "../support/cli.js";
import { PACKAGE, REPOSITORY } from "../support/folders.js";

const NO_CLI = `
import assert from "node:assert/strict";
import { it } from "node:test";
import { locateCli } from "hawser";
it("no CLI is found", () => assert.throws(() => locateCli(), { code: "cli_not_found" }));
`;

let project = "";

/** An empty project with the packed package, and on PATH nothing but Node. */
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "offline-agent-"));
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", project];
  execFileSync("npm", pack, { cwd: PACKAGE, stdio: ["ignore", "pipe", "ignore"] });
  const tarball = readdirSync(project).find((name) => name.endsWith(".tgz")) ?? "";
  writeFileSync(join(project, "package.json"), '{"type":"module"}');
  const install = ["install", "--offline", "--no-audit", "--no-fund", `./${tarball}`];
  execFileSync("npm", install, { cwd: project, stdio: "ignore" });
  expect(readdirSync(join(project, "node_modules")).filter((name) => name[0] !== ".")).toEqual([
    "hawser",
  ]);
  for (const name of ["home", "bin", "tmp"]) mkdirSync(join(project, name));
  symlinkSync(process.execPath, join(project, "bin", "node"));
  for (const name of ["agent.js", "agent.test.js"]) {
    cpSync(join(REPOSITORY, "examples/guarded-agent", name), join(project, name));
  }
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

async function nodeTest(extra: Readonly<Record<string, string>>): Promise<string> {
  const home = join(project, "home");
  const env = { HOME: home, PATH: join(project, "bin"), TMPDIR: join(project, "tmp"), ...extra };
  const { stdout } = await promisify(execFile)(process.execPath, ["--test"], { cwd: project, env });
  return stdout;
}

describe("the tests of examples/guarded-agent", () => {
  it("pass on the fake CLI where no CLI is installed", async () => {
    writeFileSync(join(project, "no-cli.test.js"), NO_CLI);
    const printed = await nodeTest({});
    rmSync(join(project, "no-cli.test.js"));
    expect(printed).toMatch(/no CLI is found/);
    expect(printed).toMatch(/pass 2\n.*fail 0/s);
    expect(printed).toMatch(/real CLI.*# SKIP|real CLI.*no CLI here/i);
    expect(readdirSync(join(project, "tmp"))).toEqual([]);
  });

  it.each(clisInTurn())("pass on $name with a simulated model", async ({ path }) => {
    const printed = await nodeTest({ HAWSER_CLI: path, PATH: process.env["PATH"] ?? "" });
    expect(printed).toMatch(/pass 2\n.*fail 0/s);
    expect(printed).not.toMatch(/no CLI here/);
    expect(readdirSync(join(project, "tmp"))).toEqual([]);
  });
});
