import { HawserError } from "../base/index.js";

/** The error of one whose signal was aborted, with the reason that its owner gave. */
export function abortedBy(signal: AbortSignal | undefined): HawserError {
  const reason: unknown = signal?.reason;
  // An abort without a reason gets one of this name, which says no more.
  const told = reason instanceof Error && reason.name !== "AbortError";
  const message = told ? `The call was aborted: ${reason.message}` : undefined;
  return new HawserError("aborted", message, { reason });
}
