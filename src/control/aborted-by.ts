import { HawserError } from "../errors/index.js";

/** The error of one whose signal was aborted, with the reason that its owner gave. */
export function abortedBy(signal: AbortSignal | undefined): HawserError {
  return new HawserError("aborted", undefined, { reason: signal?.reason });
}
