/**
 * Warns by `process.emitWarning()`, for a program that gave no logger. The same text is said once per
 * program, because many calls share their options and their callbacks.
 */
export function warnOnce(text: string, code?: string, stack?: string): void {
  if (said.has(text)) return;
  if (said.size >= MOST) said.clear();
  said.add(text);
  process.emitWarning(text, {
    type: "HawserWarning",
    ...(code === undefined ? {} : { code }),
    ...(stack === undefined ? {} : { detail: stack }),
  });
}

const said = new Set<string>();

/** Texts may hold what differs in each call; the memory for them is bounded. */
const MOST = 1000;
