import { ERROR_CODES, HawserError } from "hawser";
import type { RunFailure } from "./run.js";

/** The failure of a run that was cancelled. */
export function cancelledFailure(reason: string): RunFailure {
  return {
    code: "run_cancelled",
    message: `The run was cancelled: ${reason}`,
    hint: ERROR_CODES.run_cancelled.hint,
  };
}

/** The failure of a run whose deadline has passed. */
export function lateFailure(deadline: Date | null): RunFailure {
  return {
    code: "timeout",
    message: `The run was not settled by its deadline, ${deadline?.toISOString()}.`,
    hint: "Give it a later `deadline`, or look at `fleet.stats()` for what the workers do.",
  };
}

/** The failure of a run that too many hosts have died of. */
export function hostLostFailure(deaths: number): RunFailure {
  return {
    code: "host_lost",
    message: `${deaths} ${deaths === 1 ? "host was" : "hosts were"} lost while working on the run.`,
    hint: "Look for what ends the workers, such as memory; then `run.retry()`, or submit with more `attempts`.",
  };
}

/** The failure of a run whose tenant has spent a budget. */
export function budgetFailure(tenant: string, period: string): RunFailure {
  return {
    code: "budget_refused",
    message: `The tenant "${tenant}" has spent its budget ${BUDGET_NAMES[period] ?? period}.`,
    hint: 'Raise it with `fleet.tenants.set()`, or set `onBudget: "wait"`.',
  };
}

const BUDGET_NAMES: Readonly<Record<string, string>> = {
  day: "of the day",
  month: "of the month",
  total: "altogether",
};

/** The failure of a run that has spent its own budget in earlier segments. */
export function runBudgetFailure(costUsd: number, budgetUsd: number): RunFailure {
  return {
    code: "max_budget",
    message: `The run has cost $${costUsd} in its earlier segments. Its budget is $${budgetUsd}.`,
    hint: "Submit it with a greater `budgetUsd`.",
  };
}

/** The failure of a run as the error that `run.result()` rejects with. */
export function toError(failure: RunFailure, sessionId: string): HawserError {
  return new HawserError(failure.code, failure.message, {
    sessionId,
    ...(failure.hint === undefined ? {} : { hint: failure.hint }),
  });
}

/** The error for a write of a host whose claim is gone. */
export function claimLost(run: string, segment: number): HawserError {
  return new HawserError(
    "lease_lost",
    `The claim on segment ${segment} of the run ${run} is gone: another host may have it.`,
    { hint: "End the CLI of this segment and write nothing more." },
  );
}
