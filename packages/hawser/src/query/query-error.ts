import {
  type ErrorCode,
  HawserError,
  isHawserError,
  type Mask,
  omitUndefined,
  textOf,
} from "../base/index.js";
import { failureOf, wordsOf } from "../session/index.js";
import { AbortError } from "./abort-error.js";
import type { ResultInContext } from "./last-result.js";

/**
 * The error that the iteration throws at its end, in the official SDK's words; undefined if it throws
 * none. The mask hides the secrets of the process.
 */
export function iterationError(
  error: unknown,
  mask: Mask | undefined,
  last?: ResultInContext,
): unknown {
  if (isHawserError(error, "closed")) return undefined;
  if (isHawserError(error, "aborted")) {
    return new AbortError("Claude Code process aborted by user", { cause: error });
  }
  if (!isHawserError(error)) return error;
  // The official SDK reports no error for a program that writes nothing and exits with 0.
  if (error.code === "cli_not_runnable" && error.exitCode === 0) return undefined;
  if (last?.result.is_error === true && hasExited(error)) return resultError(error, last, mask);
  const message = exitMessage(error);
  return message === undefined ? error : reworded(error, message, mask);
}

/** The error of a request that got no answer. */
export function requestError(error: unknown, mask: Mask | undefined): unknown {
  const ending = iterationError(error, mask);
  if (ending !== undefined || !isHawserError(error)) return ending;
  return reworded(error, "Query closed before response received", mask);
}

/** The CLI exits with 1 after an error result: the result is the reason to report, not the exit. */
function resultError(
  error: HawserError,
  last: ResultInContext,
  mask: Mask | undefined,
): HawserError {
  const { result } = last;
  const failure = failureOf(result, last, mask);
  const stopped = STOPPED.get(result.subtype);
  const { apiStatus, resetsAt, retryable } = failure;
  const more = stopped === undefined ? { apiStatus, resetsAt, retryable } : {};
  const words = wordsOf(result) || textOf(result.subtype);
  const message = `Claude Code returned an error result: ${words}`;
  const facts = { ...factsOf(error), ...omitUndefined(more), result, cause: error };
  return new HawserError(stopped ?? failure.code, message, facts, mask);
}

/** Results of a turn that reached a limit of the caller. */
const STOPPED: ReadonlyMap<unknown, ErrorCode> = new Map<unknown, ErrorCode>([
  ["error_max_turns", "max_turns"],
  ["error_max_budget_usd", "max_budget"],
]);

function exitMessage(error: HawserError): string | undefined {
  const { code, exitCode, signal, stderrTail } = error;
  // A process that this side has killed ended because of the error, and not the other way round.
  if (signal !== undefined && code !== "process_exited") return undefined;
  if (signal !== undefined) return `Claude Code process terminated by signal ${signal}`;
  if (exitCode === undefined) return undefined;
  const stderr = stderrTail ? `. stderr: ${stderrTail.trimEnd()}` : "";
  return `Claude Code process exited with code ${exitCode}${stderr}`;
}

function hasExited({ exitCode, signal }: HawserError): boolean {
  return exitCode !== undefined || signal !== undefined;
}

function reworded(error: HawserError, message: string, mask: Mask | undefined): HawserError {
  return new HawserError(error.code, message, { ...factsOf(error), cause: error }, mask);
}

function factsOf(error: HawserError): object {
  const { exitCode, signal, stderrTail, cliPath, cliVersion, sessionId, resumable } = error;
  return omitUndefined({ exitCode, signal, stderrTail, cliPath, cliVersion, sessionId, resumable });
}
