import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Pool } from "../../src/pool/index.js";
import { processes } from "../../src/process/index.js";
import type { Step } from "../../src/testing/index.js";
import { startsOf } from "../support/starts.js";
import { atRest, onFake, PATIENCE, until } from "./on-fake.helper.js";

const isAtRest = { starting: 0, serving: 0, resetting: 0, closing: 0 };

/** The highest value that `look` returns until the returned function is called. */
function watch(look: () => number): () => number {
  let most = look();
  const timer = setInterval(() => {
    most = Math.max(most, look());
  }, 3);
  return () => {
    clearInterval(timer);
    return most;
  };
}

/** Waits until this many spares are ready and all other processes are idle. */
function spares(pool: Pool, count: number): Promise<unknown> {
  return until(pool, ({ processes: { generic, initialized, ...others } }) => {
    const rest = { ...others, ...isAtRest };
    return generic + initialized === count && JSON.stringify(rest) === JSON.stringify(others);
  });
}

describe("Pool spare", () => {
  it("is started after the first call, and again after each use", async () => {
    const { pool, options, cli } = await onFake({ isolation: "process" });
    for (let n = 0; n < 3; n += 1) {
      const { text } = await pool.complete("x", { ...options, systemPrompt: `You are ${n}.` });
      expect(text).toBe("ok");
      await spares(pool, 1);
    }
    expect(pool.stats()).toMatchObject({
      calls: { by: { cold: 1, generic: 2, initialized: 0, recycled: 0 }, cold: 1, warm: 2 },
      processes: { started: 4, discarded: { not_recyclable: 3 } },
    });
    // An unused spare has received only requests that any CLI can answer.
    const spare = (await startsOf(cli)).at(-1);
    const told = spare?.lines.map((line) => JSON.parse(line).request?.subtype);
    expect(told).toEqual(["get_binary_version", "list_models"]);
  });

  it("is kept in the number of size.min", async () => {
    const { pool, options } = await onFake({ size: { min: 3, max: 6 }, isolation: "process" });
    await pool.complete("x", options);
    await spares(pool, 3);
    await pool.complete("x", { ...options, systemPrompt: "Another." });
    await spares(pool, 3);
    expect(pool.stats().processes.started).toBe(5);
  });

  it("waits while as many processes start as there are cores", async () => {
    const SPARES = Math.min(6, availableParallelism() + 1);
    const slow: Step = { on: "start", times: "always", do: [{ sleep: 150 }] };
    const { pool, options } = await onFake(
      { size: { min: SPARES, max: SPARES + 2 }, isolation: "process" },
      { steps: [slow] },
    );
    const most = watch(() => pool.stats().processes.starting);
    await pool.complete("x", options);
    await spares(pool, SPARES);
    expect(most()).toBe(Math.min(SPARES, availableParallelism()));
  });

  it("is initialized for options that two calls had", async () => {
    const { pool, options, cli } = await onFake({ isolation: "process" });
    const again = { ...options, systemPrompt: "Always the same." };
    for (let n = 0; n < 2; n += 1) {
      await pool.complete("x", again);
      await until(pool, ({ processes: { generic, initialized } }) => generic + initialized > 0);
    }
    await until(pool, ({ processes: { initialized } }) => initialized === 1);
    const unused = (await startsOf(cli)).filter(({ lines }) => !lines.join().includes('"user"'));
    expect(unused.map(({ lines }) => lines.join()).join()).toContain("Always the same.");
    await pool.complete("x", again);
    expect(pool.stats().calls.by).toMatchObject({ cold: 1, generic: 1, initialized: 1 });
  });

  it("of `warm` is started again after use, also when calls with other options use its key", async () => {
    const { pool, options } = await onFake((call) => ({
      isolation: "process",
      warm: [{ ...call, systemPrompt: "Announced." }],
    }));
    for (let n = 0; n < 2; n += 1) {
      await until(pool, ({ processes: { initialized } }) => initialized === 1);
      await pool.complete("x", { ...options, systemPrompt: "Announced." });
      await pool.complete("x", { ...options, systemPrompt: `Other ${n}.` });
    }
    expect(pool.stats().calls.by.initialized).toBe(2);
  });

  it("with another spawn key is not used and does not delay the call", async () => {
    const { pool, cli, options } = await onFake(
      { isolation: "process", concurrency: 1, size: { max: 2 } },
      { steps: [{ on: "start", process: 2, do: [{ hang: true }] }] },
    );
    await pool.complete("x", options);
    // The spare must hang, not the process of the next call.
    await vi.waitFor(async () => expect(await startsOf(cli)).toHaveLength(2), PATIENCE);
    const other = await pool.complete("x", { ...options, env: { OTHER: "1" } });
    expect(other.timing.queuedMs).toBeLessThan(100);
    expect(pool.stats().calls.by.cold).toBe(2);
  });

  it("that was unused for longest is evicted first when the pool is full", async () => {
    const { pool, options } = await onFake({
      isolation: "process",
      concurrency: 1,
      size: { max: 2 },
    });
    const most = watch(() => {
      const {
        closing: _,
        started: __,
        rssMb: ___,
        discarded: ____,
        ...living
      } = pool.stats().processes;
      return Object.values(living).reduce((sum, count) => sum + count, 0);
    });
    const call = async (key: string) => {
      const before = pool.stats().calls.by.generic;
      await pool.complete("x", { ...options, env: { KEY: key }, systemPrompt: `${Math.random()}` });
      const { calls } = await atRest(pool);
      await until(pool, ({ processes: { generic, closing } }) => generic >= 1 && closing === 0);
      return calls.by.generic > before;
    };
    expect([await call("a"), await call("b")]).toEqual([false, false]);
    await spares(pool, 2);
    expect(await call("c")).toBe(false);
    await spares(pool, 2);
    // The spares of b and c are left.
    expect(await call("b")).toBe(true);
    await spares(pool, 2);
    expect(await call("c")).toBe(true);
    await spares(pool, 2);
    expect(await call("a")).toBe(false);
    expect(pool.stats().processes.discarded.evicted_for_call).toBe(2);
    expect(most()).toBe(2);
  });

  it("never exceeds size.max together with serving processes and sessions", async () => {
    const { pool, options } = await onFake({ size: { min: 3, max: 3 }, isolation: "process" });
    const most = watch(() => processes().length - pool.stats().processes.closing);
    await using session = await pool.openSession({ ...options, sessionId: crypto.randomUUID() });
    const calls = Array.from({ length: 7 }, (_, i) =>
      pool.complete("x", { ...options, env: { KEY: `${i % 3}` }, systemPrompt: `${i}` }),
    );
    await Promise.all(calls);
    await until(pool, ({ processes: { generic, initialized } }) => generic + initialized === 2);
    expect(await session.send("x").text()).toBe("ok");
    expect(most()).toBe(3);
  });

  it("that fails to start is started again, and fails no call", async () => {
    const dies: Step = { on: "start", process: 1, do: [{ exit: 1 }] };
    const { pool, options } = await onFake((call) => ({ warm: [call] }), { steps: [dies] });
    await until(pool, ({ processes: { initialized } }) => initialized === 1);
    expect(pool.stats().processes.discarded).toEqual({ start_failed: 1 });
    expect((await pool.complete("x", options)).text).toBe("ok");
    expect(pool.stats().calls.by).toMatchObject({ initialized: 1, cold: 0 });
  });
});

describe("Pool with calls from several folders", () => {
  const folders = () => {
    const all = Array.from({ length: 3 }, () => mkdtempSync(join(tmpdir(), "hawser-cwd-")));
    onTestFinished(() => {
      for (const each of all) rmSync(each, { recursive: true });
    });
    return all;
  };

  it.each([
    ["2.1.325", true],
    ["2.1.197", false],
  ])("sends the folder to a spare of version %s by claim_session: %s", async (version, isLate) => {
    const { pool, options, cli } = await onFake(
      { isolation: "process", size: { min: 1, max: 3 } },
      { version: `${version} (Claude Code)` },
    );
    const all = folders();
    for (const [n, cwd] of all.entries()) {
      await pool.complete("x", { ...options, cwd });
      const most = isLate ? 2 : 3;
      if (n < 2) {
        await until(pool, ({ processes: { generic } }) => generic === Math.min(most, n + 1));
      }
    }
    const { by } = pool.stats().calls;
    expect(by).toMatchObject(isLate ? { cold: 2, generic: 1 } : { cold: 3, generic: 0 });
    const starts = await startsOf(cli);
    const claims = starts.flatMap(({ lines }) =>
      lines.flatMap((line) => {
        const { request } = JSON.parse(line);
        return request?.subtype === "claim_session" ? [request.cwd] : [];
      }),
    );
    expect(claims).toEqual(isLate ? all.slice(2) : []);
    const flagged = starts.filter(({ argv }) => argv.includes("--await-claim"));
    expect(flagged.length > 0).toBe(isLate);
  });
});
