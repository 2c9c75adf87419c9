import { setImmediate as nextTurn } from "node:timers/promises";

/** Work that can pause at each `yield`. */
export type Steps<T> = Generator<undefined, T>;

/** Does the work without a pause, for an exit handler or a synchronous function. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Does the work in slices of a few milliseconds, so that streams and timers go on meanwhile. */
export async function runInSlices<T>(steps: Steps<T>): Promise<T> {
  let until = performance.now() + SLICE_MS;
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() < until) continue;
    await nextTurn();
    until = performance.now() + SLICE_MS;
  }
}

const SLICE_MS = 3;
