import { type Logger, SILENT } from "./logger.js";
import type { Mask } from "./mask.js";
import { textOf } from "./text-of.js";
import { warn } from "./warn.js";

/**
 * Tells that a function of the caller's threw. `what` says which function, and what became of the
 * call.
 */
export type ReportFault = (callback: object, what: string, error: unknown) => void;

/**
 * Reports errors in the caller's own functions, which would otherwise only show as refused calls. The
 * logger gets the error itself. Without a logger, Node's warnings get it with its stack, once for each
 * function.
 */
export function faultReporter(log: Logger, mask: Mask): ReportFault {
  return (callback, what, error) => {
    if (log !== SILENT) {
      log.error(what, { error });
      return;
    }
    if (reported.has(callback)) return;
    reported.add(callback);
    const stack = error instanceof Error ? error.stack : undefined;
    const detail = stack === undefined ? undefined : mask(stack);
    warn(mask(`${what}: ${textOf(error)}`), "HAWSER_CALLBACK_FAILED", detail);
  };
}

const reported = new WeakSet<object>();
