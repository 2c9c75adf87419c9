import { isHawserError, onAbort } from "../../base/index.js";
import { type LeaseRequest, withPhaseLimit } from "../../session/index.js";
import type { Binding } from "../binding.js";
import type { Worker } from "./worker.js";

/**
 * Where the process of a call came from, by how much of its start was done before the call.
 * `recycled`: it has served a call with the same options and was reset. `initialized`: it was started
 * and received the options ahead of the call. `generic`: it was started ahead, and got the options from the
 * call. `cold`: it was started for the call.
 */
export type ProcessOrigin = "recycled" | "initialized" | "generic" | "cold";

/** The free worker that needs the least time until it can answer this request, if any can serve it. */
export function chooseWorker(workers: Iterable<Worker>, binding: Binding): Worker | undefined {
  let best: Worker | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const worker of workers) {
    if (worker.isReserved) continue;
    const rank = rankOf(worker, binding);
    if (rank === Number.POSITIVE_INFINITY) continue;
    // Of two equal workers, the one that was busy last has more in its caches.
    if (rank < least || (rank === least && worker.idleSince > (best?.idleSince ?? 0))) {
      best = worker;
      least = rank;
    }
  }
  return best;
}

/** A lower rank is better; a worker that cannot serve the request has the rank Infinity. */
function rankOf(worker: Worker, binding: Binding): number {
  const rank = readinessOf(worker, binding);
  const hidesResets = worker.hidesResets && worker.isIdle && rank > RESET;
  // A process that is being asked whether it answers may turn out not to.
  const unsure = worker.isIdle && !worker.isReady ? 0.1 : 0;
  return (hidesResets && Number.isFinite(rank) ? RESET - 0.5 : rank) + unsure;
}

/** The rank of a worker that is being reset. */
const RESET = 1;

function readinessOf(
  { state, requestKey, spawnKey, familyKey, isAvailableSoon }: Worker,
  binding: Binding,
): number {
  if (requestKey === binding.requestKey) {
    if (state === "recycled") return 0;
    if (state === "resetting" && isAvailableSoon && binding.resets?.mayBeAwaited) return RESET;
    if (state === "initialized") return 2;
    return state === "starting" ? 4 : Number.POSITIVE_INFINITY;
  }
  if (requestKey !== undefined) return Number.POSITIVE_INFINITY;
  const waits = state === "starting" ? 2 : 0;
  if (state !== "generic" && state !== "starting") return Number.POSITIVE_INFINITY;
  if (familyKey === undefined && spawnKey === binding.spawnKey) return 3 + waits;
  return binding.familyKey !== undefined && familyKey === binding.familyKey
    ? 6 + waits
    : Number.POSITIVE_INFINITY;
}

/** A worker that has served no call yet, and can serve this request now or when it has started. */
export function spareFor(workers: Iterable<Worker>, binding: Binding): Worker | undefined {
  for (const worker of workers) {
    const isFree = !worker.isReserved && worker.jobs === 0;
    if (isFree && Number.isFinite(readinessOf(worker, binding))) return worker;
  }
  return undefined;
}

/** The origin that a call reports if it gets this worker now. */
export function originOf({ state, requestKey }: Worker): ProcessOrigin {
  if (state === "recycled" || state === "resetting") return "recycled";
  return requestKey === undefined ? "generic" : "initialized";
}

/** How long the worker may take until it can answer. */
export function limitsOf(
  { timeouts }: LeaseRequest,
  { late }: Binding,
  origin: ProcessOrigin,
): LeaseRequest["timeouts"] {
  // An MCP server of the caller may take as long to connect as the caller permits.
  const isSlow = late.some(({ subtype }) => subtype === "mcp_set_servers");
  if (origin === "cold" || isSlow) return timeouts;
  return { ...timeouts, bootMs: Math.min(timeouts.bootMs, SPARE_ANSWER_MS) };
}

/** A process that was ready answers within this time, or the pool tries another one. */
const SPARE_ANSWER_MS = 10_000;

/** Waits until a worker that starts or is reset is idle; ends with the caller's signal and time limit. */
export async function untilIdle(
  { whenIdle }: Worker,
  signal: AbortSignal | undefined,
  limitMs: number,
): Promise<void> {
  let stopListening = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stopListening = onAbort([signal], reject);
  });
  try {
    await withPhaseLimit(Promise.race([whenIdle, aborted]), "boot", limitMs);
  } finally {
    stopListening();
  }
}

/**
 * Whether another process may succeed where this one failed. It cannot if the CLI was started for these
 * very options and refused them.
 */
export function mayAnotherSucceed(error: unknown, origin: ProcessOrigin): boolean {
  if (origin !== "cold" || isHawserError(error, "closed")) return true;
  if (!isHawserError(error, "process_exited")) return false;
  // Exit 0 and death by a signal (128 + its number) are not refusals of these options.
  const { exitCode = 0 } = error;
  return exitCode === 0 || (exitCode > 128 && exitCode <= 128 + 64);
}
