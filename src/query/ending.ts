import { HawserError, isHawserError } from "../errors/index.js";
import { failureOf } from "../session/index.js";
import type { ResultMessage } from "../wire/index.js";
import { AbortError } from "./abort-error.js";

/** What the iteration throws at its end, in the official SDK's words; undefined if nothing. */
export function endingOf(error: unknown, last: ResultMessage | undefined): unknown {
  if (isHawserError(error, "closed")) return undefined;
  if (isHawserError(error, "aborted")) {
    return new AbortError("Claude Code process aborted by user", { cause: error });
  }
  if (!isHawserError(error)) return error;
  if (last?.is_error === true && CAUSED_BY_RESULT.has(error.code)) return resultError(error, last);
  if (error.code !== "process_exited" || error.exitCode === undefined) return error;
  const stderr = error.stderrTail ? `. stderr: ${error.stderrTail}` : "";
  const message = `Claude Code process exited with code ${error.exitCode}${stderr}`;
  return new HawserError("process_exited", message, { ...factsOf(error), cause: error });
}

/** The CLI exits with 1 when its last result was an error: that is why, and the exit is not. */
function resultError(error: HawserError, last: ResultMessage): HawserError {
  const known = failureOf(last, { apiError: undefined, rateLimit: undefined });
  const words = last.errors?.join("; ") || last.result || last.subtype;
  const message = `Claude Code returned an error result: ${words}`;
  return new HawserError(known.code, message, { ...factsOf(error), result: last, cause: error });
}

const CAUSED_BY_RESULT: ReadonlySet<string> = new Set(["process_exited", "session_not_found"]);

function factsOf({ exitCode, stderrTail, cliPath, cliVersion, sessionId }: HawserError): object {
  const facts = { exitCode, stderrTail, cliPath, cliVersion, sessionId };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
