import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rankOf } from "../../src/accounting/fair-order.js";
import { fillQueue } from "../support/fill-queue.js";
import { createRunWorld, doneWith, type RunProgram, type RunWorld } from "../support/run-world.js";

const RUNS = 100_000;
const TENANTS = 2_000;
/** Ten times what was observed on a quiet machine. The bench has the real target, which is a tenth of this. */
const SLOW_MS = 100;

let world: RunWorld;
let program: RunProgram;
beforeAll(async () => {
  world = await createRunWorld();
  program = await world.open();
  const template = await program.submit({ tenant: "template" });
  await fillQueue(program.database, {
    template: template.id,
    runs: RUNS,
    tenants: TENANTS,
    rankOf: (tag) => rankOf(0, tag, 0),
  });
}, 600_000);
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

async function claimTimes(count: number): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const beganAt = performance.now();
    const claim = await program.claim();
    times.push(performance.now() - beganAt);
    await program.claims.settle(claim, doneWith("served"));
  }
  return times;
}

describe("100,000 queued runs of 2,000 tenants", () => {
  it("are claimed as fast as a few after the first slow claim has refreshed the statistics", async () => {
    const times = await claimTimes(60);
    console.info(
      `claim: first ${times[0]?.toFixed(1)} ms, then p50 ${median(times.slice(10)).toFixed(1)} ms`,
    );
    expect(median(times.slice(10))).toBeLessThan(SLOW_MS);
  }, 600_000);

  it("are claimed in turns of the tenants", async () => {
    const claims = [];
    for (let index = 0; index < 50; index++) claims.push(await program.claim());
    expect(new Set(claims.map(({ run }) => run.tenant)).size).toBe(50);
    for (const claim of claims) await program.claims.settle(claim, doneWith("served"));
  }, 600_000);

  it("are claimed fast while half of the tenants are paused", async () => {
    await program.rows(
      "update hawser.tenant set paused = true where substr(name, 8)::int % 2 = 0 and name like 'filled-%'",
    );
    const times = await claimTimes(30);
    console.info(`claim with 1,000 tenants paused: p50 ${median(times).toFixed(1)} ms`);
    expect(median(times)).toBeLessThan(2 * SLOW_MS);
  }, 600_000);

  it("cost a claim nothing if all of them are blocked", async () => {
    await program.tenants.pauseAccount("default", new Date(Date.now() + 3_600_000), "usage_limit");
    const times: number[] = [];
    for (let index = 0; index < 10; index++) {
      const beganAt = performance.now();
      expect(await program.tryClaim()).toBeUndefined();
      times.push(performance.now() - beganAt);
    }
    console.info(`claim with everything blocked: p50 ${median(times).toFixed(1)} ms`);
    expect(median(times)).toBeLessThan(2 * SLOW_MS);
  }, 600_000);
});
