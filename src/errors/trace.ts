import { appendFileSync } from "node:fs";
import type { Mask } from "./mask.js";

export type TraceKind = "spawn" | "send" | "receive" | "noise" | "stderr" | "exit" | "close";

/** Writes one masked line of JSON for everything that crosses the border to the CLI. */
export type Trace = (kind: TraceKind, what: unknown) => void;

/**
 * The trace that `HAWSER_TRACE=file` asks for; `undefined` when it is not set, so that a hot path
 * pays one comparison. A file that cannot be written turns the trace off and says so once.
 */
export function openTrace(
  file: string | undefined,
  mask: Mask,
  warn: (message: string) => void,
): Trace | undefined {
  if (!file) return undefined;
  let broken = false;
  return (kind, what) => {
    if (broken) return;
    const line = JSON.stringify({ at: new Date().toISOString(), host: process.pid, kind, what });
    try {
      appendFileSync(file, `${mask(line)}\n`, { mode: 0o600 });
    } catch (error) {
      broken = true;
      warn(`HAWSER_TRACE cannot be written: ${(error as Error).message}`);
    }
  };
}
