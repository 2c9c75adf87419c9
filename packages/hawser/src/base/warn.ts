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
 * Warns the logger, or calls `process.emitWarning()` if there is none. Each logger and the program
 * get the same text only once, because many calls share their options and callbacks.
 */
export function warnOnce(text: string, code?: string, logger?: Logger): void {
  const said = saidTo(logger ?? process);
  if (said.has(text)) return;
  if (said.size >= MOST) said.clear();
  said.add(text);
  if (logger === undefined) warn(text, code);
  else guardLogger(logger, hostMask()).warn(text);
}

/** The texts so far, by logger or process. */
const TOLD = new WeakMap<object, Set<string>>();

function saidTo(listener: object): Set<string> {
  const said = TOLD.get(listener) ?? new Set();
  TOLD.set(listener, said);
  return said;
}

/** Bounds the memory, because texts may differ in each call. */
const MOST = 1000;
