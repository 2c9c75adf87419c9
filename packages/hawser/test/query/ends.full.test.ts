import { getEventListeners } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { AbortError, HawserError, type Options, type Query, query } from "../../src/index.js";
import { type Action, always, apiError, hang, toolUse } from "../../src/testing/index.js";
import { clisInTurn, FULL } from "../support/cli.js";
import { until } from "../support/proc.js";
import {
  clisOf,
  collect,
  fakeQuery,
  Input,
  kinds,
  linesOf,
  realQuery,
  state,
} from "./query.helper.js";

const DONE = { done: true, value: undefined };
const HANGS = { on: "user", do: [{ init: {} }, { assistant: "half" }, { hang: true }] } as const;
const OTHER_ENDS: [string, (q: Query) => unknown][] = [
  ["close()", (q) => q.close()],
  ["return()", (q) => q.return()],
];
const ABORTED = "Claude Code process aborted by user";

describe.each(clisInTurn())("query() on $name", ({ path }) => {
  it("throws max_turns after it has yielded the error result, and leaves no process", async () => {
    const { q } = await realQuery(path, [toolUse("Bash", { command: "true" })], {
      maxTurns: 1,
      allowedTools: ["Bash"],
    });
    const { messages, error } = await collect(q);
    expect(kinds(messages).at(-1)).toBe("result/error_max_turns");
    expect(error).toBeInstanceOf(HawserError);
    expect(error).toMatchObject({
      code: "max_turns",
      message: expect.stringMatching(/^Claude Code returned an error result: .*turns/),
      exitCode: 1,
      result: messages.at(-1),
      sessionId: (messages.at(-1) as { session_id: string }).session_id,
    });
    expect(clisOf(path)).toEqual([]);
  });

  it("throws api_error with the message of the API", async () => {
    const { q } = await realQuery(path, always(apiError(400, { message: "not like that" })));
    const { messages, error } = await collect(q);
    expect(messages.at(-1)).toMatchObject({ type: "result", subtype: "success", is_error: true });
    expect(error).toMatchObject({
      code: "api_error",
      message: expect.stringMatching(/^Claude Code returned an error result: .*not like that/),
    });
  });

  it("throws auth without credentials", async () => {
    const { q } = await realQuery(path, [], ({ env }) => {
      const { ANTHROPIC_API_KEY: _, ...keyless } = env;
      return { env: keyless };
    });
    expect((await collect(q)).error).toMatchObject({ code: "auth", retryable: false });
  });

  it("continues after a failed turn, and throws nothing if a later turn succeeds", async () => {
    const input = new Input("one");
    const { q } = await realQuery(
      path,
      (call) => (call.prompt.includes("two") ? "well" : apiError(400)),
      {},
      input,
    );
    const { messages, error } = await collect(q, (message) => {
      if (message.type !== "result") return;
      if (message.is_error) input.push("two");
      else input.end();
    });
    expect([messages.at(-1), error]).toMatchObject([{ result: "well" }, undefined]);
  });

  it.each<[string, (q: Query, controller: AbortController) => unknown]>([
    ["an abort", (_, controller) => controller.abort()],
    // The tests on the fake CLI below try every way to end a query.
    ...(FULL ? OTHER_ENDS : []),
  ])("is ended by %s while a tool runs, together with the tool", async (how, end) => {
    const abortController = new AbortController();
    const command = "mkfifo pipe; cat pipe; touch late";
    const { q, cwd } = await realQuery(path, [toolUse("Bash", { command })], {
      abortController,
      allowedTools: ["Bash"],
    });
    const reading = collect(q);
    await until(() => existsSync(join(cwd, "pipe")));
    const tree = clisOf("cat pipe");
    end(q, abortController);
    const { error } = await reading;
    if (how === "an abort") {
      expect(error).toBeInstanceOf(AbortError);
      expect(error).toMatchObject({ name: "AbortError", message: ABORTED });
    } else expect(error).toBeUndefined();
    await q.return();
    expect([clisOf(path), clisOf("cat pipe")]).toEqual([[], []]);
    expect(tree.length).toBeGreaterThan(0);
    expect(existsSync(join(cwd, "late"))).toBe(false);
  });

  it("leaves no process when return() is called before the turn begins", async () => {
    const { q, model } = await realQuery(path, [hang()]);
    await q.initializationResult();
    await q.return();
    expect([clisOf(path), await q.next()]).toEqual([[], DONE]);
    expect(model.calls.length).toBeLessThanOrEqual(1);
  });
});

describe("Query in a turn", () => {
  it.each<[string, (q: Query, controller: AbortController) => unknown]>([
    [
      "break",
      async (q) => {
        for await (const { type } of q) if (type === "assistant") break;
      },
    ],
    ["return()", (q) => q.return()],
    ["throw()", (q) => q.throw(new Error("mine")).catch(() => {})],
    ["dispose", (q) => q[Symbol.asyncDispose]()],
    ["close()", (q) => q.close()],
    ["an abort", (_, controller) => controller.abort()],
  ])("interrupts the turn, ends the process and yields no more on %s", async (how, leave) => {
    const abortController = new AbortController();
    const { q, cli } = await fakeQuery([HANGS, { on: "eof", times: "always", do: [] }], {
      abortController,
    });
    for (const type of ["system", "assistant"]) {
      if (how === "break") break;
      expect((await q.next()).value).toMatchObject({ type });
    }
    await leave(q, abortController);
    if (how === "an abort") await expect(q.next()).rejects.toThrow(ABORTED);
    expect(await q.next()).toEqual(DONE);
    // The iteration ends at once, but the process needs some time.
    if (how === "an abort" || how === "close()") await q[Symbol.asyncDispose]();
    expect(clisOf(cli.path)).toEqual([]);
    expect((await linesOf(cli)).at(-1)).toMatchObject({
      type: "control_request",
      request: { subtype: "interrupt" },
    });
    const late = await q.interrupt().catch((error: unknown) => error);
    if (how === "an abort") expect(late).toBeInstanceOf(AbortError);
    else expect(late).toMatchObject({ code: "closed" });
  });

  it("rejects throw(error) with that error", async () => {
    const { q } = await fakeQuery([HANGS]);
    const mine = new Error("mine");
    await expect(q.throw(mine)).rejects.toBe(mine);
  });

  it("ends a pending next() on close()", async () => {
    const { q } = await fakeQuery([{ on: "user", do: [{ hang: true }] }]);
    const waiting = q.next();
    await q.initializationResult();
    q.close();
    expect(await waiting).toEqual(DONE);
  });
});

describe("abortController and signal of query()", () => {
  it("throw AbortError from query() when the controller is aborted already", async () => {
    const abortController = new AbortController();
    abortController.abort();
    const options: Options = { abortController, cliPath: "/nowhere/claude" };
    expect(() => query({ prompt: "go", options })).toThrow(AbortError);
  });

  it("end the iteration with AbortError when the signal is aborted already", async () => {
    const { q, cli } = await fakeQuery([], { signal: AbortSignal.abort() });
    const { messages, error } = await collect(q);
    expect(messages).toEqual([]);
    expect(error).toBeInstanceOf(AbortError);
    await expect(q.initializationResult()).rejects.toBeInstanceOf(AbortError);
    expect(clisOf(cli.path)).toEqual([]);
  });

  it("end a start that is in progress", async () => {
    const abortController = new AbortController();
    const { q, cli } = await fakeQuery([{ on: "initialize", do: [] }], { abortController });
    const ready = q.initializationResult().catch((error: unknown) => error);
    await until(() => clisOf(cli.path).length > 0);
    abortController.abort();
    expect(await ready).toBeInstanceOf(AbortError);
    expect((await collect(q)).error).toBeInstanceOf(AbortError);
    await until(() => clisOf(cli.path).length === 0);
  });

  it("have no effect and no listener after the end of the query", async () => {
    const abortController = new AbortController();
    const { q } = await fakeQuery([], { abortController });
    expect((await collect(q)).error).toBeUndefined();
    expect(getEventListeners(abortController.signal, "abort")).toEqual([]);
    abortController.abort();
    expect(await q.next()).toEqual(DONE);
  });
});

describe("query() when the CLI exits", () => {
  const ended = async (...steps: Action[]) => {
    const { q } = await fakeQuery([{ on: "user", do: steps }]);
    return collect(q);
  };

  it("throws process_exited with the exit code and the end of stderr", async () => {
    const { messages, error } = await ended({ init: {} }, { stderr: "no luck\n" }, { exit: 3 });
    expect(kinds(messages)).toEqual(["system/init"]);
    expect(error).toMatchObject({
      code: "process_exited",
      exitCode: 3,
      message: "Claude Code process exited with code 3. stderr: no luck",
    });
  });

  it("throws process_exited with the signal", async () => {
    const { error } = await ended({ init: {} }, { die: "SIGKILL" });
    expect(error).toMatchObject({
      code: "process_exited",
      signal: "SIGKILL",
      message: "Claude Code process terminated by signal SIGKILL",
    });
  });

  it("throws nothing on exit code 0 without a result", async () => {
    expect((await ended({ init: {} }, { exit: 0 })).error).toBeUndefined();
  });

  it("throws nothing on exit code 0 after an error result", async () => {
    const failed = { result: { subtype: "error_during_execution", is_error: true } } as const;
    const { messages, error } = await ended(failed, { exit: 0 });
    expect([kinds(messages), error]).toEqual([["result/error_during_execution"], undefined]);
  });

  const FAILED = { subtype: "success", is_error: true, result: "refused" } as const;

  it("throws the error of the turn on exit code 1 after an error result", async () => {
    const resetsAt = 1_900_000_000;
    const limit = { type: "rate_limit_event", rate_limit_info: { status: "rejected", resetsAt } };
    const { error } = await ended(
      { init: {} },
      { emit: limit },
      { result: { ...FAILED, api_error_status: 429 } },
      { exit: 1 },
    );
    expect(error).toMatchObject({
      code: "usage_limit",
      message: "Claude Code returned an error result: refused",
      apiStatus: 429,
      resetsAt: new Date(resetsAt * 1000),
    });
  });

  it("does not throw the error of an earlier turn", async () => {
    const input = new Input("one", "two");
    const answer = { role: "assistant", content: [] };
    const said = { type: "assistant", error: "billing_error", message: answer };
    const { q } = await fakeQuery(
      [
        { on: "user", do: [{ emit: { ...said, parent_tool_use_id: null } }, { result: FAILED }] },
        { on: "user", do: [{ result: FAILED }, { exit: 1 }] },
      ],
      {},
      input,
    );
    expect((await collect(q)).error).toMatchObject({ code: "api_error" });
  });

  it("throws errors without the secrets in the environment of the process", async () => {
    const secret = "Zebra-Quartz-9931-Violin";
    const env = { PATH: process.env["PATH"], ANTHROPIC_API_KEY: secret };
    const words = `rejected key ${secret}`;
    for (const step of [
      { result: { ...FAILED, result: words } },
      { stderr: `${words}\n` },
    ] as const) {
      const { q } = await fakeQuery([{ on: "user", do: [step, { exit: 1 }] }], { env });
      const { error } = await collect(q);
      expect(error).toMatchObject({ message: expect.stringContaining("rejected key ***") });
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(secret);
    }
  });

  it("throws from the iteration and rejects initializationResult() when the start fails", async () => {
    const { q } = await fakeQuery([
      { on: "initialize", do: [{ stderr: "bad flag\n" }, { exit: 1 }] },
    ]);
    const words = "Claude Code process exited with code 1. stderr: bad flag";
    await expect(q.initializationResult()).rejects.toThrow(words);
    expect((await collect(q)).error).toMatchObject({ message: words });
  });

  it("throws cli_not_found from the iteration when there is no CLI", async () => {
    const q = query({ prompt: "go", options: { cliPath: "/nowhere/claude" } });
    expect((await collect(q)).error).toMatchObject({
      code: "cli_not_found",
      message: "The CLI that cliPath names was not found: there is no file /nowhere/claude.",
    });
    const official = { pathToClaudeCodeExecutable: "/nowhere/claude" };
    expect((await collect(query({ prompt: "go", options: official }))).error).toMatchObject({
      code: "cli_not_found",
      message: expect.stringContaining("The CLI that pathToClaudeCodeExecutable names"),
      hint: expect.stringMatching(/^Correct `pathToClaudeCodeExecutable`/),
      issues: [{ path: "pathToClaudeCodeExecutable", message: "there is no file /nowhere/claude" }],
    });
  });

  it("throws timeout and ends the process when initialize gets no answer within bootMs", async () => {
    const { q, cli } = await fakeQuery([{ on: "initialize", do: [] }], {
      timeouts: { bootMs: 1_000 },
    });
    expect((await collect(q)).error).toMatchObject({ code: "timeout", phase: "boot" });
    await until(() => clisOf(cli.path).length === 0);
  });
});

describe("query() with a line longer than maxLineBytes", () => {
  const LIMIT = { maxLineBytes: 20_000 };

  it("throws message_too_large if the line may have been the result", async () => {
    const { q } = await fakeQuery(
      [{ on: "user", do: [{ init: {} }, { longLine: 30_000 }] }],
      LIMIT,
    );
    const { messages, error } = await collect(q);
    expect(kinds(messages)).toEqual(["system/init"]);
    expect(error).toMatchObject({ code: "message_too_large" });
  });

  it("continues if a result follows", async () => {
    const { q } = await fakeQuery(
      [
        {
          on: "user",
          do: [state("running"), { init: {} }, { longLine: 30_000 }, { result: {} }, state("idle")],
        },
      ],
      LIMIT,
    );
    const { messages, error } = await collect(q);
    expect([kinds(messages), error]).toEqual([["system/init", "result/success"], undefined]);
  });

  it("throws message_too_large if the CLI is idle again and no result came", async () => {
    const { q } = await fakeQuery(
      [{ on: "user", do: [state("running"), { init: {} }, { longLine: 30_000 }, state("idle")] }],
      { ...LIMIT, canUseTool: async () => ({ behavior: "deny", message: "no" }) },
    );
    expect((await collect(q)).error).toMatchObject({ code: "message_too_large" });
  });
});
