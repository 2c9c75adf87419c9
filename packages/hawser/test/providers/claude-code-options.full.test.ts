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

describe("ClaudeCodeProvider", () => {
  it("has the name claude-code, and requires no API key", () => {
    const provider = new ClaudeCodeProvider();
    expect(provider.name).toBe("claude-code");
    expect(provider.requiresApiKey).toBe(false);
  });

  it("has documented defaults", () => {
    expect(fieldsOf(new ClaudeCodeProvider())).toEqual(DEFAULTS);
  });

  it("has a timeout of 600 s and no resumes with preset: specification", () => {
    const provider = new ClaudeCodeProvider({ preset: "specification" });
    const theirs = { ...DEFAULTS, timeoutMs: 600_000, maxResumeAttempts: 0 };
    expect(fieldsOf(provider)).toEqual(theirs);
  });

  it("has a timeout of 3600 s and full access with preset: manual", () => {
    const provider = new ClaudeCodeProvider({ preset: "manual" });
    expect(fieldsOf(provider)).toEqual({ ...DEFAULTS, allowedTools: [] });
  });

  it("prefers options to those of a preset", () => {
    const provider = new ClaudeCodeProvider({ preset: "manual", maxTurns: 3, model: undefined });
    expect(fieldsOf(provider)).toEqual({ ...DEFAULTS, allowedTools: [], maxTurns: 3 });
  });

  it("can be created from six values of a configuration", () => {
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

  it("can be created from three values of a configuration", () => {
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

  it("copies allowedTools and exposes them read-only", () => {
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
    ["allowedTools[0]", { allowedTools: [1] }],
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
  ])("refuses an invalid %s", (path, options) => {
    const make = () => new ClaudeCodeProvider(options as ClaudeCodeProviderOptions);
    const issue = expect.objectContaining({ path });
    expect(make).toThrow(
      expect.objectContaining({
        code: "invalid_options",
        issues: expect.arrayContaining([issue]),
      }),
    );
  });

  it.each([
    [0, "0"],
    [-1, "-1"],
    [Number.NaN, "NaN"],
    ["60", '"60"'],
  ])("refuses a configuration with timeoutSecs %s", (seconds, shown) => {
    const make = () => ClaudeCodeProvider.fromConfig(10, [], seconds as number);
    const message = `timeoutSecs must be a number of seconds above 0, not ${shown}.`;
    expect(make).toThrow(expect.objectContaining({ message }));
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
  ])("refuses the option %s with the right name in the hint", (name, hint) => {
    const make = () => new ClaudeCodeProvider({ [name]: 1 } as ClaudeCodeProviderOptions);
    expect(make).toThrow(
      expect.objectContaining({
        code: "invalid_options",
        message: expect.stringContaining(`${name} is not an option of the provider`),
        hint,
      }),
    );
  });

  it("isAvailable() and checkCli() tell whether the CLI exists", async () => {
    await using cli = await fakeCli();
    expect(await new ClaudeCodeProvider({ cliPath: cli.path }).isAvailable()).toBe(true);
    expect(await ClaudeCodeProvider.checkCli({ cliPath: cli.path })).toBe(true);
    expect(await new ClaudeCodeProvider({ cliPath: "/no/such/cli" }).isAvailable()).toBe(false);
    expect(await ClaudeCodeProvider.checkCli({ cliPath: "/no/such/cli" })).toBe(false);
  });

  it("checkCli() is false for a CLI that does not print its version", async () => {
    await using cli = await fakeCli({ steps: [{ on: "version", do: [{ exit: 3 }] }] });
    expect(await ClaudeCodeProvider.checkCli({ cliPath: cli.path })).toBe(false);
  });

  it("isAvailable() is false for a program that exits with 0 and prints no version, except with rawText", async () => {
    const cliPath = "/bin/true";
    expect(await ClaudeCodeProvider.checkCli({ cliPath })).toBe(false);
    expect(await new ClaudeCodeProvider({ cliPath }).isAvailable()).toBe(false);
    // With rawText any program may stand in for the CLI.
    expect(await new ClaudeCodeProvider({ cliPath, rawText: true }).isAvailable()).toBe(true);
  });
});

describe("ClaudeCodeProvider.fromConfig()", () => {
  it("takes the keys of [provider.claude-code], and further options", () => {
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

  it("keeps defaults and options for missing keys", () => {
    expect(fieldsOf(ClaudeCodeProvider.fromConfig({}))).toEqual(DEFAULTS);
    const provider = ClaudeCodeProvider.fromConfig({ timeout_secs: 5 }, { workingDir: "/w" });
    expect(fieldsOf(provider)).toEqual({ ...DEFAULTS, timeoutMs: 5000, workingDir: "/w" });
    const inOrder = [5, FOUR, 5, undefined, undefined, undefined, { workingDir: "/w" }] as const;
    expect(ClaudeCodeProvider.fromConfig(...inOrder).workingDir).toBe("/w");
  });

  it.each<[string, unknown, string]>([
    ["max_turns", 0, "max_turns must be an integer of at least 1, not 0."],
    ["allowed_tools", "Bash", "allowed_tools must be an array, not a string."],
    ["timeout_secs", "60", 'timeout_secs must be a number of seconds above 0, not "60".'],
    ["working_dir", 1, "working_dir must be a string, not a number."],
    ["max_resume_attempts", -1, "max_resume_attempts must be an integer of at least 0, not -1."],
    ["model", 1, "model must be a string, not a number."],
  ])("refuses an invalid %s, named as in the configuration", (key, value, message) => {
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
  ])("refuses the key %s with the right name in the hint", (key, hint) => {
    const make = () => ClaudeCodeProvider.fromConfig({ [key]: 1 } as ClaudeCodeConfig);
    expect(make).toThrow(expect.objectContaining({ code: "invalid_options", hint }));
  });

  it.each([null, [], "10"])("refuses %j as a configuration", (config) => {
    const make = () => ClaudeCodeProvider.fromConfig(config as unknown as ClaudeCodeConfig);
    expect(make).toThrow(expect.objectContaining({ code: "invalid_options" }));
  });
});

describe("ClaudeCodeProvider.isAvailable() with spawnClaudeCodeProcess", () => {
  const THERE = "/only/there/claude";

  /** Starts the program in place of the path, which does not exist on this machine. */
  const startsAs =
    (path: string, requests: SpawnRequest[] = []) =>
    (request: SpawnRequest) => {
      requests.push(request);
      const { command, args, cwd, env } = request;
      return spawn(command === THERE ? path : command, args, { cwd, env });
    };

  it("asks the process that the function starts, as calls do", async () => {
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

  it("is false if the function throws, or its process fails or prints no version", async () => {
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

  it("is false if the process does not answer within bootMs", async () => {
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

describe("ClaudeCodeProvider.complete() with an unknown key in the context", () => {
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
  ])(
    "rejects with invalid_options, with the right name in the hint: %s",
    async (key, value, hint) => {
      const provider = await onFake([]);
      const error = await failureOf(provider.complete(context({ [key]: value })));
      expect(error).toMatchObject({ code: "invalid_options", hint });
      expect(error.message).toContain(`context.${key} is not a key of a context`);
    },
  );

  it.each<[string, unknown, string]>([
    ["comand", "x", "Use `command`."],
    ["environment", {}, "Leave it out."],
    ["knots", 1, "Leave it out."],
    ["url", "http://x", "A context takes servers that the CLI starts by `command`."],
  ])("rejects with invalid_options for a key of a server: %s", async (key, value, hint) => {
    const provider = await onFake([]);
    const server = { name: "a", command: "x", [key]: value };
    const error = await failureOf(provider.complete(context({ mcpServers: [server] })));
    expect(error).toMatchObject({ code: "invalid_options", hint });
    expect(error.message).toContain(`context.mcpServers[0].${key}`);
  });

  it("answers if the value of the key is undefined", async () => {
    const provider = await onFake([]);
    const more = { mcp_servers: undefined } as object;
    expect((await provider.complete(context(more))).text).toBe("ok");
  });
});

describe("ClaudeCodeProvider.complete() with an invalid context", () => {
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
  ])("rejects with invalid_options before a process starts: %s", async (path, more) => {
    const provider = await onFake([]);
    const error = await failureOf(provider.complete(context(more)));
    expect(error).toMatchObject({ code: "invalid_options" });
    expect(error.issues?.map((issue) => issue.path)).toContain(path);
  });
});
