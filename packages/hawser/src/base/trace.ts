import { appendFileSync } from "node:fs";
import { type Mask, maskDeep } from "./mask.js";

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
    // Masked before it becomes JSON: a secret inside a line of JSON would be escaped twice.
    const entry = { at: new Date().toISOString(), host: process.pid, kind, what };
    const line = JSON.stringify(maskDeep(entry, mask));
    try {
      appendFileSync(file, `${line}\n`, { mode: 0o600 });
    } catch (error) {
      broken = true;
      warn(`HAWSER_TRACE cannot be written: ${(error as Error).message}`);
    }
  };
}
