import { type Logger, SILENT } from "./logger.js";
import type { Mask } from "./mask.js";
import { textOf } from "./text-of.js";
import { warn } from "./warn.js";

/**
 * Reports that a function of the caller threw. `what` says which function, and what became of the
 * call. Returns the error's text with secrets masked, because that text goes to the model.
 */
export type ReportFault = (callback: object, what: string, error: unknown) => string;

/**
 * Reports errors in the caller's own functions, which would otherwise only show as refused calls.
 * The logger gets the error itself. Without a logger, Node's warnings get it with its stack, once
 * for each function.
 */
export function faultReporter(log: Logger, mask: Mask): ReportFault {
  return (callback, what, error) => {
    const text = mask(textOf(error));
    if (log !== SILENT) {
      log.error(what, { error });
      return text;
    }
    if (reported.has(callback)) return text;
    reported.add(callback);
    const stack = error instanceof Error ? error.stack : undefined;
    const detail = stack === undefined ? undefined : mask(stack);
    warn(`${mask(what)}: ${text}`, "HAWSER_CALLBACK_FAILED", detail);
    return text;
  };
}

const reported = new WeakSet<object>();
