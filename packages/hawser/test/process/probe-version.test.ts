import { chmodSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkCli, locateCli, probeVersion } from "../../src/process/index.js";
import { fakeCli } from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { CAN_BE_FOREIGN, forOtherLibc, forOtherProcessor } from "../support/foreign.js";
import { everyProcess, until } from "../support/proc.js";

async function fake(scenario: Parameters<typeof fakeCli>[0]) {
  const cli = await fakeCli(scenario);
  onTestFinished(() => cli.dispose());
  return { cli, location: locateCli({ cliPath: cli.path }) };
}

function program(text: string | Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), "hawser-probe-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "claude");
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

describe("probeVersion()", () => {
  it.each([
    ["2.4.1", [2, 4, 1]],
    ["2.4.1-beta.1", [2, 4, 1]],
    ["2.4.1 (stable channel)", [2, 4, 1]],
    ["invalid", undefined],
  ])("reads %j", async (text, version) => {
    const { location } = await fake({ version: text });
    expect(await probeVersion(location)).toEqual(
      version === undefined ? { text } : { version, text },
    );
  });

  it("asks once, and again after the file has changed", async () => {
    const { cli, location } = await fake({ version: "2.0.5" });
    await Promise.all([probeVersion(location), probeVersion(location)]);
    await probeVersion(location);
    expect((await cli.recorded()).length).toBe(1);
    utimesSync(cli.path, new Date(), new Date(Date.now() + 5000));
    await probeVersion(location);
    expect((await cli.recorded()).length).toBe(2);
  });

  it("returns no version after its time limit", async () => {
    const { location } = await fake({ steps: [{ on: "version", do: [{ hang: true }] }] });
    expect(await probeVersion(location, { limitMs: 1000 })).toEqual({
      text: "no answer within 1000 ms",
      failed: true,
    });
  });

  it("returns no version when the CLI exits with an error", async () => {
    const { location } = await fake({ steps: [{ on: "version", do: [{ exit: 3 }] }] });
    expect(await probeVersion(location)).toEqual({ text: "exit code 3", failed: true });
  });

  it("rejects a path to Node, and suggests the option executable", async () => {
    const path = process.execPath;
    await expect(probeVersion(locateCli({ cliPath: path }))).rejects.toMatchObject({
      code: "cli_not_runnable",
      message: `${path} is not the Claude Code CLI but Node: it reports the version ${process.version}.`,
      hint: expect.stringContaining("`executable`"),
    });
    expect(await checkCli({ cliPath: path })).toMatchObject({
      runnable: false,
      problem: { code: "cli_not_runnable" },
    });
  });

  it("rejects a file that cannot be started", async () => {
    const path = program("#!/no/such/interpreter\n");
    await expect(probeVersion(locateCli({ cliPath: path }))).rejects.toMatchObject({
      code: "cli_not_runnable",
      cliPath: path,
      message: `The CLI at ${path} cannot be run: its first line names /no/such/interpreter, which does not exist.`,
      hint: expect.stringContaining("Install /no/such/interpreter"),
    });
  });

  it.skipIf(!CAN_BE_FOREIGN)("names the C library that is missing", async () => {
    const path = program(forOtherLibc());
    const problem = {
      code: "cli_not_runnable",
      message: `The CLI at ${path} cannot be run: it is built for musl, whose loader /lib/ld-musl-none.so.1 is not on this machine.`,
      hint: expect.stringContaining("Install the CLI on this machine itself"),
    };
    await expect(probeVersion(locateCli({ cliPath: path }))).rejects.toMatchObject(problem);
    expect(await checkCli({ cliPath: path })).toMatchObject({ runnable: false, problem });
  });
});

describe.skipIf(process.platform !== "linux")("probeVersion() of a CLI that hangs", () => {
  it("ends the process that a wrapper has started", async () => {
    const marker = `1${process.pid}${Date.now()}`;
    const path = program(`#!/bin/sh\nsleep ${marker}\n`);
    const found = () => everyProcess().filter(({ command }) => command === `sleep ${marker}`);
    const probe = probeVersion(locateCli({ cliPath: path }), { limitMs: 3000 });
    await until(() => found().length > 0);
    expect(await probe).toEqual({ text: "no answer within 3000 ms", failed: true });
    await until(() => found().length === 0);
  });
});

describe("checkCli()", () => {
  it.each(clisInTurn())("reports the real CLI $name", async ({ name, path }) => {
    expect(await checkCli({ cliPath: path })).toEqual({
      runnable: true,
      path,
      source: "option",
      version: name,
      credential: expect.any(String),
      nested: process.env["CLAUDECODE"] !== undefined,
      root: process.getuid?.() === 0,
    });
  });

  it("reports where a credential is, and a nested session", async () => {
    const { cli } = await fake({});
    const home = mkdtempSync(join(tmpdir(), "hawser-check-"));
    onTestFinished(() => rmSync(home, { recursive: true }));
    const nothing = {
      ANTHROPIC_API_KEY: undefined,
      ANTHROPIC_AUTH_TOKEN: undefined,
      CLAUDE_CODE_OAUTH_TOKEN: undefined,
      CLAUDE_CONFIG_DIR: home,
      CLAUDECODE: undefined,
    };
    const report = (env: object) => checkCli({ cliPath: cli.path, env: { ...nothing, ...env } });
    expect(await report({})).toMatchObject({ credential: "none_seen", nested: false });
    expect(await report({ CLAUDECODE: "" })).toMatchObject({ nested: true });
    expect(await report({ ANTHROPIC_API_KEY: "k" })).toMatchObject({
      credential: "ANTHROPIC_API_KEY",
    });
    expect(await report({ CLAUDE_CODE_OAUTH_TOKEN: "t" })).toMatchObject({
      credential: "CLAUDE_CODE_OAUTH_TOKEN",
    });
    writeFileSync(join(home, ".credentials.json"), "{}");
    expect(await report({})).toMatchObject({ credential: "login_file" });
  });

  it.skipIf(!CAN_BE_FOREIGN)("names the processor that a program is built for", async () => {
    const { bytes, processor } = forOtherProcessor();
    const { problem } = await checkCli({ cliPath: program(bytes) });
    expect(problem?.message).toContain(`it is built for ${processor}, but this machine is linux`);
  });

  it("returns the problem instead of throwing", async () => {
    expect(await checkCli({ cliPath: "/no/such/claude" })).toMatchObject({
      runnable: false,
      problem: { code: "cli_not_found" },
    });
    expect(await checkCli({ cliPath: program("#!/bin/sh\nexit 3\n") })).toMatchObject({
      runnable: false,
      problem: { code: "cli_not_runnable" },
    });
  });

  it.each([
    ["hello", undefined],
    ["git version 2.39.5", undefined],
    ["3.5.1", "3.5.1"],
  ])("reports a CLI that answers %j as runnable, with a doubt", async (answer, version) => {
    const path = program(`#!/bin/sh\necho ${answer}\n`);
    const report = await checkCli({ cliPath: path });
    expect(report).toMatchObject({
      runnable: true,
      doubt: `${path} may not be the Claude Code CLI: asked for its version, it says "${answer}".`,
    });
    expect(report.version).toBe(version);
  });
});
