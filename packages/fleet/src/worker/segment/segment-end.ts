import {
  ERROR_CODES,
  type ErrorCode,
  HawserError,
  isHawserError,
  type SDKResultMessage,
  type Turn,
} from "hawser";
import type { SegmentEnd } from "../../runs/claims.js";
import { isRunOption } from "../../runs/read-request.js";
import type { RunFailure, RunInfo, RunOutcome, ToolIntent } from "../../runs/run.js";

/** How a segment ended, without the money and the time. */
export type Ending = WithoutTotals<SegmentEnd>;

type WithoutTotals<End> = End extends unknown ? Omit<End, "costUsd" | "usage" | "workedMs"> : never;

/** The result of a turn that the CLI ended. */
export type TurnResult = Awaited<Turn["result"]>;

/** What the result of a turn means for the run. */
export async function endOfTurn(
  turn: Turn,
  result: TurnResult,
  hasSchema: boolean,
): Promise<Ending> {
  // The CLI calls it a success that it could not begin with the call that waited.
  if (result.terminal_reason === "tool_deferred_unavailable") {
    return { type: "failed", error: failureOf(new HawserError("mcp_failed", result.result)) };
  }
  const stop = stopOf(result);
  let text: string;
  try {
    text = await turn.text();
  } catch (error) {
    return endOfError(error, true);
  }
  if (hasSchema && result.structured_output === undefined) return endWithoutValue(stop);
  return {
    type: "done",
    outcome: {
      text,
      stop,
      // The official type wants every count; the CLI gives those that it knows.
      usage: result.usage as SDKResultMessage["usage"],
      ...(hasSchema ? { value: result.structured_output } : {}),
    },
  };
}

/** The answer was in the transcript already, so that no request was made for it. */
export function endOfAnswered(text: string): Ending {
  return { type: "done", outcome: { text, stop: "completed", usage: NO_USAGE } };
}

const NO_USAGE = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
} as SDKResultMessage["usage"];

/** A host was lost in tool calls, and the run shall not go on without knowing what they did. */
export function endOfUncertain(uncertain: readonly ToolIntent[]): Ending {
  const calls = uncertain.map(({ tool, input }) => `${tool} ${JSON.stringify(input)}`).join("; ");
  return {
    type: "failed",
    error: {
      code: "host_lost",
      message: `A host was lost while tool calls ran, and nobody knows whether they took effect: ${calls}`,
      hint: "Check what the calls did, then retry the run, or submit another one.",
    },
  };
}

/** The run has worked for its `timeoutMs`. */
export function endOfTimeout({ timeoutMs }: RunInfo): Ending {
  return {
    type: "failed",
    error: {
      code: "timeout",
      message: `The run worked for longer than ${timeoutMs} ms.`,
      hint: "Raise `timeoutMs` of the run. Its session can be continued with another run.",
    },
  };
}

/** What the end of a process without a result means for the run. `hasBegun`: the CLI was given the turn. */
export function endOfError(error: unknown, hasBegun: boolean): Ending {
  if (!isHawserError(error)) {
    return { type: "failed", error: { code: "process_exited", message: String(error) } };
  }
  const pause = pauseOf(error);
  if (pause !== undefined) return { type: "returned", reason: error.code, ...pause };
  const failure = failureOf(error);
  if (!hasBegun && isHostFault(error))
    return { type: "crashed", error: failure, isHostFault: true };
  const isPassing = HOST_CODES.has(error.code) || isHostFault(error);
  return error.retryable || isPassing || error.phase === "renew"
    ? { type: "crashed", error: failure }
    : { type: "failed", error: failure };
}

/** Faults that another attempt may not have, also on the same host. */
const HOST_CODES: ReadonlySet<ErrorCode> = new Set(["protocol_error", "storage_failed"]);

/**
 * Whether no CLI can be started for the run on this host, because of how the host or its profile is set up. Another
 * host may be set up better.
 */
function isHostFault({ code, phase, issues = [] }: HawserError): boolean {
  if (phase === "renew") return false;
  // What the run itself asks for was checked when it was submitted, and is the same on every host.
  if (code === "invalid_options") return issues.some(({ path }) => isOfProfile(path));
  return HOST_FAULTS.has(code);
}

const HOST_FAULTS: ReadonlySet<ErrorCode> = new Set([
  "cli_not_found",
  "cli_not_runnable",
  "cwd_not_found",
  "unsupported_by_cli",
  "root_refused",
  "nested_session",
  "spawn_failed",
]);

/** Whether an issue is about an option that only a profile can set. */
function isOfProfile(path = ""): boolean {
  const [option = ""] = path.split(/[.[]/, 1);
  return !isRunOption(option);
}

/** How long the account is paused after this error; undefined if the error is not about a limit of the API. */
export function pauseOf({
  code,
  resetsAt,
  retryAfterMs,
}: HawserError): { readonly startAfterMs: number; readonly resetsAt?: Date } | undefined {
  const defaultMs = DEFAULT_PAUSE_MS[code];
  if (defaultMs === undefined) return undefined;
  if (retryAfterMs !== undefined || resetsAt === undefined) {
    return { startAfterMs: Math.max(retryAfterMs ?? defaultMs, SHORTEST_PAUSE_MS) };
  }
  const untilReset = resetsAt.getTime() - Date.now();
  // A time that has passed is no pause, and the API has just refused a request.
  return untilReset < SHORTEST_PAUSE_MS
    ? { startAfterMs: SHORTEST_PAUSE_MS }
    : { startAfterMs: untilReset, resetsAt };
}

/** For errors that do not say how long to wait. */
const DEFAULT_PAUSE_MS: Partial<Record<ErrorCode, number>> = {
  rate_limited: 60_000,
  overloaded: 30_000,
  usage_limit: 15 * 60_000,
};

const SHORTEST_PAUSE_MS = 1_000;

export function failureOf(error: HawserError): RunFailure {
  const { code, message, hint } = error;
  return { code, message, ...(hint === ERROR_CODES[code].hint ? {} : { hint }) };
}

function stopOf({ subtype, terminal_reason }: TurnResult): RunOutcome["stop"] {
  if (subtype === "error_max_turns") return "max_turns";
  if (subtype === "error_max_budget_usd") return "max_budget";
  return terminal_reason === "hook_stopped" ? "hook_stopped" : "completed";
}

/** A value was owed, so that a limit is a failure. */
function endWithoutValue(stop: RunOutcome["stop"]): Ending {
  const code = stop === "max_turns" || stop === "max_budget" ? stop : "structured_output";
  return { type: "failed", error: failureOf(new HawserError(code)) };
}

/**
 * What a turn has cost. The CLI's total is complete although the turn was interrupted, if no request to the model ran
 * at the time: then it was waiting for a tool.
 */
export function costOf(turn: Turn, result: TurnResult): number | undefined {
  if (turn.costUsd !== undefined) return turn.costUsd;
  if (result.terminal_reason !== "aborted_tools") return undefined;
  const used = result.model_usage_since_last_result;
  if (used === undefined) return undefined;
  const costs = Object.values(used).map((usage) => usage.costUSD);
  return costs.every((cost) => typeof cost === "number")
    ? costs.reduce((sum, cost) => sum + cost, 0)
    : undefined;
}
