import { appendFileSync } from "node:fs";
import { type Mask, maskDeep } from "./mask.js";

export type TraceKind = "spawn" | "send" | "receive" | "noise" | "stderr" | "exit" | "close";

/** Writes one masked line of JSON for everything that is sent to or received from the CLI. */
export type Trace = (kind: TraceKind, what: unknown) => void;

/**
 * The trace for the file that HAWSER_TRACE names; `undefined` if the variable is not set, so that a
 * hot path pays one comparison. If the file cannot be written, the trace is turned off with one
 * warning.
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
