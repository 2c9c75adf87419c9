import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, expectTypeOf, it, onTestFinished } from "vitest";
import { z } from "zod";
import {
  type CompleteOptions,
  type Completion,
  complete,
  stream,
} from "../../src/complete/index.js";
import type { Options } from "../../src/options/index.js";
import { type Action, fakeCli, type Step } from "../../src/testing/index.js";
import { isMessage, type Message } from "../../src/wire/index.js";
import { BUILT_ROOT } from "../support/built.js";
import { startsOf } from "../support/starts.js";
import { writtenSession } from "../support/written-session.js";

async function fake(steps: readonly Step[]): Promise<Awaited<ReturnType<typeof fakeCli>>> {
  const cli = await fakeCli({ steps });
  onTestFinished(() => cli.dispose());
  return cli;
}

const FAILED = { is_error: true, api_error_status: 500, result: "no" };
const LIMIT = { subtype: "error_max_turns", is_error: true, errors: ["limit"], result: null };

describe("complete() with a schema whose check never settles", () => {
  const schema = z.object({ a: z.string().refine(() => new Promise<boolean>(() => {})) });
  const GIVES: Step = {
    on: "user",
    do: [{ init: {} }, { result: { structured_output: { a: "x" } } }],
  };

  it("rejects with timeout at totalMs", async () => {
    const { path } = await fake([GIVES]);
    const call = complete("x", { cliPath: path, schema, timeouts: { totalMs: 3000 } });
    await expect(call).rejects.toMatchObject({
      code: "timeout",
      phase: "total",
      sessionId: expect.any(String),
    });
  });

  it("rejects with aborted when the signal is aborted", async () => {
    const { path } = await fake([GIVES]);
    const controller = new AbortController();
    const call = stream("x", { cliPath: path, schema, signal: controller.signal });
    const read = async () => {
      for await (const { type } of call) if (type === "result") controller.abort("enough");
    };
    await expect(read()).rejects.toMatchObject({ code: "aborted", reason: "enough" });
  });
});

describe("complete() with retry", () => {
  const SAYS_AND_FAILS: Step = {
    on: "user",
    do: [{ init: {} }, { assistant: "Half" }, { result: FAILED }],
  };

  it("shows a late reader of textStream only the text of the last attempt", async () => {
    const { path } = await fake([SAYS_AND_FAILS]);
    const call = stream("x", { cliPath: path, retry: { attempts: 1, baseMs: 1 } });
    await call.completion.catch(() => {});
    const pieces: string[] = [];
    const read = async () => {
      for await (const piece of call.textStream) pieces.push(piece);
    };
    await expect(read()).rejects.toMatchObject({ code: "api_error" });
    expect(pieces).toEqual(["Half"]);
  });

  it("keeps the facts of the failed attempt when aborted before the next one", async () => {
    const { path } = await fake([SAYS_AND_FAILS]);
    const controller = new AbortController();
    const call = stream("x", {
      cliPath: path,
      persistSession: true,
      signal: controller.signal,
      retry: { attempts: 1, baseMs: 60_000, maxMs: 60_000 },
    });
    const read = async () => {
      for await (const message of call)
        if (isMessage(message, "hawser")) controller.abort("enough");
    };
    await expect(read()).rejects.toMatchObject({
      code: "aborted",
      reason: "enough",
      partialText: "Half",
      sessionId: expect.any(String),
      resumable: true,
      cliVersion: "2.1.325",
    });
  });

  it("subtracts the known cost from maxBudgetUsd when the cost of a run is unknown", async () => {
    const cli = await fake([
      { on: "user", do: [{ init: {} }, { result: { ...LIMIT, total_cost_usd: 0.4 } }] },
      { on: "user", do: [{ init: {} }, { exit: 3 }] },
    ]);
    const call = complete("x", {
      cliPath: cli.path,
      maxTurns: 1,
      maxBudgetUsd: 1,
      autoResume: 1,
      retry: { attempts: 1, baseMs: 1 },
    });
    await expect(call).rejects.toMatchObject({ code: "process_exited" });
    const budgets = (await startsOf(cli)).map(({ argv }) =>
      Number(argv.find((each) => each.startsWith("--max-budget-usd="))?.split("=")[1]),
    );
    expect(budgets).toEqual([1, expect.closeTo(0.6, 6)]);
  });

  it.each([
    ["resumes", "written to disk", "--resume"],
    ["starts again", "lost with its process", "--session-id"],
  ])("%s a session that was %s", async (_does, was, flag) => {
    const cli = await fake([{ on: "user", do: [{ init: {} }, { exit: 9 }] }]);
    const { sessionId, env } = await writtenSession();
    const call = complete("x", {
      cliPath: cli.path,
      sessionId,
      persistSession: true,
      env: was === "written to disk" ? env : {},
      retry: { attempts: 1, baseMs: 1 },
    });
    await expect(call).rejects.toMatchObject({ code: "process_exited" });
    const ways = (await startsOf(cli)).map(({ argv }) =>
      argv.find((each) => /^--(resume|session-id)=/.test(each)),
    );
    expect(ways).toEqual([`--session-id=${sessionId}`, `${flag}=${sessionId}`]);
  });
});

it("stream() answers several next() calls at once", async () => {
  const { path } = await fake([{ on: "user", do: [{ turn: "ok" }] }]);
  const messages = stream("x", { cliPath: path })[Symbol.asyncIterator]();
  const items = await Promise.all(Array.from({ length: 10 }, () => messages.next()));
  const types = items.flatMap(({ done, value }) => (done ? [] : [(value as Message).type]));
  expect(types.at(0)).toBe("system");
  expect(types.at(-1)).toBe("result");
  expect(items.at(-1)).toEqual({ done: true, value: undefined });
});

describe("Completion.usage", () => {
  it("is the usage of the main thread if the CLI reports no usage by model", async () => {
    const usage = { input_tokens: 11, output_tokens: 22 };
    const cli = await fake([
      { on: "user", do: [{ init: {} }, { result: { usage, modelUsage: null } }] },
    ]);
    const { usage: used, modelUsage } = await complete("x", { cliPath: cli.path });
    expect({ used, modelUsage }).toMatchObject({ used: usage, modelUsage: undefined });
  });

  it("is the sum of all runs whose usage is known, like turns and permissionDenials", async () => {
    const usage = (tokens: number) => ({
      "claude-x": {
        inputTokens: tokens,
        outputTokens: tokens,
        cacheReadInputTokens: 0,
        cacheCreationInputTokens: 0,
        costUSD: 0.1,
      },
    });
    const denial = { tool_name: "Read", tool_use_id: "toolu_1", tool_input: {} };
    const limit = {
      ...LIMIT,
      num_turns: 3,
      permission_denials: [denial],
      model_usage_since_last_result: usage(1000),
    };
    const cli = await fake([
      { on: "user", do: [{ init: {} }, { result: limit }] },
      { on: "user", do: [{ init: {} }, { assistant: "two" }, { exit: 9 }] },
    ]);
    const session = await writtenSession();
    const options = { ...session, cliPath: cli.path, maxTurns: 1 };
    const completion = await complete("x", { ...options, autoResume: 2 });
    expect(completion).toMatchObject({
      turns: 6,
      permissionDenials: [denial, denial],
      usage: { input_tokens: 2000, output_tokens: 2000 },
      modelUsage: undefined,
      costUsd: undefined,
    });
  });
});

/** Runs a program that prints how many sessions it has closed and how many are still in memory. */
describe("the garbage collector", () => {
  it.each<[string, string, Action[]]>([
    ["a completed call", 'await complete("x", { cliPath }); await shutdown();', [{ turn: "ok" }]],
    [
      "a call that failed",
      'await complete("x", { cliPath }).catch(() => {});',
      [{ init: {} }, { result: FAILED }],
    ],
    [
      "a closed session",
      "const session = await openSession({ cliPath }); await session.close();",
      [],
    ],
  ])("frees the session of %s", async (_what, body, answer) => {
    const { path } = await fake([{ on: "user", do: answer }]);
    const source = `
      import { complete, openSession, shutdown } from ${JSON.stringify(BUILT_ROOT)};
      import { setTimeout as sleep } from "node:timers/promises";
      const cliPath = process.argv[1];
      const Session = (await openSession({ cliPath })).constructor;
      await shutdown();
      const weak = [];
      const close = Session.prototype.close;
      Session.prototype.close = function (...args) {
        weak.push(new WeakRef(this));
        return close.apply(this, args);
      };
      for (let i = 0; i < 4; i++) await (async () => { ${body} })();
      for (let i = 0; i < 50 && weak.filter((each) => each.deref()).length > 1; i++) {
        // deref() keeps an object alive until the next task.
        await sleep(20);
        gc();
      }
      console.log(weak.length, weak.filter((each) => each.deref()).length);`;
    const child = spawn(process.execPath, [
      "--expose-gc",
      "--input-type=module",
      "-e",
      source,
      path,
    ]);
    let out = "";
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString();
    });
    await once(child, "close");
    const [seen, left] = out.trim().split(" ").map(Number);
    expect(seen).toBeGreaterThanOrEqual(4);
    // The engine itself may still hold the last session.
    expect(left).toBeLessThanOrEqual(1);
  });
});

it("Completion has a type that follows the options", () => {
  const either = () =>
    complete("x", {
      schema: Math.random() > 2 ? z.object({ a: z.string() }) : z.object({ b: z.number() }),
    });
  expectTypeOf(either).returns.resolves.toEqualTypeOf<Completion<{ a: string } | { b: number }>>();
  const any = (options: Options) => complete("x", options);
  expectTypeOf(any).returns.resolves.toEqualTypeOf<Completion<unknown>>();
  const without = (options: CompleteOptions) => complete("x", options);
  expectTypeOf(without).returns.resolves.toEqualTypeOf<Completion<undefined>>();
  const unset = { retry: { attempts: undefined }, timeouts: { totalMs: undefined } };
  expectTypeOf(unset).toExtend<CompleteOptions>();
});
