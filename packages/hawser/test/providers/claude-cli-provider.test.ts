import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { HawserError } from "../../src/base/index.js";
import { complete } from "../../src/complete/index.js";
import { processes } from "../../src/process/index.js";
import {
  CLAUDE_CLI_MODEL_ALIASES,
  ClaudeCliProvider,
  type ClaudeCliProviderOptions,
  type CompletionConfig,
} from "../../src/providers/index.js";
import { always, fakeCli, hang, maxTokens, reply, toolUse } from "../../src/testing/index.js";
import { clisInTurn, NEWEST_CLI } from "../support/cli.js";
import { treeOf, until } from "../support/proc.js";
import { recordingLogger } from "../support/recording-logger.js";
import { world } from "../support/world.js";

// The tests themselves may run inside a session.
beforeEach(() => {
  vi.stubEnv("CLAUDECODE", undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
});

/** A call that has answered ends its process on its own time. */
function allGone(): Promise<true> {
  return until(() => processes().length === 0);
}

function refused(model: string, options?: ClaudeCliProviderOptions): HawserError {
  try {
    new ClaudeCliProvider(model, options);
  } catch (error) {
    return error as HawserError;
  }
  throw new Error("it was not refused");
}

describe("ClaudeCliProvider inside a session of the CLI", () => {
  it.each(["1", "0", ""])("is refused, before its model is looked at: CLAUDECODE=%j", (value) => {
    vi.stubEnv("CLAUDECODE", value);
    expect(refused("no such model")).toMatchObject({ code: "nested_session", retryable: false });
    expect(refused("opus", { inheritEnv: false }).code).toBe("nested_session");
  });

  it("is refused also if only its own environment says so", () => {
    expect(refused("opus", { env: { CLAUDECODE: "" } }).code).toBe("nested_session");
  });

  it("is made if `nested` says so, or if its own environment takes the variable away", () => {
    vi.stubEnv("CLAUDECODE", "1");
    expect(new ClaudeCliProvider("opus", { nested: "strip" }).model).toBe("claude-opus-4-6");
    expect(new ClaudeCliProvider("opus", { nested: "inherit" }).model).toBe("claude-opus-4-6");
    const env = { CLAUDECODE: undefined };
    expect(new ClaudeCliProvider("opus", { env }).model).toBe("claude-opus-4-6");
    expect(refused("opus", { nested: "error" }).code).toBe("nested_session");
  });

  it("answers there, if it is made", async () => {
    vi.stubEnv("CLAUDECODE", "1");
    const { options } = await world(NEWEST_CLI, ["ok"]);
    const provider = new ClaudeCliProvider("opus", { ...options, nested: "strip" });
    expect(await provider.complete("s", "u")).toBe("ok");
  });
});

describe("the model of ClaudeCliProvider", () => {
  it.each([
    ["opus", "claude-opus-4-6"],
    ["sonnet", "claude-sonnet-4-6"],
    ["haiku", "claude-haiku-4-5-20251001"],
    ["claude-custom-model", "claude-custom-model"],
    ["us.anthropic.claude-opus-4-6-v1:0", "us.anthropic.claude-opus-4-6-v1:0"],
  ])("%s is the name of the model %s", (given, id) => {
    const provider = new ClaudeCliProvider(given);
    expect([provider.name, provider.model]).toEqual(["claude-cli", id]);
  });

  it.each(["invalid", "", "gpt-5", "Opus", "claude", "constructor", "__proto__"])(
    "%j is refused when the provider is made, with the names that it could be",
    (given) => {
      expect(refused(given)).toMatchObject({
        code: "auth",
        message: `${JSON.stringify(given)} is not the name of a known model.`,
        hint: expect.stringContaining("one of opus, sonnet, haiku, or a model id"),
      });
    },
  );

  it("is looked up in the table that is given, in place of the documents'", () => {
    const modelAliases = { judge: "claude-opus-4-8", local: "llama" };
    expect(new ClaudeCliProvider("judge", { modelAliases }).model).toBe("claude-opus-4-8");
    expect(new ClaudeCliProvider("local", { modelAliases }).model).toBe("llama");
    expect(refused("opus", { modelAliases }).hint).toContain("one of judge, local, or");
    const both = { ...CLAUDE_CLI_MODEL_ALIASES, ...modelAliases };
    expect(new ClaudeCliProvider("opus", { modelAliases: both }).model).toBe("claude-opus-4-6");
    expect(refused("opus", { modelAliases: {} }).hint).toMatch(/^Use a model id/);
  });
});

describe("what ClaudeCliProvider is told", () => {
  it.each([
    ["an unknown option", { modle: "opus" }, "invalid_options"],
    ["an option of the wrong kind", { cwd: 5 }, "invalid_options"],
    ["an option that it sets itself", { systemPrompt: "x" }, "not_supported"],
    ["a schema, whose value it could not give", { schema: { type: "object" } }, "not_supported"],
  ])("is refused when it is made: %s", (_what, options, code) => {
    expect(refused("opus", options as ClaudeCliProviderOptions).code).toBe(code);
  });

  it.each<[string, string]>([
    ["max_tokens", "Use `maxTokens`."],
    ["temprature", "Use `temperature`."],
    ["timeouts", "Give `timeouts` to the constructor: it holds for all calls."],
    ["max_turns", "Give `maxTurns` to the constructor: it holds for all calls."],
    ["knots", "Leave it out."],
  ])(
    "is refused before anything is started: %s, with a hint that says what to write",
    async (name, hint) => {
      const provider = new ClaudeCliProvider("opus", { cliPath: "/no/such/cli", nested: "strip" });
      await expect(
        provider.complete("s", "u", { [name]: 1 } as CompletionConfig),
      ).rejects.toMatchObject({
        code: "invalid_options",
        message: expect.stringContaining(`${name} is not known to a call of the provider`),
        hint,
      });
    },
  );

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    "is refused before anything is started: maxTokens %d",
    async (maxTokens) => {
      const cli = await fakeCli();
      onTestFinished(() => cli.dispose());
      const provider = new ClaudeCliProvider("opus", { cliPath: cli.path });
      await expect(provider.complete("s", "u", { maxTokens })).rejects.toMatchObject({
        code: "invalid_options",
        issues: [{ path: "maxTokens", message: "must be an integer of at least 1" }],
      });
      expect(await cli.recorded()).toEqual([]);
    },
  );

  it("is refused as a prompt if it is blank", async () => {
    const provider = new ClaudeCliProvider("opus", { cliPath: "/no/such/claude" });
    await expect(provider.complete("s", " \n")).rejects.toMatchObject({ code: "invalid_options" });
  });

  it("of time limits is only the one of the start, unless others are given", async () => {
    const limits = [60_000, 120_000, 300_000, 600_000];
    const seen = async (call: () => Promise<unknown>) => {
      const spy = vi.spyOn(globalThis, "setTimeout");
      await call();
      const delays = new Set(spy.mock.calls.map(([, delay]) => delay));
      spy.mockRestore();
      return limits.filter((limit) => delays.has(limit));
    };
    const { options } = await world(NEWEST_CLI, always("ok"));
    const provider = new ClaudeCliProvider("opus", options);
    expect(await seen(() => provider.complete("s", "u"))).toEqual([60_000]);
    expect(await seen(() => complete("u", options))).toEqual(limits);
    const timeouts = { totalMs: 600_000 };
    const limited = new ClaudeCliProvider("opus", { ...options, timeouts });
    expect(await seen(() => limited.complete("s", "u"))).toEqual([60_000, 600_000]);
  });
});

describe.each(clisInTurn())("ClaudeCliProvider on the real CLI $name", ({ path }) => {
  it("gives the model the two prompts, and nothing else", async () => {
    const { model, options } = await world(path, ["Approved."]);
    const provider = new ClaudeCliProvider("sonnet", options);
    expect(await provider.complete("You review knots.", "Is this one safe?")).toBe("Approved.");
    const [call] = model.calls;
    expect(call).toMatchObject({
      model: "claude-sonnet-4-6",
      prompt: "Is this one safe?",
      tools: [],
    });
    expect(call?.system).toContain("You review knots.");
    expect(JSON.stringify(call?.body).length).toBeLessThan(3000);
    await allGone();
  });

  it.each([
    ["has the line ends of Windows", "one\r\ntwo\r\n\r\nthree\r\n"],
    ["is a slash command", "/clear"],
    ["names a file", "@/etc/hostname"],
    ["looks like a flag", "--model opus"],
    ["would mean something to a shell", "$(touch made) `id` \"x\" 'y' ; & | \\"],
    ["has blanks around it", "  \t a\u2028b \n"],
  ])("sends a prompt as it is that %s", async (_what, prompt) => {
    const { model, options } = await world(path, ["ok"]);
    const provider = new ClaudeCliProvider("haiku", options);
    expect(await provider.complete(prompt, prompt)).toBe("ok");
    expect(model.calls.length).toBe(1);
    expect(model.calls[0]?.prompt).toBe(prompt);
    expect(model.calls[0]?.system).toContain(prompt.trim());
  });

  it("sends an empty system prompt as none", async () => {
    const { model, options } = await world(path, ["ok"]);
    await new ClaudeCliProvider("opus", options).complete("", "Hello.");
    expect(model.calls[0]?.system.length).toBeLessThan(300);
  });

  it("sends prompts that are too long for a command line", async () => {
    const { model, options } = await world(path, ["ok"]);
    const [system, user] = ["rope ".repeat(60_000), "knot ".repeat(60_000)];
    expect(await new ClaudeCliProvider("opus", options).complete(system, user)).toBe("ok");
    const body = JSON.stringify(model.calls[0]?.body);
    expect([body.includes(system.trim()), body.includes(user.trim())]).toEqual([true, true]);
  });

  it("shows no prompt on a command line, and is gone with its process when it is aborted", async () => {
    await allGone();
    const { model, options } = await world(path, always(hang()));
    const controller = new AbortController();
    const answer = new ClaudeCliProvider("opus", options).complete("secret-system", "secret-user", {
      signal: controller.signal,
    });
    const failed = expect(answer).rejects.toMatchObject({ code: "aborted", reason: "enough" });
    await model.waitFor((request) => request.kind === "call");
    const [cli] = processes();
    const commands = treeOf(cli?.pid ?? 0).map(({ command }) => command);
    expect(commands[0]).toContain("--model=claude-opus-4-6");
    expect(commands.join("\n")).not.toMatch(/secret-/);
    controller.abort("enough");
    await failed;
    expect(processes()).toEqual([]);
  });

  it.each([
    ["a fence of JSON", '```json\n{"vote": "approve"}\n```', '{"vote": "approve"}'],
    ["JSON that holds JSON", '{"vote": "{\\"a\\": 1}"}', '{"vote": "{\\"a\\": 1}"}'],
    ["a fence between words", "See:\n```\nx\n```\nDone.", "See:\n```\nx\n```\nDone."],
    ["nothing", "", ""],
  ])("gives the answer without an outer fence: %s", async (_what, answer, expected) => {
    const { options } = await world(path, always(answer));
    expect((await new ClaudeCliProvider("opus", options).complete("s", "u")).trim()).toBe(expected);
  });

  it.each(["opus", "sonnet", "haiku"])("limits the tokens of an answer of %s", async (name) => {
    const { model, options } = await world(path, ["ok"]);
    const provider = new ClaudeCliProvider(name, options);
    expect(await provider.complete("s", "u", { maxTokens: 900 })).toBe("ok");
    expect(model.calls[0]?.body).toMatchObject({
      max_tokens: 900,
      thinking: { type: "disabled" },
    });
  });

  it("has failed if the answer needs more tokens, however the CLI goes on", async () => {
    const part = maxTokens("part ", { usage: { output_tokens: 900 } });
    const end = reply("end", { usage: { output_tokens: 3 } });
    const { model, options } = await world(path, [part, end, part, part, part, part]);
    const provider = new ClaudeCliProvider("opus", options);
    await expect(provider.complete("s", "u", { maxTokens: 900 })).rejects.toMatchObject({
      code: "max_output_tokens",
      message: "The answer has 903 tokens, and `maxTokens` is 900.",
      sessionId: expect.any(String),
    });
    await expect(provider.complete("s", "u", { maxTokens: 900 })).rejects.toMatchObject({
      code: "max_output_tokens",
      partialText: "part part part part ",
    });
    model.assertDone();
  });

  it("says once that it cannot set a temperature, and answers", async () => {
    const { options } = await world(path, always("ok"));
    const { logger, entries } = recordingLogger();
    const provider = new ClaudeCliProvider("opus", { ...options, logger });
    expect(await provider.complete("s", "u", { temperature: 0 })).toBe("ok");
    expect(await provider.complete("s", "u", { temperature: 0.7 })).toBe("ok");
    const told = entries.filter(({ message }) => message.includes("temperature"));
    expect(told.map(({ level }) => level)).toEqual(["warn"]);
  });

  it("serves a council of three at once, each with its own model", async () => {
    const names = ["opus", "sonnet", "haiku"];
    let arrived = 0;
    let letAllGo = () => {};
    const allArrived = new Promise<void>((resolve) => {
      letAllGo = resolve;
    });
    const { model, options } = await world(path, async (call) => {
      arrived += 1;
      if (arrived === names.length) letAllGo();
      await allArrived;
      return `${call.model} on ${call.prompt}`;
    });
    const council = names.map((name) => new ClaudeCliProvider(name, options));
    const votes = council.map((each) => each.complete(`You are ${each.model}.`, each.model));
    expect(await Promise.all(votes)).toEqual(
      council.map((each) => `${each.model} on ${each.model}`),
    );
    for (const call of model.calls) expect(call.system).toContain(`You are ${call.prompt}.`);
    await allGone();
  });

  it("gives no half of an answer where options let it use tools", async () => {
    const call = () => ["Working. ", toolUse("Bash", { command: "echo x", description: "d" })];
    const { options } = await world(path, always(call()));
    const tools = { tools: ["Bash"], allowedTools: ["Bash"], maxTurns: 2 };
    const provider = new ClaudeCliProvider("opus", { ...options, ...tools });
    await expect(provider.complete("s", "u", { maxTokens: 1000 })).rejects.toMatchObject({
      code: "max_turns",
      message: "The limit of rounds (maxTurns) was reached before the answer was complete.",
      partialText: "Working. Working. ",
      sessionId: expect.any(String),
    });
  });
});
