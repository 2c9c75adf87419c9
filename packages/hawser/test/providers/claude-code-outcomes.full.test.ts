import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { processes } from "../../src/process/index.js";
import { ClaudeCodeProvider, toOmegaError } from "../../src/providers/index.js";
import {
  type Action,
  always,
  apiError,
  type FakeCli,
  fakeCli,
  reply,
  type Step,
  toolUse,
} from "../../src/testing/index.js";
import { clisInTurn, FULL } from "../support/cli.js";
import { stillAlive, treeOf, until } from "../support/proc.js";
import { recordingLogger } from "../support/recording-logger.js";
import { startsOf } from "../support/starts.js";
import { context, failureOf, onFake, place, tinyServer } from "./omega.helper.js";

const ONCE = { maxResumeAttempts: 0 };
const turn = (...actions: Action[]): Step[] => [{ on: "user", do: [{ init: {} }, ...actions] }];
const limit = (subtype: string): Action => ({
  result: { subtype, is_error: true, result: null, errors: ["Reached the limit"] },
});

describe("ClaudeCodeProvider.complete() and the result of the CLI", () => {
  it.each<[string, string, Action[], string]>([
    ["text", "no error", [{ result: { result: "Words." } }], "Words."],
    [
      "text so far",
      "a limit of turns",
      [{ assistant: "So far." }, limit("error_max_turns")],
      "So far.",
    ],
    [
      "text so far",
      "a limit of budget",
      [{ assistant: "So far." }, limit("error_max_budget_usd")],
      "So far.",
    ],
    [
      "no text",
      "a limit of turns",
      [limit("error_max_turns")],
      "Error from Claude: error_max_turns",
    ],
    [
      "no text",
      "a limit of budget",
      [limit("error_max_budget_usd")],
      "Error from Claude: error_max_budget_usd",
    ],
    ["no text", "no error", [{ result: { result: "" } }], "(No response text returned)"],
    ["blanks", "no error", [{ result: { result: " \n" } }], "(No response text returned)"],
  ])("gives a message for a result with %s and %s", async (_text, _error, actions, expected) => {
    const provider = await onFake(turn(...actions), ONCE);
    expect((await provider.complete(context())).text).toBe(expected);
  });

  it.each<[string, Action, string]>([
    ["text", { result: { is_error: true, result: "API Error: 500" } }, "api_error"],
    ["no text", { result: { is_error: true, result: "" } }, "api_error"],
    [
      "no text and the subtype error_during_execution",
      { result: { subtype: "error_during_execution", is_error: true, result: null } },
      "process_exited",
    ],
  ])("throws for a failed result with %s", async (_text, action, code) => {
    const provider = await onFake(turn(action), ONCE);
    expect((await failureOf(provider.complete(context()))).code).toBe(code);
  });

  it("logs a warning if the answer may be incomplete", async () => {
    const { logger, entries } = recordingLogger();
    const provider = await onFake(turn(limit("error_max_turns")), { ...ONCE, logger });
    await provider.complete(context());
    expect(entries).toContainEqual({
      level: "warn",
      message: "the answer may be incomplete",
      fields: { stop: "max_turns", sessionId: expect.any(String) },
    });
  });
});

describe.each(clisInTurn())("ClaudeCodeProvider.complete() on the real CLI $name", ({ path }) => {
  it("gives the documented text for an answer without text", async () => {
    const { provider } = await place(path, always(reply([])), ONCE);
    expect((await provider.complete(context())).text).toBe("(No response text returned)");
  });

  it("throws a failure of the API instead of giving it as text", async () => {
    const { provider } = await place(path, always(apiError(500)), {
      ...ONCE,
      retry: { cliRetries: 0 },
    });
    const error = await failureOf(provider.complete(context()));
    expect(error).toMatchObject({ code: "api_error", apiStatus: 500 });
    expect(toOmegaError(error).message).toMatch(/^claude CLI exited with .*: API Error: 500/);
  });

  it("throws auth without a login", async () => {
    const { provider, model } = await place(path, [], ONCE, {
      extra: { ANTHROPIC_API_KEY: undefined },
    });
    const error = await failureOf(provider.complete(context()));
    expect(error.code).toBe("auth");
    expect(toOmegaError(error).message).toMatch(/^claude CLI exited with .*Not logged in/);
    expect(model.calls).toEqual([]);
  });
});

describe("ClaudeCodeProvider.complete() that is ended, on a fake CLI", () => {
  const silent = turn();

  it("throws timeout at timeoutMs, with friendly words", async () => {
    const provider = await onFake(silent, { ...ONCE, timeoutMs: 4000 });
    const error = await failureOf(provider.complete(context()));
    expect(error).toMatchObject({ code: "timeout", phase: "total", resumable: true });
    expect(toOmegaError(error).message).toContain("Claude took too long");
    expect(processes()).toEqual([]);
  });

  it.each(["of the provider", "of the call"])("throws aborted by the signal %s", async (whose) => {
    const controller = new AbortController();
    const own = whose === "of the provider";
    const { signal: never } = new AbortController();
    await using cli = await fakeCli({ steps: silent });
    const provider = new ClaudeCodeProvider({
      ...ONCE,
      cliPath: cli.path,
      closeGraceMs: 500,
      signal: own ? controller.signal : never,
    });
    const signal = own ? never : controller.signal;
    const failed = failureOf(provider.complete(context(), { signal }));
    await until(async () =>
      (await startsOf(cli)).some(({ lines }) => lines.some((line) => line.includes('"user"'))),
    );
    controller.abort("no longer needed");
    expect(await failed).toMatchObject({ code: "aborted", reason: "no longer needed" });
    expect(processes()).toEqual([]);
  });
});

describe.each(clisInTurn())("timeoutMs of ClaudeCodeProvider on the real CLI $name", ({ path }) => {
  it.each(FULL ? [false, true] : [false])(
    "ends the Bash tool, its background job and the MCP server (rawText %s)",
    async (rawText) => {
      const command = "tail -f /dev/null & touch begun work.log; tail -f ./work.log";
      const bash = toolUse("Bash", { command, description: "d" });
      const own = { ...ONCE, rawText, timeoutMs: 20_000 };
      const { provider, cwd } = await place(path, [bash], own);
      const mcpServers = [tinyServer(cwd, "tiny")];
      const failed = failureOf(provider.complete(context({ mcpServers })));
      await until(() => existsSync(join(cwd, "begun")));
      const tree = treeOf(processes()[0]?.pid ?? 0);
      for (const words of ["tail -f /dev/null", "tail -f ./work.log", "server.mjs tiny"]) {
        expect(tree.map((each) => each.command)).toContainEqual(expect.stringContaining(words));
      }
      expect(await failed).toMatchObject({ code: "timeout", phase: "total" });
      expect(stillAlive(tree)).toEqual([]);
      expect(processes()).toEqual([]);
    },
  );
});

describe("the private file with the mcpServers of a context", () => {
  const secret = { name: "a", command: "x", env: { API_TOKEN: "sk-ant-of-the-test" } };
  /** A file that the CLI has read is removed once it answers initialize. */
  const waiting: Step[] = [
    { on: "initialize", do: [{ hang: true }] },
    { on: "user", do: [{ hang: true }] },
  ];

  const fileOf = async (cli: FakeCli) => {
    const argv = (await startsOf(cli)).at(-1)?.argv ?? [];
    const at = argv.indexOf("--mcp-config");
    return at === -1 ? undefined : argv[at + 1];
  };

  it("is removed when the call has its answer", async () => {
    await using cli = await fakeCli();
    const provider = new ClaudeCodeProvider({ ...ONCE, cliPath: cli.path });
    await provider.complete(context({ mcpServers: [secret] }));
    const file = (await fileOf(cli)) ?? "";
    expect(isAbsolute(file)).toBe(true);
    expect(existsSync(dirname(file))).toBe(false);
  });

  it.each(["a time limit", "a signal"])("is removed when the call was ended by %s", async (by) => {
    await using cli = await fakeCli({ steps: waiting });
    const controller = new AbortController();
    const timeouts = by === "a time limit" ? { timeouts: { bootMs: 5000 } } : {};
    const provider = new ClaudeCodeProvider({
      ...ONCE,
      cliPath: cli.path,
      closeGraceMs: 200,
      ...timeouts,
    });
    const { signal } = controller;
    const failed = failureOf(provider.complete(context({ mcpServers: [secret] }), { signal }));
    const file = await until(() => fileOf(cli));
    expect(readFileSync(file, "utf8")).toContain("sk-ant-of-the-test");
    if (by === "a signal") controller.abort();
    expect((await failed).code).toBe(by === "a time limit" ? "timeout" : "aborted");
    expect(existsSync(dirname(file))).toBe(false);
  });
});

describe("toOmegaError() for a CLI that cannot be run", () => {
  it("has the documented words for a missing executable", async () => {
    const provider = new ClaudeCodeProvider({ cliPath: "/no/such/cli" });
    const error = await failureOf(provider.complete(context()));
    expect(error.code).toBe("cli_not_found");
    expect(toOmegaError(error).message).toMatch(/^failed to run claude CLI: .*\/no\/such\/cli/);
  });

  it("names a missing workingDir", async () => {
    const provider = await onFake([], { workingDir: "/no/such/folder" });
    const error = await failureOf(provider.complete(context()));
    expect(error.code).toBe("cwd_not_found");
    expect(toOmegaError(error).message).toMatch(/^failed to run claude CLI: .*\/no\/such\/folder/);
  });

  it("has the exit status and the stderr of the CLI", async () => {
    const provider = await onFake([
      { on: "start", do: [{ stderr: "error: out of rope\n" }, { exit: 2 }] },
    ]);
    const error = await failureOf(provider.complete(context()));
    expect(toOmegaError(error).message).toBe(
      "claude CLI exited with exit status: 2: error: out of rope",
    );
  });
});

describe("ClaudeCodeProvider inside a Claude Code session", () => {
  it("removes CLAUDECODE, or throws nested_session with nested: error", async () => {
    vi.stubEnv("CLAUDECODE", "1");
    try {
      await using cli = await fakeCli();
      const provider = new ClaudeCodeProvider({ cliPath: cli.path });
      expect((await provider.complete(context())).text).toBe("ok");
      const envs = (await cli.recorded()).map(({ env }) => env["CLAUDECODE"]);
      expect(envs.at(-1)).toBeUndefined();
      const strict = new ClaudeCodeProvider({ cliPath: cli.path, nested: "error" });
      expect((await failureOf(strict.complete(context()))).code).toBe("nested_session");
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe("ClaudeCodeProvider on a program that prints text instead of messages", () => {
  const raw = { ...ONCE, rawText: true };
  const words = "Just words,\n[on two] lines.";
  const prints = (text: string, exit: number): Step[] => [
    { on: "user", do: [{ write: `${text}\n` }, { exit }] },
  ];

  it("throws process_exited without rawText", async () => {
    const provider = await onFake(prints(words, 0), ONCE);
    expect(await failureOf(provider.complete(context()))).toMatchObject({
      code: "process_exited",
      exitCode: 0,
    });
  });

  it("gives the text with rawText: true, and logs it", async () => {
    const { logger, entries } = recordingLogger();
    const provider = await onFake(prints(words, 0), { ...raw, logger });
    expect(await provider.complete(context())).toEqual({
      text: words,
      metadata: {
        providerUsed: "claude-code",
        tokensUsed: undefined,
        processingTimeMs: expect.any(Number),
        model: undefined,
        sessionId: undefined,
        costUsd: undefined,
        turns: undefined,
        resumes: 0,
        texts: [words],
      },
      replyTarget: undefined,
    });
    expect(entries.map(({ message }) => message)).toContain(
      "the CLI printed no JSON, so its output is used as the answer",
    );
    expect(processes()).toEqual([]);
  });

  it("gives text with rawText that was printed before the prompt", async () => {
    const steps: Step[] = [{ on: "start", do: [{ write: words }, { exit: 0 }] }];
    const provider = await onFake(steps, raw);
    expect((await provider.complete(context())).text).toBe(words);
  });

  it("gives JSON with rawText that is not a message", async () => {
    const provider = await onFake(prints('{"answer": 42}', 0), raw);
    expect((await provider.complete(context())).text).toBe('{"answer": 42}');
  });

  /** A program that knows neither the protocol nor the version flag of the CLI. */
  const program = (...lines: string[]) => {
    const folder = mkdtempSync(join(tmpdir(), "hawser-raw-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const cliPath = join(folder, "words");
    writeFileSync(cliPath, ["#!/bin/sh", ...lines, ""].join("\n"));
    chmodSync(cliPath, 0o755);
    return new ClaudeCodeProvider({ ...raw, cliPath });
  };

  it("gives the text of a program with rawText that prints no version", async () => {
    const provider = program("echo 'Just words.'");
    expect((await provider.complete(context())).text).toBe("Just words.");
    expect(await provider.isAvailable()).toBe(true);
  });

  it("ends the input of a program with rawText after the prompt", async () => {
    const provider = program("last=$(tail -n 1)", `printf 'It said: %s' "$last"`);
    const { text } = await provider.complete(context({ currentMessage: "Name a knot." }));
    expect(text).toMatch(/^It said: \{"type":"user".*Name a knot\./);
    expect(processes()).toEqual([]);
  });

  it("throws with rawText if the program exits with an error code after its text", async () => {
    const provider = program(
      '[ "$1" = -v ] && exit',
      "cat > /dev/null",
      "echo 'Out of rope.'",
      "exit 3",
    );
    expect((await failureOf(provider.complete(context()))).exitCode).toBe(3);
  });

  it.each<[string, Step[]]>([
    ["exits with a failure", prints(words, 3)],
    ["prints nothing", prints("", 0)],
    [
      "sends messages and exits before the result",
      turn({ assistant: "half an" }, { write: "noise\n" }, { exit: 0 }),
    ],
  ])("throws process_exited with rawText if the program %s", async (_what, steps) => {
    const provider = await onFake(steps, raw);
    expect((await failureOf(provider.complete(context()))).code).toBe("process_exited");
  });

  it("throws cli_not_found and cwd_not_found with rawText too", async () => {
    const provider = new ClaudeCodeProvider({ ...raw, cliPath: "/no/such/cli" });
    const error = await failureOf(provider.complete(context()));
    expect(error.code).toBe("cli_not_found");
    expect(error.message).toContain("cliPath");
    const nowhere = await onFake([], { ...raw, workingDir: "/no/such/folder" });
    expect((await failureOf(nowhere.complete(context()))).code).toBe("cwd_not_found");
  });
});

describe.each(clisInTurn())("rawText: true on the real CLI $name", ({ path }) => {
  it("changes nothing for a CLI that sends messages", async () => {
    const { provider, model } = await place(path, ["A bowline."], { ...ONCE, rawText: true });
    const message = await provider.complete(context({ systemPrompt: "You tie knots." }));
    expect(message.text).toBe("A bowline.");
    expect(message.metadata.sessionId).toMatch(/^[0-9a-f-]{36}$/);
    expect(model.calls[0]?.system).toContain("You tie knots.");
    expect(processes()).toEqual([]);
  });
});
