import { guardLogger, type Logger } from "./logger.js";
import { hostMask } from "./mask.js";

/** Warns by `process.emitWarning()`. The stack is shown below the text. */
export function warn(text: string, code?: string, stack?: string): void {
  process.emitWarning(text, {
    type: "HawserWarning",
    ...(code === undefined ? {} : { code }),
    ...(stack === undefined ? {} : { detail: stack }),
  });
}

/**
 * Tells the logger, or warns by `process.emitWarning()` if there is none. Each logger is told the same
 * text once, and so is the program, because many calls share their options and their callbacks.
 */
export function warnOnce(text: string, code?: string, logger?: Logger): void {
  const said = saidTo(logger ?? process);
  if (said.has(text)) return;
  if (said.size >= MOST) said.clear();
  said.add(text);
  if (logger === undefined) warn(text, code);
  else guardLogger(logger, hostMask()).warn(text);
}

/** The texts by the logger that was told, or by the process. */
const TOLD = new WeakMap<object, Set<string>>();

function saidTo(listener: object): Set<string> {
  const said = TOLD.get(listener) ?? new Set();
  TOLD.set(listener, said);
  return said;
}

/** Texts may hold what differs in each call; the memory for them is bounded. */
const MOST = 1000;
