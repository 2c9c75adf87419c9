import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { BUILT } from "../support/built.js";
import { PACKAGE } from "../support/folders.js";

it("hawser inspect says how to install the inspector, and never takes one of the current directory", () => {
  const folder = mkdtempSync(join(tmpdir(), "hawser-alone-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const hawser = join(folder, "lib/node_modules/hawser");
  mkdirSync(hawser, { recursive: true });
  cpSync(join(PACKAGE, "package.json"), join(hawser, "package.json"));
  cpSync(BUILT, join(hawser, "dist"), { recursive: true });
  const stranger = join(folder, "project/node_modules/@hawser/inspector");
  mkdirSync(stranger, { recursive: true });
  writeFileSync(join(stranger, "package.json"), '{"exports":{"./command":"./command.js"}}');
  writeFileSync(join(stranger, "command.js"), 'console.log("a stranger ran");');
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(hawser, "dist/bin/main.js"), "inspect", ...args], {
      cwd: join(folder, "project"),
      env: { PATH: process.env["PATH"], HOME: folder },
      encoding: "utf8",
    });
  const { status, stdout, stderr } = run();
  expect(stderr).toContain("`hawser inspect` needs the package @hawser/inspector.");
  expect(stderr).toContain("npm install @hawser/inspector");
  expect({ status, stdout }).toEqual({ status: 69, stdout: "" });
  expect(run("--port", "99999").stderr).toContain("--port must be a number from 0 to 65535");
});
