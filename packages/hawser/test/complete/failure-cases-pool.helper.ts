import type { CompletionStream } from "../../src/complete/index.js";
import type { Options } from "../../src/options/index.js";
import { createPool, type Pool, type PoolOptions } from "../../src/pool/index.js";
import { hang } from "../../src/testing/index.js";
import type { World } from "../support/world.js";
import { attempting, type Cause } from "./failure-cases.helper.js";

interface Around {
  readonly options?: Options;
  readonly before?: (pool: Pool, place: World) => Promise<unknown>;
  readonly meanwhile?: (pool: Pool, call: CompletionStream<unknown>) => Promise<unknown>;
}

/** A call through its own pool, which is closed after the outcome of the call. */
function pooled(settings: PoolOptions, around: Around = {}): Cause["attempt"] {
  return async (path) => {
    const { options = {}, before, meanwhile } = around;
    await using pool = createPool(settings);
    return await attempting({
      replies: [hang("Half an answer")],
      options: async (place) => {
        await before?.(pool, place);
        return { ...options, pool };
      },
      ...(meanwhile === undefined ? {} : { meanwhile: (_, call) => meanwhile(pool, call) }),
    })(path);
  };
}

/** Failures that a pool causes. */
export const BY_A_POOL: readonly Cause[] = [
  {
    cause: "The pool was closed before the call",
    attempt: pooled({}, { before: (pool) => pool.close() }),
    becomes: { code: "pool_closed", message: /pool is closed/ },
    mostCalls: 0,
  },
  {
    cause: "The pool is closed in mid-answer",
    attempt: pooled(
      {},
      {
        meanwhile: async (pool, { textStream }) => {
          for await (const _piece of textStream) await pool.close();
        },
      },
    ),
    becomes: {
      code: "pool_closed",
      message: /pool is closed/,
      resumable: false,
      partialText: "Half an answer",
    },
  },
  {
    cause: "All places of the pool are taken, and no call may wait (`queueLimit: 0`)",
    elsewhere: "pool/admission.test.ts",
    attempt: pooled(
      { concurrency: 1, queueLimit: 0 },
      {
        before: (pool, { options, model }) => {
          pool.complete("First.", options).catch(() => {});
          return model.waitFor(({ kind }) => kind === "call");
        },
      },
    ),
    becomes: { code: "pool_full", message: /All places of the pool are taken/ },
  },
  {
    cause: "The budget of the pool is spent",
    attempt: pooled({ budgetUsd: 0 }),
    becomes: {
      code: "budget_refused",
      message: /The pool has spent \$0 of its budget of \$0/,
      hint: "Raise `budgetUsd`.",
    },
    mostCalls: 0,
  },
  {
    cause: "The budget of the tenant is spent",
    attempt: pooled({ budgetUsd: { perTenant: 0 } }, { options: { tenant: "x" } }),
    becomes: {
      code: "budget_refused",
      message: /Tenant "x" has spent \$0 of its budget of \$0/,
      hint: "Raise `budgetUsd.perTenant`.",
    },
    mostCalls: 0,
  },
  {
    cause: 'A call with tools in a pool that reuses every process (`isolation: "conversation"`)',
    attempt: pooled({ isolation: "conversation" }, { options: { tools: ["Bash"] } }),
    becomes: {
      code: "invalid_options",
      message: /cannot serve another call after a reset: tools/,
      hint: 'Change these options, or give the pool `isolation: "auto"`.',
      issues: [
        { path: "tools", message: "tools leave files, shells and grants behind: must be []" },
      ],
    },
    mostCalls: 0,
  },
];
