import { describe, expect, it } from "vitest";
import { ClaudeCodeProvider, type ClaudeCodeProviderOptions } from "../../src/providers/index.js";
import { fakeCli } from "../../src/testing/index.js";
import { context, failureOf, onFake } from "./omega-support.js";

const FOUR = ["Bash", "Read", "Write", "Edit"];

const fieldsOf = (provider: ClaudeCodeProvider) => ({
  maxTurns: provider.maxTurns,
  allowedTools: provider.allowedTools,
  timeoutMs: provider.timeoutMs,
  workingDir: provider.workingDir,
  maxResumeAttempts: provider.maxResumeAttempts,
  model: provider.model,
  rawText: provider.rawText,
});

const DEFAULTS = {
  maxTurns: 10,
  allowedTools: FOUR,
  timeoutMs: 3_600_000,
  workingDir: undefined,
  maxResumeAttempts: 5,
  model: "",
  rawText: false,
};

describe("a ClaudeCodeProvider", () => {
  it("has the documented name, and needs no key", () => {
    const provider = new ClaudeCodeProvider();
    expect(provider.name).toBe("claude-code");
    expect(provider.requiresApiKey).toBe(false);
  });

  it("has defaults", () => {
    expect(fieldsOf(new ClaudeCodeProvider())).toEqual(DEFAULTS);
  });

  it("has the specification's defaults by name: 600 s, no resuming", () => {
    const provider = new ClaudeCodeProvider({ preset: "specification" });
    const theirs = { ...DEFAULTS, timeoutMs: 600_000, maxResumeAttempts: 0 };
    expect(fieldsOf(provider)).toEqual(theirs);
  });

  it("has the manual's defaults by name: 3600 s, full access", () => {
    const provider = new ClaudeCodeProvider({ preset: "manual" });
    expect(fieldsOf(provider)).toEqual({ ...DEFAULTS, allowedTools: [] });
  });

  it("takes options over those of a preset", () => {
    const provider = new ClaudeCodeProvider({ preset: "manual", maxTurns: 3, model: undefined });
    expect(fieldsOf(provider)).toEqual({ ...DEFAULTS, allowedTools: [], maxTurns: 3 });
  });

  it("is made from a configuration", () => {
    const provider = ClaudeCodeProvider.fromConfig(20, ["Bash"], 300, "/w", 2, "opus");
    expect(fieldsOf(provider)).toEqual({
      maxTurns: 20,
      allowedTools: ["Bash"],
      timeoutMs: 300_000,
      workingDir: "/w",
      maxResumeAttempts: 2,
      model: "opus",
      rawText: false,
    });
  });

  it("is made from a configuration that says the first three only", () => {
    const provider = ClaudeCodeProvider.fromConfig(5, [], 300);
    const { maxTurns, allowedTools, timeoutMs, ...rest } = fieldsOf(provider);
    expect({ maxTurns, allowedTools, timeoutMs }).toEqual({
      maxTurns: 5,
      allowedTools: [],
      timeoutMs: 300_000,
    });
    expect(rest).toEqual({
      workingDir: undefined,
      maxResumeAttempts: 5,
      model: "",
      rawText: false,
    });
  });

  it("does not share its list of tools with anybody", () => {
    const allowedTools = ["Bash"];
    const provider = new ClaudeCodeProvider({ allowedTools });
    allowedTools.push("Write");
    expect(provider.allowedTools).toEqual(["Bash"]);
    expect(() => (provider.allowedTools as string[]).push("Write")).toThrow(TypeError);
  });

  it.each<[string, object]>([
    ["maxTurns", { maxTurns: 0 }],
    ["maxTurns", { maxTurns: 1.5 }],
    ["allowedTools", { allowedTools: "Bash" }],
    ["allowedTools", { allowedTools: [1] }],
    ["allowedTools[0]", { allowedTools: ["Bash,Read"] }],
    ["timeoutMs", { timeoutMs: 0 }],
    ["timeoutMs", { timeoutMs: Number.NaN }],
    ["timeouts.totalMs", { timeouts: { totalMs: 5 } }],
    ["maxResumeAttempts", { maxResumeAttempts: -1 }],
    ["workingDir", { workingDir: 3 }],
    ["cwd", { cwd: "" }],
    ["cwd", { cwd: "/a", workingDir: "/b" }],
    ["model", { model: 3 }],
    ["preset", { preset: "lean" }],
    ["rawText", { rawText: "yes" }],
    ["rawText", { rawText: true, spawnClaudeCodeProcess: () => {} }],
    ["rawText", { rawText: true, user: "nobody" }],
    ["env", { env: "X=1" }],
    ["permissionMode", { permissionMode: "bypassPermissions" }],
    ["maxturns", { maxturns: 3 }],
  ])("refuses a bad %s", (path, options) => {
    const make = () => new ClaudeCodeProvider(options as ClaudeCodeProviderOptions);
    const issue = expect.objectContaining({ path });
    expect(make).toThrow(
      expect.objectContaining({
        code: "invalid_options",
        issues: expect.arrayContaining([issue]),
      }),
    );
  });

  it.each([0, -1, Number.NaN, "60"])("refuses a configuration of %s seconds", (seconds) => {
    const make = () => ClaudeCodeProvider.fromConfig(10, [], seconds as number);
    expect(make).toThrow(
      expect.objectContaining({ message: "timeoutSecs must be a number of seconds above 0." }),
    );
  });

  it("says whether its CLI is there", async () => {
    await using cli = await fakeCli();
    expect(await new ClaudeCodeProvider({ cliPath: cli.path }).isAvailable()).toBe(true);
    expect(await ClaudeCodeProvider.checkCli({ cliPath: cli.path })).toBe(true);
    expect(await new ClaudeCodeProvider({ cliPath: "/no/such/cli" }).isAvailable()).toBe(false);
    expect(await ClaudeCodeProvider.checkCli({ cliPath: "/no/such/cli" })).toBe(false);
  });

  it("says that a CLI is not there which does not say its version", async () => {
    await using cli = await fakeCli({ steps: [{ on: "version", do: [{ exit: 3 }] }] });
    expect(await ClaudeCodeProvider.checkCli({ cliPath: cli.path })).toBe(false);
  });
});

describe("a context that is none", () => {
  it.each<[string, object]>([
    ["context.systemPrompt", { systemPrompt: undefined }],
    ["context.currentMessage", { currentMessage: 3 }],
    ["context.currentMessage", { currentMessage: " \n" }],
    ["context.history", { history: "none" }],
    ["context.history[0].role", { history: [{ role: "system", content: "x" }] }],
    ["context.history[0].content", { history: [{ role: "user" }] }],
    ["context.history[0]", { history: ["x"] }],
    ["context.sessionId", { sessionId: "" }],
    ["context.agentName", { agentName: "" }],
    ["context.model", { model: 3 }],
    ["context.allowedTools", { allowedTools: "Bash" }],
    ["context.mcpServers", { mcpServers: {} }],
    ["context.mcpServers[0].name", { mcpServers: [{ command: "x", args: [] }] }],
    ["context.mcpServers[0].args", { mcpServers: [{ name: "a", command: "x", args: "y" }] }],
    ["mcpServers.a.command", { mcpServers: [{ name: "a", args: [] }] }],
    ["maxTurns", { maxTurns: 0 }],
  ])("is refused by its %s before anything is started", async (path, more) => {
    const provider = await onFake([]);
    const error = await failureOf(provider.complete(context(more)));
    expect(error).toMatchObject({ code: "invalid_options" });
    expect(error.issues?.map((issue) => issue.path)).toContain(path);
  });
});
