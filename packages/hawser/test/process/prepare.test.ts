import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Options } from "../../src/options/index.js";
import { explain, prepare } from "../../src/process/index.js";
import { fakeCli, type Scenario } from "../../src/testing/index.js";
import { recordingLogger } from "../support/recording-logger.js";

async function fake(
  scenario: Scenario = {},
): Promise<{ cliPath: string; starts(): Promise<number> }> {
  const cli = await fakeCli(scenario);
  onTestFinished(() => cli.dispose());
  return { cliPath: cli.path, starts: async () => (await cli.recorded()).length };
}

describe("prepare()", () => {
  it("asks the CLI for its version once, and starts nothing else", async () => {
    const { cliPath, starts } = await fake({ version: "2.1.325 (Claude Code)" });
    const prepared = await prepare({ cliPath });
    expect(prepared.version).toEqual([2, 1, 325]);
    expect(prepared.facts).toEqual({ cliPath, cliVersion: "2.1.325" });
    expect(await starts()).toBe(1);
  });

  it("does not ask for the version with CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK", async () => {
    const { cliPath, starts } = await fake();
    const env = { CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK: "1" };
    expect((await prepare({ cliPath, env })).version).toBeUndefined();
    expect(await starts()).toBe(0);
  });

  it("asks for the version in the environment of the CLI", async () => {
    const cli = await fakeCli();
    onTestFinished(() => cli.dispose());
    process.env["HOST_SECRET_TOKEN"] = "canary-host";
    onTestFinished(() => {
      delete process.env["HOST_SECRET_TOKEN"];
    });
    await prepare({ cliPath: cli.path, inheritEnv: ["PATH"], env: { MINE: "1" } });
    const [probe] = await cli.recorded();
    expect(probe?.argv).toEqual(["-v"]);
    expect(probe?.env["MINE"]).toBe("1");
    expect(Object.keys(probe?.env ?? {})).not.toContain("HOST_SECRET_TOKEN");
  });

  it.skipIf(process.platform === "win32")("refuses a settings file that is a device", async () => {
    const { cliPath } = await fake();
    await expect(prepare({ cliPath, settings: "/dev/zero" })).rejects.toMatchObject({
      code: "invalid_options",
      message: expect.stringContaining("it is not a regular file"),
    });
  });

  it("resolves a settings file from the cwd of the CLI", async () => {
    const { cliPath } = await fake();
    const cwd = mkdtempSync(join(tmpdir(), "hawser-cwd-"));
    onTestFinished(() => rmSync(cwd, { recursive: true }));
    writeFileSync(join(cwd, "mine.json"), '{"permissions":{"deny":["WebFetch"]}}');
    const { invocation } = await prepare({ cliPath, cwd, settings: "mine.json" });
    expect(invocation.argv.slice(-2)).toEqual(["--settings", "mine.json"]);
    expect(invocation.expectedDenyRules).toBe(1);
  });

  it("warns about an unknown version and continues", async () => {
    const { logger, entries } = recordingLogger();
    const { cliPath } = await fake({ version: "invalid" });
    expect((await prepare({ cliPath, logger })).version).toBeUndefined();
    expect(entries).toEqual([
      expect.objectContaining({
        level: "warn",
        message: expect.stringContaining("version of the CLI is unknown"),
      }),
    ]);
  });

  it.each<[NonNullable<Options["onOldCli"]>, string | undefined, number]>([
    ["error", "unsupported_by_cli", 0],
    ["warn", undefined, 1],
    ["ignore", undefined, 0],
  ])("handles a CLI below 2.0.0 by onOldCli: %s", async (onOldCli, code, warnings) => {
    const { logger, entries } = recordingLogger();
    const { cliPath } = await fake({ version: "1.0.128 (Claude Code)" });
    const outcome = await prepare({ cliPath, onOldCli, logger }).then(
      () => undefined,
      (error: { code: string }) => error.code,
    );
    expect(outcome).toBe(code);
    expect(entries.filter(({ message }) => message.includes("2.0.0")).length).toBe(warnings);
  });
});

describe("explainInvocation()", () => {
  it("includes what the preset of complete() adds", async () => {
    const { cliPath } = await fake();
    const text = await explain({ cliPath, preset: "lean", inheritEnv: false });
    for (const flag of ["--tools=", "--setting-sources=", "--no-session-persistence"]) {
      expect(text).toContain(flag);
    }
    expect(text).toMatch(/\d+ variables of this program are not passed on/);
  });

  it("returns the command without secrets", async () => {
    const { cliPath, starts } = await fake();
    const text = await explain({
      cliPath,
      model: "sonnet",
      systemPrompt: "Tie knots.",
      apiKey: "canary-of-the-key",
    });
    expect(text).toContain("--model=sonnet");
    expect(text).toContain("Tie knots.");
    expect(text).toContain("ANTHROPIC_API_KEY=***");
    expect(text).not.toContain("canary-of-the-key");
    expect(await starts()).toBe(1);
  });
});
