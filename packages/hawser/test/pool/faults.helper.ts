import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { expect, onTestFinished, vi } from "vitest";
import { type HawserError, isHawserError, type ProcessEvent } from "../../src/base/index.js";
import type { Options } from "../../src/options/index.js";
import { createPool, type Pool, type PoolOptions } from "../../src/pool/index.js";
import { processes } from "../../src/process/index.js";
import type { FakeCli, Step } from "../../src/testing/index.js";
import { reusedFake } from "../support/reused-fake.js";
import { startsOf } from "../support/starts.js";

/** What a pool has published about its processes. */
export interface Told {
  /** In the order of their starts. */
  readonly pids: number[];
  readonly discarded: ProcessEvent[];
}

export interface Stage {
  readonly pool: Pool;
  readonly cli: FakeCli;
  readonly options: Options;
  readonly told: Told;
  /** How often a prompt with this word has arrived, at all processes together. */
  sent(word: string): Promise<number>;
}

/** A pool over a fake CLI. When the test is over the pool is closed, and none of its processes may be left. */
export async function stage(
  steps: readonly Step[],
  poolOptions: PoolOptions | ((options: Options) => PoolOptions) = {},
): Promise<Stage> {
  const cli = await reusedFake({ steps });
  const options: Options = { cliPath: cli.path, closeGraceMs: 200 };
  const own = typeof poolOptions === "function" ? poolOptions(options) : poolOptions;
  const told = listen();
  const pool = opened({ size: { min: 0, max: 4 }, ...own });
  const sent = async (word: string) => {
    const lines = (await startsOf(cli)).flatMap((each) => each.lines);
    return lines.filter((line) => line.includes(word) && line.includes('"type":"user"')).length;
  };
  return { pool, cli, options, told, sent };
}

/** A pool that is closed when the test is over: then no process may be left. */
export function opened(options: PoolOptions): Pool {
  const pool = createPool(options);
  onTestFinished(async () => {
    await pool.close();
    expect(processes()).toEqual([]);
  });
  return pool;
}

export function listen(): Told {
  const told: Told = { pids: [], discarded: [] };
  const onStart = (event: unknown) => told.pids.push((event as ProcessEvent).pid ?? 0);
  const onDiscarded = (event: unknown) => told.discarded.push(event as ProcessEvent);
  subscribe("hawser:process:start", onStart);
  subscribe("hawser:process:discarded", onDiscarded);
  onTestFinished(() => {
    unsubscribe("hawser:process:start", onStart);
    unsubscribe("hawser:process:discarded", onDiscarded);
  });
  return told;
}

/** Waits until `isSo` returns true for the pool's figures. */
export async function when(
  { pool }: Pick<Stage, "pool">,
  isSo: (stats: ReturnType<Pool["stats"]>) => boolean,
): Promise<void> {
  const check = () => expect(isSo(pool.stats()), JSON.stringify(pool.stats())).toBe(true);
  // A reset takes a few milliseconds, so that a longer interval could miss one.
  await vi.waitFor(check, { timeout: 20_000, interval: 2 });
}

export async function eventually(check: () => void | Promise<void>): Promise<void> {
  await vi.waitFor(check, { timeout: 20_000, interval: 10 });
}

export function kill9(pid: number | undefined): void {
  expect(pid).toBeGreaterThan(0);
  process.kill(pid as number, "SIGKILL");
}

/** The failure of a call, which must be a HawserError. */
export async function failureOf(call: Promise<unknown>): Promise<HawserError> {
  const outcome = await call.then(
    (value) => value,
    (error: unknown) => error,
  );
  if (!isHawserError(outcome)) throw new Error(`no failure of ours: ${String(outcome)}`);
  return outcome;
}

/** How long the work takes. */
export async function msOf(work: Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work;
  return performance.now() - from;
}
