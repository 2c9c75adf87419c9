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
import { always, type FakeCli, fakeCli, hang, maxTokens, reply } from "../../src/testing/index.js";
import { clisInTurn, FULL } from "../support/cli.js";
import { treeOf, until } from "../support/proc.js";
import { recordingLogger } from "../support/recording-logger.js";
import { sharedWorld } from "../support/shared-world.js";
import { world } from "../support/world.js";

// The tests themselves may run inside a session of the CLI.
beforeEach(() => {
  vi.stubEnv("CLAUDECODE", undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
});

/** The process of a call ends after the answer. */
function allGone(): Promise<true> {
  return until(() => processes().length === 0);
}

/** A CLI that answers every prompt with "ok". */
async function answering(): Promise<FakeCli> {
  const cli = await fakeCli({ steps: [{ on: "user", times: "always", do: [{ turn: "ok" }] }] });
  onTestFinished(() => cli.dispose());
  return cli;
}

function refused(model: string, options?: ClaudeCliProviderOptions): HawserError {
  try {
    new ClaudeCliProvider(model, options);
  } catch (error) {
    return error as HawserError;
  }
  throw new Error("The provider was not refused.");
}

describe("ClaudeCliProvider inside a Claude Code session", () => {
  it.each(["1", "0", ""])(
    "throws nested_session before it checks the model: CLAUDECODE=%j",
    (value) => {
      vi.stubEnv("CLAUDECODE", value);
      expect(refused("no such model")).toMatchObject({ code: "nested_session", retryable: false });
      expect(refused("opus", { inheritEnv: false }).code).toBe("nested_session");
    },
  );

  it("throws nested_session also if only the option env has CLAUDECODE", () => {
    expect(refused("opus", { env: { CLAUDECODE: "" } }).code).toBe("nested_session");
  });

  it("can be created with nested, or with an env that removes CLAUDECODE", () => {
    vi.stubEnv("CLAUDECODE", "1");
    expect(new ClaudeCliProvider("opus", { nested: "strip" }).model).toBe("claude-opus-4-6");
    expect(new ClaudeCliProvider("opus", { nested: "inherit" }).model).toBe("claude-opus-4-6");
    const env = { CLAUDECODE: undefined };
    expect(new ClaudeCliProvider("opus", { env }).model).toBe("claude-opus-4-6");
    expect(refused("opus", { nested: "error" }).code).toBe("nested_session");
  });

  it("answers with nested: strip", async () => {
    vi.stubEnv("CLAUDECODE", "1");
    const { path } = await answering();
    const provider = new ClaudeCliProvider("opus", { cliPath: path, nested: "strip" });
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
  ])("%s becomes the model id %s", (given, id) => {
    const provider = new ClaudeCliProvider(given);
    expect([provider.name, provider.model]).toEqual(["claude-cli", id]);
  });

  it.each(["invalid", "", "gpt-5", "Opus", "claude", "constructor", "__proto__"])(
    "%j is refused by the constructor, with the known names in the hint",
    (given) => {
      expect(refused(given)).toMatchObject({
        code: "auth",
        message: `${JSON.stringify(given)} is not the name of a known model.`,
        hint: expect.stringContaining("one of opus, sonnet, haiku, or a model id"),
      });
    },
  );

  it("is looked up in modelAliases in place of the default table", () => {
    const modelAliases = { judge: "claude-opus-4-8", local: "llama" };
    expect(new ClaudeCliProvider("judge", { modelAliases }).model).toBe("claude-opus-4-8");
    expect(new ClaudeCliProvider("local", { modelAliases }).model).toBe("llama");
    expect(refused("opus", { modelAliases }).hint).toContain("one of judge, local, or");
    const both = { ...CLAUDE_CLI_MODEL_ALIASES, ...modelAliases };
    expect(new ClaudeCliProvider("opus", { modelAliases: both }).model).toBe("claude-opus-4-6");
    expect(refused("opus", { modelAliases: {} }).hint).toMatch(/^Use a model id/);
  });
});

describe("the options of ClaudeCliProvider", () => {
  it.each([
    ["an unknown option", { modle: "opus" }, "invalid_options"],
    ["an option of the wrong kind", { cwd: 5 }, "invalid_options"],
    ["an option that the provider sets itself", { systemPrompt: "x" }, "not_supported"],
    ["a schema", { schema: { type: "object" } }, "not_supported"],
  ])("are refused by the constructor: %s", (_what, options, code) => {
    expect(refused("opus", options as ClaudeCliProviderOptions).code).toBe(code);
  });

  it.each<[string, string]>([
    ["max_tokens", "Use `maxTokens`."],
    ["temprature", "Use `temperature`."],
    ["timeouts", "Give `timeouts` to the constructor: it holds for all calls."],
    ["max_turns", "Give `maxTurns` to the constructor: it holds for all calls."],
    ["knots", "Leave it out."],
  ])(
    "of a call are refused before a process starts: %s, with the right name in the hint",
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
    "of a call are refused before a process starts: maxTokens %d",
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

  it("set no time limit except for the start, unless timeouts is given", async () => {
    const limits = [60_000, 120_000, 300_000, 600_000];
    const seen = async (call: () => Promise<unknown>) => {
      const spy = vi.spyOn(globalThis, "setTimeout");
      await call();
      const delays = new Set(spy.mock.calls.map(([, delay]) => delay));
      spy.mockRestore();
      return limits.filter((limit) => delays.has(limit));
    };
    const options = { cliPath: (await answering()).path };
    const provider = new ClaudeCliProvider("opus", options);
    expect(await seen(() => provider.complete("s", "u"))).toEqual([60_000]);
    expect(await seen(() => complete("u", options))).toEqual(limits);
    const timeouts = { totalMs: 600_000 };
    const limited = new ClaudeCliProvider("opus", { ...options, timeouts });
    expect(await seen(() => limited.complete("s", "u"))).toEqual([60_000, 600_000]);
  });
});

const LITERAL: [string, string][] = [
  ["has Windows line ends", "one\r\ntwo\r\n\r\nthree\r\n"],
  ["is a slash command", "/clear"],
  ["names a file", "@/etc/hostname"],
  ["looks like a flag", "--model opus"],
  ["has a meaning in a shell", "$(touch made) `id` \"x\" 'y' ; & | \\"],
  ["has whitespace around it", "  \t a\u2028b \n"],
];

describe.each(clisInTurn())("ClaudeCliProvider on a pooled process, real CLI $name", ({ path }) => {
  const shared = sharedWorld(path);
  const ask = (prompt: string) =>
    new ClaudeCliProvider("opus", { ...shared.options, pool: shared.pool() }).complete("s", prompt);

  it.each(LITERAL)("sends a prompt literally that %s", async (_what, prompt) => {
    shared.script("ok");
    expect(await ask(prompt)).toBe("ok");
    expect(shared.calls.length).toBe(1);
    expect(shared.calls[0]?.prompt).toBe(prompt);
  });

  it.each([
    ["a fence of JSON", '```json\n{"vote": "approve"}\n```', '{"vote": "approve"}'],
    ["JSON that holds JSON", '{"vote": "{\\"a\\": 1}"}', '{"vote": "{\\"a\\": 1}"}'],
    ["a fence between words", "See:\n```\nx\n```\nDone.", "See:\n```\nx\n```\nDone."],
    ["nothing", "", ""],
  ])("gives the answer without an outer code fence: %s", async (_what, answer, expected) => {
    shared.script(always(answer));
    expect((await ask("u")).trim()).toBe(expected);
  });
});

describe.each(clisInTurn())("ClaudeCliProvider on the real CLI $name", ({ path }) => {
  it("sends the two prompts literally, and nothing else", async () => {
    const { model, options } = await world(path, ["Approved."]);
    const provider = new ClaudeCliProvider("sonnet", options);
    const weird = LITERAL.map(([, text]) => text.trim()).join(" ");
    expect(await provider.complete(`Review knots. ${weird}`, "/safe?")).toBe("Approved.");
    const [call] = model.calls;
    expect(call).toMatchObject({ model: "claude-sonnet-4-6", prompt: "/safe?", tools: [] });
    expect(call?.system).toContain(`Review knots. ${weird}`);
    expect(JSON.stringify(call?.body).length).toBeLessThan(3000);
    await allGone();
  });

  it("sends no system prompt if it is empty", async () => {
    const { model, options } = await world(path, ["ok"]);
    await new ClaudeCliProvider("opus", options).complete("", "Hello.");
    expect(model.calls[0]?.system.length).toBeLessThan(300);
  });

  it("shows no prompt on a command line, and ends its process when it is aborted", async () => {
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

  it.each(FULL ? ["opus", "sonnet", "haiku"] : ["haiku"])(
    "limits the output tokens of %s to maxTokens",
    async (name) => {
      const { model, options } = await world(path, ["ok"]);
      const provider = new ClaudeCliProvider(name, options);
      expect(await provider.complete("s", "u", { maxTokens: 900 })).toBe("ok");
      expect(model.calls[0]?.body).toMatchObject({
        max_tokens: 900,
        thinking: { type: "disabled" },
      });
    },
  );

  it("rejects with max_output_tokens if the answer exceeds maxTokens, also after the CLI continued", async () => {
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

  it("serves a council of three at the same time, each with its own model", async () => {
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
});

describe("ClaudeCliProvider on a fake CLI", () => {
  it("refuses a blank prompt with invalid_options", async () => {
    const provider = new ClaudeCliProvider("opus", { cliPath: "/no/such/claude" });
    await expect(provider.complete("s", " \n")).rejects.toMatchObject({ code: "invalid_options" });
  });

  it("sends prompts that are too long for a command line", async () => {
    const cli = await answering();
    const [system, user] = ["rope ".repeat(60_000), "knot ".repeat(60_000)];
    const provider = new ClaudeCliProvider("opus", { cliPath: cli.path });
    expect(await provider.complete(system, user)).toBe("ok");
    const lines = (await cli.recorded()).flatMap((each) => each.lines).join("\n");
    expect([lines.includes(system.trim()), lines.includes(user.trim())]).toEqual([true, true]);
  });

  it("warns once that it cannot set a temperature, and answers", async () => {
    const { path } = await answering();
    const { logger, entries } = recordingLogger();
    const provider = new ClaudeCliProvider("opus", { cliPath: path, logger });
    expect(await provider.complete("s", "u", { temperature: 0 })).toBe("ok");
    expect(await provider.complete("s", "u", { temperature: 0.7 })).toBe("ok");
    const told = entries.filter(({ message }) => message.includes("temperature"));
    expect(told.map(({ level }) => level)).toEqual(["warn"]);
  });

  it("rejects with max_turns instead of giving half an answer", async () => {
    const limit = { subtype: "error_max_turns", is_error: true, errors: ["limit"], result: null };
    await using cli = await fakeCli({
      steps: [{ on: "user", do: [{ init: {} }, { assistant: "Working. " }, { result: limit }] }],
    });
    const tools = { tools: ["Bash"], allowedTools: ["Bash"], maxTurns: 2 };
    const provider = new ClaudeCliProvider("opus", { cliPath: cli.path, ...tools });
    await expect(provider.complete("s", "u", { maxTokens: 1000 })).rejects.toMatchObject({
      code: "max_turns",
      message: "The limit of rounds (maxTurns) was reached before the answer was complete.",
      partialText: "Working. ",
      sessionId: expect.any(String),
    });
  });
});
