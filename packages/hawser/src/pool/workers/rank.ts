import type { Binding } from "../binding.js";
import type { Worker } from "./worker.js";

/** Better ones have lower ranks; one that is of no use has none. */
export function rankOf(
  worker: Worker,
  { requestKey, spawnKey, familyKey, resets }: Binding,
): number {
  const { state } = worker;
  if (worker.requestKey === requestKey) {
    if (state === "recycled") return 0;
    if (state === "resetting" && worker.isComing && resets?.mayBeAwaited) return 1;
    if (state === "initialized") return 2;
    return state === "starting" ? 4 : Number.POSITIVE_INFINITY;
  }
  if (worker.requestKey !== undefined) return Number.POSITIVE_INFINITY;
  const waits = state === "starting" ? 2 : 0;
  if (state !== "generic" && state !== "starting") return Number.POSITIVE_INFINITY;
  if (worker.familyKey === undefined && worker.spawnKey === spawnKey) return 3 + waits;
  return familyKey !== undefined && worker.familyKey === familyKey
    ? 6 + waits
    : Number.POSITIVE_INFINITY;
}
