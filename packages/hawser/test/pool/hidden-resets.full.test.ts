import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { leaseRequestFor } from "../../src/complete/index.js";
import type { PoolOptions, PoolSettings } from "../../src/pool/options.js";
import type { Step } from "../../src/testing/index.js";
import { type CoreOnFake, coreOnFake } from "./core.helper.js";
import { atRest } from "./on-fake.helper.js";

const TWO = { size: { min: 1, max: 2 } };
const CORES = { starts: 2 };

/** A pool with one process, which takes this long for a reset. */
async function withSlowResets(ms: number, options: PoolOptions, settings: Partial<PoolSettings>) {
  const steps: Step[] = [{ on: "clear", times: "always", do: [{ sleep: ms }, { clear: {} }] }];
  const on = await coreOnFake(options, settings, { steps });
  // Without it, the pool has a second process for other options from the first call on.
  on.core.warm(leaseRequestFor("complete()", { cliPath: on.cli.path }));
  await on.core.ready();
  return on;
}

/** Calls that follow each other at once, until the second process has served one; at most so many. */
async function callsUntilSecond({ core, ask }: CoreOnFake, most: number): Promise<number> {
  const { by } = core.stats().calls;
  const isServed = () => {
    const { initialized, generic } = core.stats().calls.by;
    return initialized + generic > by.initialized + by.generic + 1;
  };
  let calls = 0;
  for (; calls < most && !isServed(); calls += 1) await ask("x");
  return calls;
}

describe("Pool whose calls follow each other at once", () => {
  it("starts a second process when the waits for resets have taken as long as a start, and no call waits then", async () => {
    const on = await withSlowResets(150, TWO, CORES);
    const { core, ask } = on;
    const calls = await callsUntilSecond(on, 200);
    // The first wait was too short to pay for a process.
    expect(calls).toBeGreaterThan(3);
    expect(calls).toBeLessThan(200);
    for (let count = 0; count < 6; count += 1) {
      await atRest(core);
      await ask("x");
      // The process of this call is being reset. The other one is free for the next call.
      expect(core.stats().processes.recycled).toBeGreaterThan(0);
    }
    expect((await atRest(core)).processes).toMatchObject({
      started: 2,
      recycled: 2,
      discarded: {},
    });
  });

  it.each<[string, PoolOptions, Partial<PoolSettings>]>([
    ["with size.max 1", { size: { min: 1, max: 1 } }, CORES],
    ["on one core", TWO, { starts: 1 }],
  ])("starts no second process %s", async (_, options, settings) => {
    const on = await withSlowResets(150, options, settings);
    expect(await callsUntilSecond(on, 12)).toBe(12);
    expect((await atRest(on.core)).processes).toMatchObject({ started: 1, recycled: 1 });
  });

  it("starts no second process when the calls leave time for the resets", async () => {
    const { core, ask } = await withSlowResets(50, TWO, CORES);
    for (let calls = 0; calls < 15; calls += 1) {
      await ask("x");
      await atRest(core);
    }
    expect(core.stats()).toMatchObject({
      processes: { started: 1 },
      calls: { by: { initialized: 1, recycled: 14 } },
    });
  });

  it("starts no second process for a few calls", async () => {
    const on = await withSlowResets(10, TWO, CORES);
    expect(await callsUntilSecond(on, 4)).toBe(4);
    expect((await atRest(on.core)).processes.started).toBe(1);
  });

  it.each<[string, Partial<PoolOptions>]>([
    ["an initialized spare", { size: { min: 2, max: 2 } }],
    ["a generic spare", { size: { min: 1, max: 2 } }],
  ])("takes %s that the pool has anyway, instead of a third process", async (kind, options) => {
    const steps: Step[] = [{ on: "clear", times: "always", do: [{ sleep: 150 }, { clear: {} }] }];
    const on = await coreOnFake(options, CORES, { steps });
    const { core, ask, cli } = on;
    if (kind === "an initialized spare") {
      core.warm(leaseRequestFor("complete()", { cliPath: cli.path }));
      await core.ready();
    } else {
      // A single call lets the pool expect other options, for which it starts a generic spare.
      await ask("x");
      await sleep(1_500);
      expect(core.stats().processes.generic).toBe(1);
    }
    for (let calls = 0; calls < 100 && core.stats().processes.recycled < 2; calls += 1) {
      await ask("x");
      if (core.stats().processes.generic + core.stats().processes.initialized === 0) {
        await atRest(core);
      }
    }
    expect((await atRest(core)).processes).toMatchObject({ started: 2, recycled: 2 });
  });
});
