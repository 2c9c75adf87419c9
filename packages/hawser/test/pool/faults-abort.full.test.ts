import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import type { Options } from "../../src/options/index.js";
import type { PoolOptions } from "../../src/pool/index.js";
import type { Step } from "../../src/testing/index.js";
import { startsOf } from "../support/starts.js";
import { eventually, failureOf, msOf, type Stage, stage, when } from "./faults.helper.js";

const ONE: PoolOptions = { size: { min: 0, max: 1 } };
const hang = (on: Step["on"], nth = 1): Step => ({ on, process: nth, do: [{ hang: true }] });

interface Moment {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly pool?: PoolOptions | ((options: Options) => PoolOptions);
  readonly before?: (at: Stage) => Promise<unknown>;
  readonly reached: (at: Stage) => Promise<unknown>;
  /** How often the prompt was sent by then. */
  readonly sent: number;
}

const started = (nth: number) => (at: Stage) =>
  eventually(async () => expect(await startsOf(at.cli)).toHaveLength(nth));
const asked = (word: string) => (at: Stage) =>
  eventually(async () => {
    const lines = (await startsOf(at.cli)).flatMap((each) => each.lines);
    expect(lines.some((line) => line.includes(word))).toBe(true);
  });

const MOMENTS: readonly Moment[] = [
  {
    name: "the call waits in the queue",
    steps: [hang("user")],
    pool: ONE,
    before: async (at) => {
      void at.pool.complete("other", at.options).catch(() => {});
      await asked("other")(at);
    },
    reached: (at) => when(at, ({ calls }) => calls.queued === 1),
    sent: 0,
  },
  { name: "the process of the call starts", steps: [hang("start")], reached: started(1), sent: 0 },
  {
    name: "the call waits for a spare that starts",
    steps: [hang("start")],
    pool: (options) => ({ size: { min: 1, max: 1 }, warm: [options] }),
    before: started(1),
    reached: (at) => when(at, ({ calls }) => calls.running === 1),
    sent: 0,
  },
  {
    name: "the call waits for a reset",
    steps: [hang("clear")],
    pool: ONE,
    before: async (at) => {
      await at.pool.complete("other", at.options);
      await asked("/clear")(at);
    },
    reached: (at) => when(at, ({ calls }) => calls.running === 1),
    sent: 0,
  },
  {
    name: "the process of the call initializes",
    steps: [hang("initialize")],
    reached: asked('"initialize"'),
    sent: 0,
  },
  { name: "the call runs", steps: [hang("user")], reached: asked("word"), sent: 1 },
];

describe("Pool on abort", () => {
  it.each(MOMENTS)("ends only the aborted call, at once, while $name", async (moment) => {
    const at = await stage(moment.steps, moment.pool ?? {});
    await moment.before?.(at);
    const abort = new AbortController();
    const reason = new Error("enough");
    const { signal } = abort;
    const failure = failureOf(at.pool.complete("word", { ...at.options, signal }));
    await moment.reached(at);
    abort.abort(reason);
    expect(await msOf(failure)).toBeLessThan(2_000);
    expect(await failure).toMatchObject({ code: "aborted", reason });
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(await at.sent("word")).toBe(moment.sent);
    // The slot is free again, unless another call has it.
    const others = moment.name.includes("queue") ? 1 : 0;
    await when(at, ({ calls }) => calls.running === others && calls.queued === 0);
    if (others === 0) {
      const next = { ...at.options, timeouts: { bootMs: 2_000 } };
      expect(await at.pool.complete("next", next)).toMatchObject({ text: "ok" });
    }
  });

  it("sends nothing when the signal is already aborted", async () => {
    const at = await stage([]);
    const signal = AbortSignal.abort();
    const failure = await failureOf(at.pool.complete("word", { ...at.options, signal }));
    expect(failure).toMatchObject({ code: "aborted" });
    expect(await failureOf(at.pool.openSession({ ...at.options, signal }))).toMatchObject({
      code: "aborted",
    });
    await when(at, ({ calls }) => calls.running === 0);
  });

  it("right after the answer keeps the process for the next call", async () => {
    const at = await stage([], ONE);
    for (const word of ["one", "two", "three"]) {
      const abort = new AbortController();
      const { signal } = abort;
      const call = at.pool.complete(word, { ...at.options, signal });
      void call.then(() => abort.abort());
      expect(await call).toMatchObject({ text: "ok" });
      expect(getEventListeners(signal, "abort")).toEqual([]);
    }
    expect(at.pool.stats().calls.by).toMatchObject({ cold: 1, recycled: 2 });
  });

  it("rejects openSession() in the queue, by `signal` and by `abortController`", async () => {
    const at = await stage([], ONE);
    const first = await at.pool.openSession(at.options);
    const abort = new AbortController();
    const { signal } = abort;
    const failures = [{ signal }, { abortController: abort }].map((more) => {
      return failureOf(at.pool.openSession({ ...at.options, ...more }));
    });
    await when(at, ({ calls }) => calls.queued === 2);
    abort.abort();
    for (const failure of failures) expect(await failure).toMatchObject({ code: "aborted" });
    expect(getEventListeners(signal, "abort")).toEqual([]);
    await first.close();
  });

  it("rejects openSession() during initialize, and ends an open session", async () => {
    const at = await stage([hang("initialize", 1)]);
    const abort = new AbortController();
    const opening = failureOf(at.pool.openSession({ ...at.options, signal: abort.signal }));
    await asked('"initialize"')(at);
    abort.abort();
    expect(await opening).toMatchObject({ code: "aborted" });
    const later = new AbortController();
    const session = await at.pool.openSession({ ...at.options, signal: later.signal });
    later.abort();
    expect(await failureOf(session.send("word").result)).toMatchObject({ code: "aborted" });
    await when(at, ({ calls }) => calls.running === 0);
    expect(getEventListeners(later.signal, "abort")).toEqual([]);
  });
});
