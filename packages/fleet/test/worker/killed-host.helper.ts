import { expect } from "vitest";
import type { Run } from "../../src/runs/run.js";
import { collect } from "../support/collect.js";
import type { Host, HostOptions } from "../support/host.js";
import { beganAt, type HostWorld } from "../support/host-world.js";

export const LEASE_MS = 10_000;

export interface KilledHost {
  /** The names of the hosts and of their queue. */
  readonly name: string;
  readonly prompt: string;
  /** Resolves when the first host is to be killed. */
  when(run: Run, first: Host): Promise<void>;
  readonly hold?: "workspace" | "approve";
  readonly options?: Partial<HostOptions>;
}

/** Submits a run, kills the host that works on it, and checks that another host goes on in time. */
export async function killHost(world: HostWorld, kill: KilledHost): Promise<Run> {
  const { name, prompt, when, hold, options } = kill;
  const work = { labels: [name], ...options?.work };
  const first = await world.host(`${name}-1`, { ...options, work });
  if (hold !== undefined) first.hold(hold);
  const run = await world.fleet.submit(prompt, { queue: name });
  await when(run, first);
  const second = await world.host(`${name}-2`, { ...options, work });
  const killedAt = Date.now();
  await first.kill();
  expect((await beganAt(world, run, 2)) - killedAt).toBeLessThan(LEASE_MS + 5_000);
  expect((await run.info()).host).toBe(second.name);
  await first.gone();
  return run;
}

/** What must hold whatever happened: one outcome, and one charge for each segment, the lost one estimated. */
export async function expectBookedOnce(world: HostWorld, run: Run): Promise<void> {
  const { segments, costUsd, costEstimated } = await run.result();
  expect({ segments, costEstimated }).toEqual({ segments: 2, costEstimated: true });
  const charges = await world.rows<{ cost_usd: string }>(
    "select segment, estimated, cost_usd from hawser.charge where run_id = $1 order by segment",
    [run.id],
  );
  expect(charges).toMatchObject([
    { segment: 1, estimated: true },
    { segment: 2, estimated: false },
  ]);
  expect(charges.reduce((sum, { cost_usd }) => sum + Number(cost_usd), 0)).toBeCloseTo(costUsd, 9);
  const events = await collect(run.events());
  expect(events.filter(({ type }) => type === "ended")).toHaveLength(1);
  expect(events.filter(({ type }) => type === "lost")).toHaveLength(1);
}
