import { describe, expect, it, onTestFinished } from "vitest";
import { ERROR_CODES, type ErrorCode, HawserError } from "../../src/base/index.js";
import { type CompleteOptions, complete, stream } from "../../src/complete/index.js";
import { type Plan, planCall } from "../../src/complete/plan.js";
import {
  type CallProgress,
  mayHaveChangedSomething,
  retryPauseMs,
} from "../../src/complete/retry-policy.js";
import { apiError, fakeCli, reply, type Step, toolUse } from "../../src/testing/index.js";
import { isMessage, type Message } from "../../src/wire/index.js";
import { CLIS, clisInTurn, FULL } from "../support/cli.js";
import { fc } from "../support/fc.js";
import { recordingLogger } from "../support/recording-logger.js";
import { startsOf } from "../support/starts.js";
import { world } from "../support/world.js";

const RETRY: Plan["retry"] = planCall("x", "x", { retry: { attempts: 3 } }).retry;
const FRESH: CallProgress = {
  retries: 0,
  elapsedMs: 0,
  changedSomething: false,
  textWasRead: false,
};
const LIMITED = new HawserError("rate_limited");

describe("retryPauseMs()", () => {
  it("is a random part of baseMs doubled with each retry, up to maxMs", () => {
    fc.assert(
      fc.property(fc.nat(60), fc.double({ min: 0, max: 0.999, noNaN: true }), (retries, part) => {
        const retry = { ...RETRY, attempts: 100, baseMs: 100, maxMs: 5000 };
        const pause = retryPauseMs(LIMITED, retry, { ...FRESH, retries }, () => part);
        expect(pause).toBeCloseTo(part * Math.min(5000, 100 * 2 ** retries), 6);
      }),
    );
  });

  it("is at least the retryAfterMs of the error", () => {
    const error = new HawserError("rate_limited", undefined, { retryAfterMs: 45_000 });
    expect(retryPauseMs(error, RETRY, FRESH)).toBe(45_000);
  });

  it.each<[string, Partial<Plan["retry"]>, Partial<CallProgress>, HawserError]>([
    ["the attempts are used up", {}, { retries: 3 }, LIMITED],
    ["budgetMs is over", { budgetMs: 5000 }, { elapsedMs: 5000 }, LIMITED],
    [
      "the retryAfterMs of the error exceeds budgetMs",
      { budgetMs: 5000 },
      {},
      new HawserError("rate_limited", undefined, { retryAfterMs: 5000 }),
    ],
    ["a tool may have changed something", {}, { changedSomething: true }, LIMITED],
    ["text of the call has been read", {}, { textWasRead: true }, LIMITED],
    ["the code of the error is not retryable", {}, {}, new HawserError("auth")],
    [
      "the error is not retryable although its code is",
      {},
      {},
      new HawserError("api_error", undefined, { retryable: false }),
    ],
  ])("is undefined when %s", (_why, retry, progress, error) => {
    expect(retryPauseMs(error, { ...RETRY, ...retry }, { ...FRESH, ...progress })).toBeUndefined();
  });

  it("is defined after a tool with afterTools: true", () => {
    const progress = { ...FRESH, changedSomething: true };
    expect(retryPauseMs(LIMITED, { ...RETRY, afterTools: true }, progress)).toBeDefined();
  });

  it("is defined for exactly the codes that ERROR_CODES calls retryable", () => {
    for (const code of Object.keys(ERROR_CODES) as ErrorCode[]) {
      const pause = retryPauseMs(new HawserError(code), RETRY, FRESH);
      expect([code, pause !== undefined]).toEqual([code, ERROR_CODES[code].retryable]);
    }
  });
});

describe("mayHaveChangedSomething()", () => {
  it.each(["Read", "Grep", "Glob", "StructuredOutput"])(
    "is false for %s, which only reads",
    (tool) => expect(mayHaveChangedSomething([tool])).toBe(false),
  );

  it.each(["Bash", "Write", "Edit", "Task", "mcp__server__read", "Unheard"])(
    "is true for %s, which may change something",
    (tool) => expect(mayHaveChangedSomething(["Read", tool])).toBe(true),
  );
});

it("complete() refuses a retry.budgetMs that exceeds timeouts.totalMs", async () => {
  const retry = { attempts: 2, budgetMs: 601_000 };
  await expect(complete("x", { cliPath: "/none", retry })).rejects.toMatchObject({
    code: "invalid_options",
    issues: [{ path: "retry.budgetMs", message: "cannot fit into timeouts.totalMs" }],
  });
  const longer = { retry, timeouts: { totalMs: 700_000 } };
  await expect(complete("x", { cliPath: "/none", ...longer })).rejects.toMatchObject({
    code: "cli_not_found",
  });
});

/** Short pauses, and no retries by the CLI itself. */
const QUICK: CompleteOptions["retry"] = { attempts: 2, baseMs: 1, cliRetries: 0 };

describe.each(clisInTurn())("complete() with retry, on the real CLI $name", ({ path }) => {
  it("makes each attempt in a new session, and reports each failed attempt", async () => {
    const { logger, entries } = recordingLogger();
    const { model, options } = await world(path, [apiError(500), apiError(529), "At last."]);
    const call = stream("x", { ...options, logger, retry: QUICK });
    const seen: Message[] = [];
    for await (const message of call) seen.push(message);
    expect(await call.completion).toMatchObject({ text: "At last.", texts: ["At last."] });
    expect(model.calls.length).toBe(3);
    const ids = new Set(
      seen.flatMap((message) => ("session_id" in message ? message.session_id : [])),
    );
    expect(ids.size).toBe(3);
    const expected = [
      { attempt: 1, of: 2, code: "api_error" },
      { attempt: 2, of: 2, code: "overloaded" },
    ];
    expect(seen.filter((message) => isMessage(message, "hawser"))).toEqual(
      expected.map((facts) => expect.objectContaining({ subtype: "retrying", ...facts })),
    );
    expect(entries.filter(({ message }) => message === "the call failed and is retried")).toEqual(
      expected.map((facts) => ({
        level: "warn",
        message: "the call failed and is retried",
        fields: expect.objectContaining(facts),
      })),
    );
  });

  const BASH = { tools: ["Bash"], allowedTools: ["Bash"], retry: QUICK };
  const work = () => [toolUse("Bash", { command: "echo x", description: "d" }), apiError(500)];

  it("does not retry after a tool has run", async () => {
    const { model, options } = await world(path, work());
    await expect(complete("x", { ...options, ...BASH })).rejects.toMatchObject({
      code: "api_error",
    });
    expect(model.calls.length).toBe(2);
  });

  it.runIf(FULL)("retries after a tool has run with afterTools: true", async () => {
    const { options } = await world(path, [...work(), "Done."]);
    const again = await complete("x", {
      ...options,
      ...BASH,
      retry: { ...QUICK, afterTools: true },
    });
    expect(again.text).toBe("Done.");
  });

  it("waits for the retry-after time that the API gave to the CLI", async () => {
    const { options } = await world(path, [
      apiError(429, { retryAfter: 1 }),
      apiError(429, { retryAfter: 1 }),
      "At last.",
    ]);
    const call = stream("x", { ...options, retry: { ...QUICK, cliRetries: 1 } });
    const seen: Message[] = [];
    for await (const message of call) seen.push(message);
    const retries = seen.filter((message) => isMessage(message, "hawser"));
    expect(retries).toEqual([
      expect.objectContaining({ subtype: "retrying", code: "rate_limited" }),
    ]);
    // Since 2.1.326 the CLI adds up to a quarter, so that not all callers come back at once.
    const { delay_ms } = Object(retries[0]) as { delay_ms: number };
    expect(delay_ms).toBeGreaterThanOrEqual(1000);
    expect(delay_ms).toBeLessThanOrEqual(1250);
    expect((await call.completion).text).toBe("At last.");
  });

  it("retries in the session that resume names", async () => {
    const { model, options } = await world(path, ["First.", apiError(500), "Second."]);
    const kept = { ...options, persistSession: true };
    const { sessionId } = await complete("One.", kept);
    const second = await complete("Two.", { ...kept, resume: sessionId, retry: QUICK });
    expect(second).toMatchObject({ text: "Second.", sessionId });
    expect(JSON.stringify(model.calls.at(-1)?.body)).toContain("First.");
  });
});

describe("complete() with retry", () => {
  it("does not retry once text has been read from textStream", async () => {
    const failed = { is_error: true, api_error_status: 500, result: "no" };
    const cli = await fakeCli({
      steps: [{ on: "user", do: [{ init: {} }, { assistant: "Half" }, { result: failed }] }],
    });
    onTestFinished(() => cli.dispose());
    const call = stream("x", { cliPath: cli.path, retry: { ...QUICK, attempts: 5 } });
    const pieces: string[] = [];
    const read = async () => {
      for await (const piece of call.textStream) pieces.push(piece);
    };
    await expect(read()).rejects.toMatchObject({ code: "api_error", partialText: "Half" });
    expect(pieces).toEqual(["Half"]);
    expect((await startsOf(cli)).length).toBe(1);
  });

  it("gives each attempt a signal of its own, and stops at the signal of the caller", async () => {
    const failed = { is_error: true, api_error_status: 500, result: "no" };
    // The pause gives this test time to abort the second attempt.
    const actions = [{ init: {} }, { sleep: 1000 }, { result: failed }];
    const cli = await fakeCli({ steps: [{ on: "user", do: actions }] });
    onTestFinished(() => cli.dispose());
    const controller = new AbortController();
    const signals: AbortSignal[] = [];
    const { spawn } = await import("node:child_process");
    const call = stream("x", {
      cliPath: cli.path,
      signal: controller.signal,
      retry: QUICK,
      spawnClaudeCodeProcess: ({ command, args, cwd, env, signal }) => {
        signals.push(signal);
        expect(signal.aborted).toBe(false);
        return spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
      },
    });
    const read = async () => {
      for await (const _message of call) if (signals.length === 2) controller.abort("enough");
    };
    await expect(read()).rejects.toMatchObject({ code: "aborted", reason: "enough" });
    expect(signals.length).toBe(2);
    expect(new Set([...signals, controller.signal]).size).toBe(3);
  });

  it("subtracts the cost of failed attempts from maxBudgetUsd", async () => {
    const cli = await fakeCli({
      steps: [
        {
          on: "user",
          do: [
            { init: {} },
            {
              result: { is_error: true, api_error_status: 500, result: "no", total_cost_usd: 0.4 },
            },
          ],
        },
      ],
    });
    onTestFinished(() => cli.dispose());
    const retry = { attempts: 9, baseMs: 1 };
    const failed = complete("x", { cliPath: cli.path, maxBudgetUsd: 1, retry });
    await expect(failed).rejects.toMatchObject({ code: "api_error" });
    const starts = await startsOf(cli);
    const budgets = starts.map(({ argv }) =>
      Number(argv.find((each) => each.startsWith("--max-budget-usd="))?.split("=")[1]),
    );
    expect(budgets).toEqual([1, expect.closeTo(0.6, 6), expect.closeTo(0.2, 6)]);
  });

  it("rejects with the partialText of the last attempt", async () => {
    const cli = await fakeCli({
      steps: [{ on: "user", do: [{ init: {} }, { assistant: "Half" }, { exit: 3 }] }],
    });
    onTestFinished(() => cli.dispose());
    const call = complete("x", { cliPath: cli.path, retry: { attempts: 1, baseMs: 1 } });
    await expect(call).rejects.toMatchObject({ code: "process_exited", partialText: "Half" });
    expect((await startsOf(cli)).length).toBe(2);
  });

  it("rejects with the code of the last attempt", async () => {
    const failing = (process: number, status: number): Step => {
      const result = { is_error: true, api_error_status: status, result: "no" };
      return { on: "user", process, do: [{ init: {} }, { result }] };
    };
    const cli = await fakeCli({ steps: [failing(1, 500), failing(2, 529)] });
    onTestFinished(() => cli.dispose());
    const call = complete("x", { cliPath: cli.path, retry: { attempts: 1, baseMs: 1 } });
    await expect(call).rejects.toMatchObject({ code: "overloaded" });
    expect((await startsOf(cli)).length).toBe(2);
  });

  it("adds the usage and cost of failed attempts to the completion", async () => {
    const modelUsage = (tokens: number, costUSD: number) => ({
      "claude-x": {
        inputTokens: tokens,
        outputTokens: tokens,
        cacheReadInputTokens: 0,
        cacheCreationInputTokens: 0,
        costUSD,
      },
    });
    const failed = { is_error: true, api_error_status: 500, result: "no" };
    const spent = { modelUsage: modelUsage(1000, 0.1), total_cost_usd: 0.1 };
    const cli = await fakeCli({
      steps: [
        { on: "user", process: 1, do: [{ init: {} }, { result: { ...failed, ...spent } }] },
        { on: "user", process: 2, do: [{ init: {} }, { result: { result: "Done.", ...spent } }] },
      ],
    });
    onTestFinished(() => cli.dispose());
    const completion = await complete("x", { cliPath: cli.path, retry: QUICK });
    expect(completion).toMatchObject({ text: "Done.", usage: { input_tokens: 2000 } });
    expect(completion.costUsd).toBeCloseTo(0.2, 6);
  });
});

describe.runIf(FULL).each(CLIS)(
  "complete() with retry, costs on the real CLI $name",
  ({ path }) => {
    it("adds the usage and cost of a failed attempt that had a round", async () => {
      const usage = { input_tokens: 1000, output_tokens: 500 };
      const { options } = await world(path, [
        reply(["Hm. ", toolUse("Read", { file_path: "/nowhere" })], { usage }),
        apiError(500),
        reply("Done.", { usage }),
      ]);
      const model = "claude-sonnet-4-5";
      const completion = await complete("x", { ...options, model, tools: ["Read"], retry: QUICK });
      expect(completion).toMatchObject({ text: "Done.", usage: { input_tokens: 2000 } });
      expect(completion.costUsd).toBeCloseTo(2 * 0.0105, 6);
    });
  },
);
