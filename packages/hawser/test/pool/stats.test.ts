import { expect, it } from "vitest";
import { openSession } from "../../src/session/index.js";
import { atRest, onFake, slowTurn, until } from "./on-fake.helper.js";

it("Pool.stats() sums up the calls and their timings", async () => {
  const { pool, options } = await onFake(
    { concurrency: 2, size: { max: 2 } },
    { steps: [{ on: "user", times: "always", do: slowTurn(60) }] },
  );
  const before = pool.stats();
  expect(before.queuedMs).toEqual({ count: 0, p50: undefined, p90: undefined, p99: undefined });
  expect(before.calls).toMatchObject({ running: 0, queued: 0, limit: 2, cold: 0, warm: 0 });

  const calls = Array.from({ length: 10 }, () => pool.complete("x", options));
  const busy = await until(pool, ({ calls: { running } }) => running === 2);
  expect(busy.calls.queued).toBe(8);
  const timings = (await Promise.all(calls)).map(({ timing }) => timing);
  const after = await atRest(pool);
  expect(after.calls).toMatchObject({ succeeded: 10, failed: 0, cold: 2, warm: 8 });
  expect(after.processes).toMatchObject({ started: 2, recycled: 2 });
  expect(after.processes.rssMb).toBeGreaterThan(20);

  for (const name of ["queuedMs", "bootMs", "runMs", "totalMs"] as const) {
    const { count, p50 = 0, p90 = 0, p99 = 0 } = after[name];
    const own = timings.map((timing) => timing[name] ?? Number.NaN).sort((a, b) => a - b);
    expect(count).toBe(10);
    expect(p50).toBeLessThanOrEqual(p90);
    expect(p90).toBeLessThanOrEqual(p99);
    // The total of a call includes the search for the CLI.
    if (name !== "totalMs") expect(Math.abs(p50 - (own[4] ?? 0))).toBeLessThan(50);
  }
  for (const { queuedMs = 0, bootMs = 0, runMs = 0, totalMs } of timings) {
    expect(runMs).toBeGreaterThanOrEqual(55);
    expect(queuedMs + bootMs + runMs).toBeLessThanOrEqual(totalMs + 1);
  }
  const waited = timings.filter(({ queuedMs = 0 }) => queuedMs > 20);
  expect(waited.length).toBe(8);
});

it("Pool.stats() counts an open session as one running call, and not its turns", async () => {
  const { pool, options } = await onFake({ concurrency: 1, size: { max: 1 } });
  const session = await openSession({ ...options, pool });
  expect(await session.send("a").text()).toBe("ok");
  expect(await session.send("b").text()).toBe("ok");
  expect(pool.stats()).toMatchObject({
    calls: { running: 1, succeeded: 0, cold: 1 },
    processes: { serving: 1 },
  });
  const waits = pool.complete("x", options);
  await until(pool, ({ calls: { queued } }) => queued === 1);
  await session.close();
  expect((await waits).text).toBe("ok");
  // A reset does not undo what the caller may have changed in a session.
  expect((await atRest(pool)).processes.discarded).toEqual({ not_recyclable: 1 });
  expect(pool.stats().calls).toMatchObject({ succeeded: 2, failed: 0 });
});

it("Pool.stats() says how many calls of each tenant wait", async () => {
  const { pool, options } = await onFake({ concurrency: 1, size: { max: 1 } });
  const session = await openSession({ ...options, pool });
  expect(pool.stats().queuedByTenant).toEqual({});
  const tenants = ["acme", "acme", "__proto__", undefined];
  const calls = tenants.map((tenant) => pool.complete("x", { ...options, tenant }));
  const { queuedByTenant } = await until(pool, ({ calls: { queued } }) => queued === 4);
  expect(Object.entries(queuedByTenant)).toEqual([
    ["acme", 2],
    ["__proto__", 1],
  ]);
  await session.close();
  await Promise.all(calls);
  expect((await atRest(pool)).queuedByTenant).toEqual({});
});
