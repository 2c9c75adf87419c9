import { getEventListeners } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { AbortError, HawserError, type Options, type Query, query } from "../../src/index.js";
import { type Action, always, apiError, hang, toolUse } from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
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
const ABORTED = "Claude Code process aborted by user";

describe.each(clisInTurn())("a query on $name", ({ path }) => {
  it("throws its error result once that was handed on, and the process is gone", async () => {
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

  it("throws what the API refused", async () => {
    const { q } = await realQuery(path, always(apiError(400, { message: "not like that" })));
    const { messages, error } = await collect(q);
    expect(messages.at(-1)).toMatchObject({ type: "result", subtype: "success", is_error: true });
    expect(error).toMatchObject({
      code: "api_error",
      message: expect.stringMatching(/^Claude Code returned an error result: .*not like that/),
    });
  });

  it("throws that nobody is logged in as such", async () => {
    const { q } = await realQuery(path, [], ({ env }) => {
      const { ANTHROPIC_API_KEY: _, ...keyless } = env;
      return { env: keyless };
    });
    expect((await collect(q)).error).toMatchObject({ code: "auth", retryable: false });
  });

  it("goes on after a failed turn, if a later one is well", async () => {
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
    ["close()", (q) => q.close()],
    ["return()", (q) => q.return()],
  ])("is ended by %s in mid-tool, and the tool with it", async (how, end) => {
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

  it("that is closed before its turn began does not begin it", async () => {
    const { q, model } = await realQuery(path, [hang()]);
    await q.initializationResult();
    await q.return();
    expect([clisOf(path), await q.next()]).toEqual([[], DONE]);
    expect(model.calls.length).toBeLessThanOrEqual(1);
  });
});

describe("a query that is left in a turn", () => {
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
  ])("by %s interrupts first; the process is gone, nothing more comes", async (how, leave) => {
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
    // What ends at once for its reader takes its time behind.
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

  it("by throw() throws what it is given", async () => {
    const { q } = await fakeQuery([HANGS]);
    const mine = new Error("mine");
    await expect(q.throw(mine)).rejects.toBe(mine);
  });

  it("while somebody waits for a message ends that wait", async () => {
    const { q } = await fakeQuery([{ on: "user", do: [{ hang: true }] }]);
    const waiting = q.next();
    await q.initializationResult();
    q.close();
    expect(await waiting).toEqual(DONE);
  });
});

describe("an abort", () => {
  it("before the start throws at once, and nothing is started", async () => {
    const abortController = new AbortController();
    abortController.abort();
    const options: Options = { abortController, cliPath: "/nowhere/claude" };
    expect(() => query({ prompt: "go", options })).toThrow(AbortError);
  });

  it("by a signal before the start ends the iteration", async () => {
    const { q, cli } = await fakeQuery([], { signal: AbortSignal.abort() });
    const { messages, error } = await collect(q);
    expect(messages).toEqual([]);
    expect(error).toBeInstanceOf(AbortError);
    await expect(q.initializationResult()).rejects.toBeInstanceOf(AbortError);
    expect(clisOf(cli.path)).toEqual([]);
  });

  it("during the start ends it", async () => {
    const abortController = new AbortController();
    const { q, cli } = await fakeQuery([{ on: "initialize", do: [] }], { abortController });
    const ready = q.initializationResult().catch((error: unknown) => error);
    await until(() => clisOf(cli.path).length > 0);
    abortController.abort();
    expect(await ready).toBeInstanceOf(AbortError);
    expect((await collect(q)).error).toBeInstanceOf(AbortError);
    await until(() => clisOf(cli.path).length === 0);
  });

  it("after the end is nothing, and nobody listens to it any more", async () => {
    const abortController = new AbortController();
    const { q } = await fakeQuery([], { abortController });
    expect((await collect(q)).error).toBeUndefined();
    expect(getEventListeners(abortController.signal, "abort")).toEqual([]);
    abortController.abort();
    expect(await q.next()).toEqual(DONE);
  });
});

describe("an exit of the CLI", () => {
  const ended = async (...steps: Action[]) => {
    const { q } = await fakeQuery([{ on: "user", do: steps }]);
    return collect(q);
  };

  it("with a code is thrown with it and what it said last", async () => {
    const { messages, error } = await ended({ init: {} }, { stderr: "no luck\n" }, { exit: 3 });
    expect(kinds(messages)).toEqual(["system/init"]);
    expect(error).toMatchObject({
      code: "process_exited",
      exitCode: 3,
      message: "Claude Code process exited with code 3. stderr: no luck",
    });
  });

  it("by a signal is thrown with it", async () => {
    const { error } = await ended({ init: {} }, { die: "SIGKILL" });
    expect(error).toMatchObject({
      code: "process_exited",
      signal: "SIGKILL",
      message: "Claude Code process terminated by signal SIGKILL",
    });
  });

  it("in good order without a result is the end", async () => {
    expect((await ended({ init: {} }, { exit: 0 })).error).toBeUndefined();
  });

  it("in good order after a result that was an error is the end", async () => {
    const failed = { result: { subtype: "error_during_execution", is_error: true } } as const;
    const { messages, error } = await ended(failed, { exit: 0 });
    expect([kinds(messages), error]).toEqual([["result/error_during_execution"], undefined]);
  });

  const FAILED = { subtype: "success", is_error: true, result: "refused" } as const;

  it("after an error result is thrown with what the turn said of it", async () => {
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

  it("after an error result is not thrown with what an earlier turn said", async () => {
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

  it("is thrown without the secrets of the process, as is what it said", async () => {
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

  it("at its start is thrown by the iteration and told to who waits for it", async () => {
    const { q } = await fakeQuery([
      { on: "initialize", do: [{ stderr: "bad flag\n" }, { exit: 1 }] },
    ]);
    const words = "Claude Code process exited with code 1. stderr: bad flag";
    await expect(q.initializationResult()).rejects.toThrow(words);
    expect((await collect(q)).error).toMatchObject({ message: words });
  });

  it("that never was a start is thrown by the iteration", async () => {
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

  it("that never comes, since it does not answer at its start, is helped", async () => {
    const { q, cli } = await fakeQuery([{ on: "initialize", do: [] }], {
      timeouts: { bootMs: 1_000 },
    });
    expect((await collect(q)).error).toMatchObject({ code: "timeout", phase: "boot" });
    await until(() => clisOf(cli.path).length === 0);
  });
});

describe("a message that was lost", () => {
  const LIMIT = { maxLineBytes: 20_000 };

  it("and may have been the result does not leave the query hanging, and is told", async () => {
    const { q } = await fakeQuery(
      [{ on: "user", do: [{ init: {} }, { longLine: 30_000 }] }],
      LIMIT,
    );
    const { messages, error } = await collect(q);
    expect(kinds(messages)).toEqual(["system/init"]);
    expect(error).toMatchObject({ code: "message_too_large" });
  });

  it("and was not the result is only missing", async () => {
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

  it("and was the result is known by the state of a CLI that answers are given to", async () => {
    const { q } = await fakeQuery(
      [{ on: "user", do: [state("running"), { init: {} }, { longLine: 30_000 }, state("idle")] }],
      { ...LIMIT, canUseTool: async () => ({ behavior: "deny", message: "no" }) },
    );
    expect((await collect(q)).error).toMatchObject({ code: "message_too_large" });
  });
});
