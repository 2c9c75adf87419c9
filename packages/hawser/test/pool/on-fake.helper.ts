import { expect, onTestFinished, vi } from "vitest";
import type { Options } from "../../src/options/index.js";
import { createPool, type Pool, type PoolOptions, type PoolStats } from "../../src/pool/index.js";
import { processes } from "../../src/process/index.js";
import type { Action, FakeCli, Scenario } from "../../src/testing/index.js";
import { reusedFake } from "../support/reused-fake.js";
import { startsOf } from "../support/starts.js";

export interface OnFake {
  readonly pool: Pool;
  readonly cli: FakeCli;
  /** The options of a call to the fake CLI. */
  readonly options: Options;
  /** The prompts that the processes of the fake CLI have received, without resets. */
  prompts(): Promise<string[]>;
}

/** A pool and a fake CLI for its calls. The pool is closed when the test is over. */
export async function onFake(
  options: PoolOptions | ((call: Options) => PoolOptions) = {},
  scenario: Scenario = {},
): Promise<OnFake> {
  const cli = await reusedFake(scenario);
  const call = { cliPath: cli.path };
  const pool = createPool(typeof options === "function" ? options(call) : options);
  onTestFinished(async () => {
    await pool.close();
    expect(processes()).toEqual([]);
  });
  return { pool, cli, options: call, prompts: () => promptsOf(cli) };
}

export async function promptsOf(cli: FakeCli): Promise<string[]> {
  const lines = (await startsOf(cli)).flatMap((each) => each.lines);
  return lines
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === "user")
    .map(({ message }) => textOf(message.content))
    .filter((text) => text !== "/clear");
}

/** How long a test waits for a process, which is slow on a busy machine. */
export const PATIENCE = { timeout: 20_000, interval: 10 };

/** Waits until no process starts, serves, is reset or is closed, and returns the figures of that moment. */
export function atRest(pool: Pick<Pool, "stats">): Promise<PoolStats> {
  return vi.waitFor(() => {
    const stats = pool.stats();
    const { starting, serving, resetting, closing } = stats.processes;
    expect({ starting, serving, resetting, closing, running: stats.calls.running }).toEqual({
      starting: 0,
      serving: 0,
      resetting: 0,
      closing: 0,
      running: 0,
    });
    return stats;
  }, PATIENCE);
}

/** Waits until `look` returns true for the pool's figures. */
export function until(pool: Pool, look: (stats: PoolStats) => boolean): Promise<PoolStats> {
  return vi.waitFor(() => {
    const stats = pool.stats();
    if (!look(stats)) throw new Error(JSON.stringify(stats));
    return stats;
  }, PATIENCE);
}

/** A turn that takes this many milliseconds. */
export function slowTurn(ms: number, text = "ok"): Action[] {
  return [{ init: {} }, { sleep: ms }, { assistant: text }, { result: { result: text } }];
}

/** A turn that costs this amount, on a process that counts anew after each reset. */
export function paidTurn(usd: number, ms = 0): Action[] {
  return [
    { init: {} },
    { sleep: ms },
    { assistant: "ok" },
    { result: { result: "ok", total_cost_usd: usd } },
  ];
}

/** A turn that the API refuses. */
export function refusedTurn(status: number, limit?: { resetsAt: Date }): Action[] {
  const rate_limit_info = {
    status: "rejected",
    rateLimitType: "five_hour",
    resetsAt: Math.floor((limit?.resetsAt.getTime() ?? 0) / 1000),
  };
  return [
    { init: {} },
    ...(limit === undefined ? [] : [{ emit: { type: "rate_limit_event", rate_limit_info } }]),
    { result: { is_error: true, api_error_status: status, result: "The API said no." } },
  ];
}

function textOf(content: string | readonly { readonly text?: string }[]): string {
  if (typeof content === "string") return content;
  return content.map(({ text = "" }) => text).join("");
}
