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
  hang,
  reply,
  type Step,
  toolUse,
} from "../../src/testing/index.js";
import { clisInTurn, NEWEST_CLI } from "../support/cli.js";
import { stillAlive, treeOf, until } from "../support/proc.js";
import { recordingLogger } from "../support/recording-logger.js";
import { startsOf } from "../support/starts.js";
import { context, failureOf, onFake, place, tinyServer } from "./omega.helper.js";

const ONCE = { maxResumeAttempts: 0 };
const turn = (...actions: Action[]): Step[] => [{ on: "user", do: [{ init: {} }, ...actions] }];
const limit = (subtype: string): Action => ({
  result: { subtype, is_error: true, result: null, errors: ["Reached the limit"] },
});

describe("what becomes of a result", () => {
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
  ])("with %s and %s is a message", async (_text, _error, actions, expected) => {
    const provider = await onFake(turn(...actions), ONCE);
    expect((await provider.complete(context())).text).toBe(expected);
  });

  it.each<[string, Action, string]>([
    ["text", { result: { is_error: true, result: "API Error: 500" } }, "api_error"],
    ["no text", { result: { is_error: true, result: "" } }, "api_error"],
    [
      "no text, in the middle of its work",
      { result: { subtype: "error_during_execution", is_error: true, result: null } },
      "process_exited",
    ],
  ])("with %s and a failure is thrown", async (_text, action, code) => {
    const provider = await onFake(turn(action), ONCE);
    expect((await failureOf(provider.complete(context()))).code).toBe(code);
  });

  it("that may be incomplete is logged", async () => {
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

describe.each(clisInTurn())("an answer on the real CLI $name", ({ path }) => {
  it("without any text has the documented words", async () => {
    const { provider } = await place(path, always(reply([])), ONCE);
    expect((await provider.complete(context())).text).toBe("(No response text returned)");
  });

  it("that is the API's failure is thrown, not handed on as text", async () => {
    const { provider } = await place(path, always(apiError(500)), {
      ...ONCE,
      retry: { cliRetries: 0 },
    });
    const error = await failureOf(provider.complete(context()));
    expect(error).toMatchObject({ code: "api_error", apiStatus: 500 });
    expect(toOmegaError(error).message).toMatch(/^claude CLI exited with .*: API Error: 500/);
  });

  it("for which nobody is logged in is auth", async () => {
    const { provider, model } = await place(path, [], ONCE, {
      extra: { ANTHROPIC_API_KEY: undefined },
    });
    const error = await failureOf(provider.complete(context()));
    expect(error.code).toBe("auth");
    expect(toOmegaError(error).message).toMatch(/^claude CLI exited with .*Not logged in/);
    expect(model.calls).toEqual([]);
  });
});

describe("a call that is ended", () => {
  it("by its limit is a timeout, in friendly words", async () => {
    const { provider } = await place(NEWEST_CLI, [hang()], { ...ONCE, timeoutMs: 4000 });
    const error = await failureOf(provider.complete(context()));
    expect(error).toMatchObject({ code: "timeout", phase: "total", resumable: true });
    expect(toOmegaError(error).message).toContain("Claude took too long");
    expect(processes()).toEqual([]);
  });

  it.each(["of the provider", "of the call"])("by a signal %s is aborted", async (whose) => {
    const controller = new AbortController();
    const own = whose === "of the provider";
    const { signal: never } = new AbortController();
    const { provider, model } = await place(NEWEST_CLI, [hang()], {
      ...ONCE,
      signal: own ? controller.signal : never,
    });
    const signal = own ? never : controller.signal;
    const failed = failureOf(provider.complete(context(), { signal }));
    await model.waitFor(({ kind }) => kind === "call");
    controller.abort("no longer needed");
    expect(await failed).toMatchObject({ code: "aborted", reason: "no longer needed" });
    expect(processes()).toEqual([]);
  });
});

describe.each(clisInTurn())("the limit of a call on the real CLI $name", ({ path }) => {
  it.each([false, true])(
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

describe("the private file with the MCP servers of a context", () => {
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

  it("is gone when the answer is there", async () => {
    await using cli = await fakeCli();
    const provider = new ClaudeCodeProvider({ ...ONCE, cliPath: cli.path });
    await provider.complete(context({ mcpServers: [secret] }));
    const file = (await fileOf(cli)) ?? "";
    expect(isAbsolute(file)).toBe(true);
    expect(existsSync(dirname(file))).toBe(false);
  });

  it.each(["a limit", "a signal"])("is gone when the call was ended by %s", async (by) => {
    await using cli = await fakeCli({ steps: waiting });
    const controller = new AbortController();
    const timeouts = by === "a limit" ? { timeouts: { bootMs: 5000 } } : {};
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
    expect((await failed).code).toBe(by === "a limit" ? "timeout" : "aborted");
    expect(existsSync(dirname(file))).toBe(false);
  });
});

describe("a CLI that cannot be run", () => {
  it("is an error in the documented words", async () => {
    const provider = new ClaudeCodeProvider({ cliPath: "/no/such/cli" });
    const error = await failureOf(provider.complete(context()));
    expect(error.code).toBe("cli_not_found");
    expect(toOmegaError(error).message).toMatch(/^failed to run claude CLI: .*\/no\/such\/cli/);
  });

  it("since its folder is missing says so", async () => {
    const provider = await onFake([], { workingDir: "/no/such/folder" });
    const error = await failureOf(provider.complete(context()));
    expect(error.code).toBe("cwd_not_found");
    expect(toOmegaError(error).message).toMatch(/^failed to run claude CLI: .*\/no\/such\/folder/);
  });

  it("exits with its own words", async () => {
    const provider = await onFake([
      { on: "start", do: [{ stderr: "error: out of rope\n" }, { exit: 2 }] },
    ]);
    const error = await failureOf(provider.complete(context()));
    expect(toOmegaError(error).message).toBe(
      "claude CLI exited with exit status: 2: error: out of rope",
    );
  });
});

describe("a program that runs inside another session", () => {
  it("leaves no trace of it, unless it is told to refuse", async () => {
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

describe("a program in place of the CLI that prints text", () => {
  const raw = { ...ONCE, rawText: true };
  const words = "Just words,\n[on two] lines.";
  const prints = (text: string, exit: number): Step[] => [
    { on: "user", do: [{ write: `${text}\n` }, { exit }] },
  ];

  it("is an error", async () => {
    const provider = await onFake(prints(words, 0), ONCE);
    expect(await failureOf(provider.complete(context()))).toMatchObject({
      code: "process_exited",
      exitCode: 0,
    });
  });

  it("has answered, if that is wanted", async () => {
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

  it("has answered before it was asked anything", async () => {
    const steps: Step[] = [{ on: "start", do: [{ write: words }, { exit: 0 }] }];
    const provider = await onFake(steps, raw);
    expect((await provider.complete(context())).text).toBe(words);
  });

  it("has answered with JSON that is no message", async () => {
    const provider = await onFake(prints('{"answer": 42}', 0), raw);
    expect((await provider.complete(context())).text).toBe('{"answer": 42}');
  });

  /** A program that knows nothing of the CLI's protocol, nor of its version. */
  const program = (...lines: string[]) => {
    const folder = mkdtempSync(join(tmpdir(), "hawser-raw-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const cliPath = join(folder, "words");
    writeFileSync(cliPath, ["#!/bin/sh", ...lines, ""].join("\n"));
    chmodSync(cliPath, 0o755);
    return new ClaudeCodeProvider({ ...raw, cliPath });
  };

  it("has answered though it says no version", async () => {
    const provider = program("echo 'Just words.'");
    expect((await provider.complete(context())).text).toBe("Just words.");
    expect(await provider.isAvailable()).toBe(true);
  });

  it("has answered after it has read its input to the end", async () => {
    const provider = program("last=$(tail -n 1)", `printf 'It said: %s' "$last"`);
    const { text } = await provider.complete(context({ currentMessage: "Name a knot." }));
    expect(text).toMatch(/^It said: \{"type":"user".*Name a knot\./);
    expect(processes()).toEqual([]);
  });

  it("has not answered when it fails after that", async () => {
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
      "speaks the CLI's language and stops in the middle",
      turn({ assistant: "half an" }, { write: "noise\n" }, { exit: 0 }),
    ],
  ])("has not answered when it %s", async (_what, steps) => {
    const provider = await onFake(steps, raw);
    expect((await failureOf(provider.complete(context()))).code).toBe("process_exited");
  });

  it("is not found as any other", async () => {
    const provider = new ClaudeCodeProvider({ ...raw, cliPath: "/no/such/cli" });
    const error = await failureOf(provider.complete(context()));
    expect(error.code).toBe("cli_not_found");
    expect(error.message).toContain("cliPath");
    const nowhere = await onFake([], { ...raw, workingDir: "/no/such/folder" });
    expect((await failureOf(nowhere.complete(context()))).code).toBe("cwd_not_found");
  });
});

describe.each(clisInTurn())("raw text on the real CLI $name", ({ path }) => {
  it("changes nothing for a CLI that speaks JSON", async () => {
    const { provider, model } = await place(path, ["A bowline."], { ...ONCE, rawText: true });
    const message = await provider.complete(context({ systemPrompt: "You tie knots." }));
    expect(message.text).toBe("A bowline.");
    expect(message.metadata.sessionId).toMatch(/^[0-9a-f-]{36}$/);
    expect(model.calls[0]?.system).toContain("You tie knots.");
    expect(processes()).toEqual([]);
  });
});
