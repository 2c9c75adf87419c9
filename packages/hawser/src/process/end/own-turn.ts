import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * Gives each end of a process a turn of the event loop to itself, so that many ends at once do not
 * make streams and timers wait. Undefined if the present turn is free.
 */
export function ownTurn(): Promise<void> | undefined {
  const turn = free;
  const next = (turn ?? Promise.resolve()).then(() => nextTurn());
  free = next;
  void next.then(() => {
    if (free === next) free = undefined;
  });
  return turn;
}

/** Resolves in the first turn that is not taken. Undefined if the present turn is not taken. */
let free: Promise<void> | undefined;
