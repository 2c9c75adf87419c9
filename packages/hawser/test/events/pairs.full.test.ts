import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createPool } from "../../src/pool/index.js";
import { openSession } from "../../src/session/index.js";
import type { Action } from "../../src/testing/index.js";
import { fc } from "../support/fc.js";
import { reusedFake } from "../support/reused-fake.js";
import { runs } from "../support/runs.js";
import { unpaired, watchEvents } from "./watched-events.helper.js";

/** Turns that end well, fail, ask, hang, or end with their process. */
const ENDS_IN_TOOL: readonly Action[] = [
  { init: {} },
  { assistant: [{ type: "tool_use", id: "t", name: "Bash", input: {} }] },
  { die: "SIGKILL" },
];
const ASKS: readonly Action[] = [
  { turn: ["one", { tool: "Bash", input: { command: "x" } }, "two"] },
];
const TURNS: readonly (readonly Action[])[] = [
  ENDS_IN_TOOL,
  ASKS,
  [{ turn: "ok" }],
  [{ turn: [{ tool: "Read", allowed: true, error: "No such file." }, "two"] }],
  [{ turn: [{ tool: "Bash", input: { command: "x" }, ms: 200 }, "late"] }],
  [{ init: {} }, { sleep: 150 }, { assistant: "late" }, { result: {} }],
  [{ init: {} }, { assistant: "half" }, { exit: 3 }],
  [{ die: "SIGKILL" }],
  [{ apiError: 529 }],
  [{ apiError: 400 }],
];

const step = fc.constantFrom(...TURNS);
const call = fc.record({
  abortAfterMs: fc.option(fc.integer({ min: 0, max: 120 }), { nil: undefined }),
  afterMs: fc.integer({ min: 0, max: 60 }),
});

/** More calls than the pool accepts. */
const atOnce = Array.from({ length: 6 }, () => ({ abortAfterMs: undefined, afterMs: 0 }));

describe("the events of a pool and of sessions in trouble", () => {
  it("have exactly one end for every start, after kills, aborts, failures and refusals", async () => {
    const seen = watchEvents();
    const outcomes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 6 }),
        fc.array(call, { minLength: 1, maxLength: 6 }),
        async (turns, calls) => {
          seen.length = 0;
          const steps = turns.map((actions) => ({ on: "user" as const, do: actions }));
          const cli = await reusedFake({ steps });
          const options = {
            cliPath: cli.path,
            closeGraceMs: 50,
            includePartialMessages: true,
            canUseTool: async () => {
              await sleep(20);
              return { behavior: "deny" as const, message: "No." };
            },
          };
          const pool = createPool({ concurrency: 2, queueLimit: 2, size: { min: 0, max: 2 } });
          const running = calls.map(async ({ abortAfterMs, afterMs }) => {
            await sleep(afterMs);
            const signal =
              abortAfterMs === undefined ? undefined : AbortSignal.timeout(abortAfterMs);
            await pool.complete("x", { ...options, signal, timeouts: { totalMs: 3_000 } });
          });
          const recovering = openSession({ ...options, recover: true }).then(async (session) => {
            await Promise.allSettled([session.send("a").result, session.send("b").result]);
            await session.close();
          });
          await Promise.allSettled([...running, recovering]);
          await pool.close();
          expect(unpaired(seen)).toEqual([]);
          for (const { channel, event } of seen) outcomes.add(`${channel} ${event["outcome"]}`);
        },
      ),
      {
        numRuns: runs(50),
        examples: [
          [[ENDS_IN_TOOL], atOnce],
          [[ASKS], atOnce],
        ],
      },
    );
    expect([...outcomes]).toEqual(
      expect.arrayContaining([
        "callEnd ok",
        "turnEnd process_exited",
        "toolEnd denied",
        "toolEnd interrupted",
        "roundEnd ok",
        "permissionDecided undefined",
        "admissionRefused undefined",
      ]),
    );
  }, 600_000);
});
