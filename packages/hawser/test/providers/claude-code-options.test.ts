import { spawn } from "node:child_process";
import { describe, expect, it } from "vitest";
import type { SpawnRequest } from "../../src/options/index.js";
import { checkCli, processes } from "../../src/process/index.js";
import {
  type ClaudeCodeConfig,
  ClaudeCodeProvider,
  type ClaudeCodeProviderOptions,
} from "../../src/providers/index.js";
import { fakeCli } from "../../src/testing/index.js";
import { context, failureOf, onFake } from "./omega.helper.js";

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

  it.each<[string, string]>([
    ["max_turns", "Use `maxTurns`."],
    ["allowed_tools", "Use `allowedTools`."],
    ["working_dir", "Use `workingDir`."],
    ["max_resume_attempts", "Use `maxResumeAttempts`."],
    ["raw-text", "Use `rawText`."],
    ["maxTurn", "Use `maxTurns`."],
    ["allowedTool", "Use `allowedTools`."],
    [
      "timeout_secs",
      "Use `timeoutMs`, in milliseconds; `fromConfig({ timeout_secs })` takes seconds.",
    ],
    [
      "timeoutSecs",
      "Use `timeoutMs`, in milliseconds; `fromConfig({ timeout_secs })` takes seconds.",
    ],
    ["autoResume", "Use `maxResumeAttempts`."],
    ["mcp_servers", "Give it to `complete()` as `mcpServers` of the context."],
    ["systemPrompt", "Give it to `complete()` as `systemPrompt` of the context."],
    ["resume", "Give it to `complete()` as `sessionId` of the context."],
    [
      "permissionMode",
      "Leave it out, or call `complete()` of the library, which takes `permissionMode`.",
    ],
    ["knots", "Leave it out."],
  ])("refuses the option %s with a hint that says what to write", (name, hint) => {
    const make = () => new ClaudeCodeProvider({ [name]: 1 } as ClaudeCodeProviderOptions);
    expect(make).toThrow(
      expect.objectContaining({
        code: "invalid_options",
        message: expect.stringContaining(`${name} is not an option of the provider`),
        hint,
      }),
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

  it("says that a program is not the CLI which ends well and says no version", async () => {
    const cliPath = "/bin/true";
    expect(await ClaudeCodeProvider.checkCli({ cliPath })).toBe(false);
    expect(await new ClaudeCodeProvider({ cliPath }).isAvailable()).toBe(false);
    // With rawText any program may stand in for the CLI.
    expect(await new ClaudeCodeProvider({ cliPath, rawText: true }).isAvailable()).toBe(true);
  });
});

describe("ClaudeCodeProvider.fromConfig()", () => {
  it("takes the keys of [provider.claude-code], and options beside them", () => {
    const config = {
      max_turns: 20,
      allowed_tools: ["Bash", "Read"],
      timeout_secs: 1800,
      working_dir: "/w",
      max_resume_attempts: 2,
      model: "opus",
    };
    expect(fieldsOf(ClaudeCodeProvider.fromConfig(config, { rawText: true }))).toEqual({
      maxTurns: 20,
      allowedTools: ["Bash", "Read"],
      timeoutMs: 1_800_000,
      workingDir: "/w",
      maxResumeAttempts: 2,
      model: "opus",
      rawText: true,
    });
  });

  it("leaves the defaults and the options where a key is not given", () => {
    expect(fieldsOf(ClaudeCodeProvider.fromConfig({}))).toEqual(DEFAULTS);
    const provider = ClaudeCodeProvider.fromConfig({ timeout_secs: 5 }, { workingDir: "/w" });
    expect(fieldsOf(provider)).toEqual({ ...DEFAULTS, timeoutMs: 5000, workingDir: "/w" });
    const inOrder = [5, FOUR, 5, undefined, undefined, undefined, { workingDir: "/w" }] as const;
    expect(ClaudeCodeProvider.fromConfig(...inOrder).workingDir).toBe("/w");
  });

  it.each<[string, unknown, string]>([
    ["max_turns", 0, "max_turns must be an integer of at least 1."],
    ["allowed_tools", "Bash", "allowed_tools must be an array of strings."],
    ["timeout_secs", "60", "timeout_secs must be a number of seconds above 0."],
    ["working_dir", 1, "working_dir must be a string."],
    ["max_resume_attempts", -1, "max_resume_attempts must be an integer of at least 0."],
    ["model", 1, "model must be a string."],
  ])("refuses a bad %s in the words of the configuration", (key, value, message) => {
    const make = () => ClaudeCodeProvider.fromConfig({ [key]: value } as ClaudeCodeConfig);
    expect(make).toThrow(expect.objectContaining({ code: "invalid_options", message }));
  });

  it.each<[string, string]>([
    ["maxTurns", "Use `max_turns`."],
    ["max_turn", "Use `max_turns`."],
    ["allowed-tools", "Use `allowed_tools`."],
    ["timeoutMs", "Use `timeout_secs`, in seconds."],
    ["timeout", "Use `timeout_secs`, in seconds."],
    ["cwd", "Use `working_dir`."],
    ["raw_text", "Give `rawText` in the second argument of `fromConfig()`."],
    ["knots", "Leave it out."],
  ])("refuses the key %s with a hint that says what to write", (key, hint) => {
    const make = () => ClaudeCodeProvider.fromConfig({ [key]: 1 } as ClaudeCodeConfig);
    expect(make).toThrow(expect.objectContaining({ code: "invalid_options", hint }));
  });

  it.each([null, [], "10"])("refuses %j as a configuration", (config) => {
    const make = () => ClaudeCodeProvider.fromConfig(config as unknown as ClaudeCodeConfig);
    expect(make).toThrow(expect.objectContaining({ code: "invalid_options" }));
  });
});

describe("isAvailable() of a provider whose own function starts the CLI", () => {
  const THERE = "/only/there/claude";

  /** Starts the program in place of the path, which does not exist on this machine. */
  const startsAs =
    (path: string, requests: SpawnRequest[] = []) =>
    (request: SpawnRequest) => {
      requests.push(request);
      const { command, args, cwd, env } = request;
      return spawn(command === THERE ? path : command, args, { cwd, env });
    };

  it("asks that function's process, as calls do", async () => {
    await using cli = await fakeCli();
    const requests: SpawnRequest[] = [];
    const spawnClaudeCodeProcess = startsAs(cli.path, requests);
    const options = { cliPath: THERE, spawnClaudeCodeProcess, env: { KNOT: "bowline" } };
    const provider = new ClaudeCodeProvider({ ...options, workingDir: "/" });
    expect((await provider.complete(context())).text).toBe("ok");
    expect(await provider.isAvailable()).toBe(true);
    expect(await ClaudeCodeProvider.checkCli(options)).toBe(true);
    expect(requests.map(({ args }) => args[0] === "-v")).toEqual([false, true, true]);
    expect(requests[1]).toMatchObject({ command: THERE, cwd: "/", env: { KNOT: "bowline" } });
    expect(await checkCli(options)).toMatchObject({ path: THERE, runnable: true });
  });

  it("is false if the function throws, or its process fails, or says no version", async () => {
    await using failing = await fakeCli({ steps: [{ on: "version", do: [{ exit: 3 }] }] });
    const throws = () => {
      throw new Error("no container");
    };
    for (const spawnClaudeCodeProcess of [
      throws,
      startsAs("/no/such/cli"),
      startsAs(failing.path),
      startsAs("/bin/true"),
    ]) {
      const provider = new ClaudeCodeProvider({ cliPath: THERE, spawnClaudeCodeProcess });
      expect(await provider.isAvailable()).toBe(false);
    }
  });

  it("is false if the process does not answer in the time that a start has", async () => {
    await using silent = await fakeCli({ steps: [{ on: "version", do: [{ hang: true }] }] });
    const provider = new ClaudeCodeProvider({
      cliPath: THERE,
      spawnClaudeCodeProcess: startsAs(silent.path),
      timeouts: { bootMs: 500 },
    });
    expect(await provider.isAvailable()).toBe(false);
    expect(processes()).toEqual([]);
  });
});

describe("a context with a key that is not known", () => {
  it.each<[string, unknown, string]>([
    ["mcp_servers", [], "Use `mcpServers`."],
    ["max_turns", 3, "Use `maxTurns`."],
    ["session_id", "x", "Use `sessionId`."],
    ["current_message", "x", "Use `currentMessage`."],
    ["allowedTool", [], "Use `allowedTools`."],
    ["histroy", [], "Use `history`."],
    ["system", "x", "Use `systemPrompt`."],
    ["message", "x", "Use `currentMessage`."],
    ["timeout_secs", 5, "Give `timeoutMs`, in milliseconds, to the provider."],
    ["working_dir", "/w", "Give `workingDir` to the provider: it holds for all its calls."],
    ["tools", [], "Give `tools` to the provider: it holds for all its calls."],
    ["knots", 1, "Leave it out."],
  ])("is refused, and the hint for %s says what to write", async (key, value, hint) => {
    const provider = await onFake([]);
    const error = await failureOf(provider.complete(context({ [key]: value })));
    expect(error).toMatchObject({ code: "invalid_options", hint });
    expect(error.message).toContain(`context.${key} is not a key of a context`);
  });

  it.each<[string, unknown, string]>([
    ["comand", "x", "Use `command`."],
    ["environment", {}, "Leave it out."],
    ["url", "http://x", "A context takes servers that the CLI starts by `command`."],
  ])("of a server is refused too: %s", async (key, value, hint) => {
    const provider = await onFake([]);
    const server = { name: "a", command: "x", [key]: value };
    const error = await failureOf(provider.complete(context({ mcpServers: [server] })));
    expect(error).toMatchObject({ code: "invalid_options", hint });
    expect(error.message).toContain(`context.mcpServers[0].${key}`);
  });

  it("is answered if the key has no value", async () => {
    const provider = await onFake([]);
    const more = { mcp_servers: undefined } as object;
    expect((await provider.complete(context(more))).text).toBe("ok");
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
