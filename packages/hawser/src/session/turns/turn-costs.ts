import { isObject } from "../../base/index.js";
import type { ModelUsage, ResultMessage } from "../../wire/index.js";

/** The cost of one turn. A field is undefined if the CLI's totals do not show it. */
export interface Spent {
  readonly costUsd: number | undefined;
  readonly modelUsage: Readonly<Record<string, ModelUsage>> | undefined;
  readonly apiMs: number | undefined;
}

const spent = new WeakMap<ResultMessage, Spent>();

/** The cost of the turn that ended with this result. */
export function spentOn(result: ResultMessage): Spent {
  return spent.get(result) ?? { costUsd: undefined, modelUsage: undefined, apiMs: undefined };
}

/** The results whose cost a turn has claimed. */
const claimed = new WeakSet<ResultMessage>();

/**
 * Gives the cost of this result to one turn. Several prompts can share a result: the first turn that asks
 * gets its cost and the other turns get 0, so that a sum over turns counts it once. The cost of an
 * interrupted turn is unknown, because the CLI does not count a request that was cut off.
 */
export function claimCost(result: ResultMessage): number | undefined {
  const { costUsd } = spentOn(result);
  if (costUsd === undefined || wasInterrupted(result)) return undefined;
  if (claimed.has(result)) return 0;
  claimed.add(result);
  return costUsd;
}

/** Whether the turn was interrupted, so that the totals lack its last request. */
export function wasInterrupted({ terminal_reason, subtype, is_error }: ResultMessage): boolean {
  if (typeof terminal_reason === "string") return terminal_reason.startsWith("aborted");
  // An older CLI gives no reason, and does not call an interrupted turn an error (observed: 2.0.77).
  return subtype === "error_during_execution" && is_error === false;
}

type Totals = Pick<ResultMessage, "total_cost_usd" | "modelUsage" | "duration_api_ms">;

const NOTHING: Totals = { total_cost_usd: 0, modelUsage: {}, duration_api_ms: 0 };

/**
 * Splits the running totals of one process into the costs of its turns. If the CLI does not report what a
 * turn has added, the cost is the difference to the result before.
 */
export class TurnCosts {
  #last: Totals | undefined;

  /** `before` is the newest result of the process, if it had another session before. */
  constructor(before?: Totals) {
    this.#last = before;
  }

  /** To be called with every result of the process, in order; `atFirst` is the total it began with. */
  add(result: ResultMessage, atFirst: "nothing" | "unknown"): void {
    const last = this.#last ?? (atFirst === "nothing" ? NOTHING : undefined);
    // A smaller total was reset in between, as `/clear` does.
    const isAnew = (difference(result.total_cost_usd, last?.total_cost_usd) ?? 0) < 0;
    const before = isAnew ? undefined : last;
    spent.set(result, this.#since(before, result));
    this.#last = result;
  }

  #since(before: Totals | undefined, result: ResultMessage): Spent {
    const apiMs = difference(result.duration_api_ms, before?.duration_api_ms);
    const added = result.model_usage_since_last_result;
    if (isObject(added)) {
      const costUsd = Object.values(added).reduce((sum, usage) => sum + costOf(usage), 0);
      // A model without a cost makes the sum NaN.
      return { costUsd: Number.isFinite(costUsd) ? costUsd : undefined, modelUsage: added, apiMs };
    }
    const costUsd = difference(result.total_cost_usd, before?.total_cost_usd);
    return { costUsd, modelUsage: before && usageSince(before, result), apiMs };
  }
}

/** NaN if the CLI reports no cost. */
function costOf(usage: ModelUsage | null): number {
  const cost: unknown = usage?.costUSD;
  return typeof cost === "number" ? cost : Number.NaN;
}

function usageSince(before: Totals, after: Totals): Spent["modelUsage"] {
  if (!isObject(after.modelUsage)) return undefined;
  const told = Object.entries(after.modelUsage).filter(([, usage]) => isObject(usage));
  const entries = told.map(([model, usage]) => {
    const earlier = before.modelUsage?.[model];
    return [model, earlier === undefined ? usage : combine(usage, earlier, -1)] as const;
  });
  return Object.fromEntries(
    entries.filter(([, usage]) => USED.some((name) => isCount(usage[name]))),
  );
}

export function addUsage(a: ModelUsage, b: ModelUsage): ModelUsage {
  return combine(a, b, 1);
}

/** Adds or subtracts the counts; fields that describe the model stay as they are. */
function combine(a: ModelUsage, b: ModelUsage, sign: 1 | -1): ModelUsage {
  const entries = Object.entries(a).map(([name, value]) => {
    const other: unknown = isObject(b) ? Reflect.get(b, name) : undefined;
    const counts = typeof value === "number" && typeof other === "number" && !FIXED.has(name);
    return [name, counts ? value + sign * other : value];
  });
  return Object.fromEntries(entries) as ModelUsage;
}

const USED = ["inputTokens", "outputTokens", "costUSD"] as const;
const FIXED: ReadonlySet<string> = new Set(["contextWindow", "maxOutputTokens"]);

/** Whether the value is a number above 0. The CLI may report anything, which cannot always be compared. */
function isCount(value: unknown): boolean {
  return typeof value === "number" && value > 0;
}

function difference(after: unknown, before: unknown): number | undefined {
  return typeof after === "number" && typeof before === "number" ? after - before : undefined;
}
