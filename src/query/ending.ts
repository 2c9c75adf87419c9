import { type ErrorCode, HawserError, isHawserError } from "../errors/index.js";
import { failureOf } from "../session/index.js";
import type { ResultMessage } from "../wire/index.js";
import { AbortError } from "./abort-error.js";

/** What the iteration throws at its end, in the official SDK's words; undefined if nothing. */
export function endingOf(error: unknown, last?: ResultMessage): unknown {
  if (isHawserError(error, "closed")) return undefined;
  if (isHawserError(error, "aborted")) {
    return new AbortError("Claude Code process aborted by user", { cause: error });
  }
  if (!isHawserError(error)) return error;
  if (last?.is_error === true && hasExited(error)) return resultError(error, last);
  const message = exitMessage(error);
  return message === undefined ? error : reworded(error, message);
}

/** What a request is told that gets no answer. */
export function unansweredBy(error: unknown): unknown {
  if (!isHawserError(error, "closed")) return endingOf(error);
  return reworded(error, "Query closed before response received");
}

/** The CLI exits with 1 when its last result was an error: that is why, and the exit is not. */
function resultError(error: HawserError, last: ResultMessage): HawserError {
  const failure = failureOf(last, { apiError: undefined, rateLimit: undefined });
  const code = STOPPED[last.subtype] ?? failure.code;
  const words = last.errors?.join("; ") || last.result || last.subtype;
  const message = `Claude Code returned an error result: ${words}`;
  return new HawserError(code, message, { ...factsOf(error), result: last, cause: error });
}

/** By a limit that the caller has set. */
const STOPPED: Readonly<Record<string, ErrorCode>> = {
  error_max_turns: "max_turns",
  error_max_budget_usd: "max_budget",
};

function exitMessage({ exitCode, signal, stderrTail }: HawserError): string | undefined {
  if (signal !== undefined) return `Claude Code process terminated by signal ${signal}`;
  if (exitCode === undefined) return undefined;
  const stderr = stderrTail ? `. stderr: ${stderrTail.trimEnd()}` : "";
  return `Claude Code process exited with code ${exitCode}${stderr}`;
}

function hasExited({ exitCode, signal }: HawserError): boolean {
  return exitCode !== undefined || signal !== undefined;
}

function reworded(error: HawserError, message: string): HawserError {
  return new HawserError(error.code, message, { ...factsOf(error), cause: error });
}

function factsOf(error: HawserError): object {
  const { exitCode, signal, stderrTail, cliPath, cliVersion, sessionId, resumable } = error;
  const facts = { exitCode, signal, stderrTail, cliPath, cliVersion, sessionId, resumable };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
