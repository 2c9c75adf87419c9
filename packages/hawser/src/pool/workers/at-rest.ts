import { onAbort } from "../../base/index.js";
import { unlessLate } from "../../session/index.js";
import type { Worker } from "./worker.js";

/** Waits for one that starts, or is reset, for as long as its caller would. */
export async function atRest(
  { whenIdle }: Worker,
  signal: AbortSignal | undefined,
  limitMs: number,
): Promise<void> {
  let stopListening = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stopListening = onAbort([signal], reject);
  });
  try {
    await unlessLate(Promise.race([whenIdle, aborted]), "boot", limitMs);
  } finally {
    stopListening();
  }
}
