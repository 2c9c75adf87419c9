import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { BUILT } from "../support/built.js";
import { PACKAGE } from "../support/folders.js";

/** A copy of the built package in a folder where the gateway is not installed. */
function withoutGateway(): string {
  const folder = mkdtempSync(join(tmpdir(), "hawser-alone-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const hawser = join(folder, "lib/node_modules/hawser");
  mkdirSync(hawser, { recursive: true });
  cpSync(join(PACKAGE, "package.json"), join(hawser, "package.json"));
  cpSync(BUILT, join(hawser, "dist"), { recursive: true });
  return folder;
}

it("hawser serve says how to install the gateway, and never takes one of the current directory", () => {
  const folder = withoutGateway();
  const gateway = join(folder, "project/node_modules/@hawser/gateway");
  mkdirSync(gateway, { recursive: true });
  writeFileSync(join(gateway, "package.json"), '{"exports":{"./serve":"./serve.js"}}');
  writeFileSync(join(gateway, "serve.js"), 'console.log("a stranger ran");');
  const command = join(folder, "lib/node_modules/hawser/dist/bin/main.js");
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [command, "serve", ...args], {
      cwd: join(folder, "project"),
      env: { PATH: process.env["PATH"], HOME: folder },
      encoding: "utf8",
    });
  const { status, stdout, stderr } = run();
  expect(stderr).toContain("`hawser serve` needs the package @hawser/gateway.");
  expect(stderr).toContain("npm install @hawser/gateway");
  expect({ status, stdout }).toEqual({ status: 69, stdout: "" });
  expect(JSON.parse(run("--json").stdout).error.code).toBe("not_supported");
  expect(run("--help").stdout).toContain("keys add <tenant>");
});
