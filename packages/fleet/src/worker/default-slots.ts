import { availableParallelism, freemem, totalmem } from "node:os";

/** How many CLIs fit on this machine: by its memory, and at most two for each core. */
export function defaultSlots(): number {
  // In a container, Node knows the limit that the kernel enforces.
  const limit = process.constrainedMemory();
  const memory = Math.min(limit > 0 ? limit : Number.POSITIVE_INFINITY, totalmem(), freemem() * 2);
  const byMemory = Math.floor(memory / BYTES_OF_CLI);
  return Math.max(1, Math.min(byMemory, 2 * availableParallelism()));
}

/** What one CLI takes, with its tools. */
const BYTES_OF_CLI = 350 * 1024 * 1024;
