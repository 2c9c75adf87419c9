import { constants } from "node:os";

/** Runs `cleanUp` synchronously if this program ends before the returned function is called. */
export function atHostExit(cleanUp: () => void): () => void {
  if (cleanUps.size === 0) watchHost();
  cleanUps.add(cleanUp);
  return () => {
    if (cleanUps.delete(cleanUp) && cleanUps.size === 0) unwatchHost();
  };
}

const cleanUps = new Set<() => void>();
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Marks the listeners of every installed copy of hawser, so that they do not wait for each other.
 */
const OURS = Symbol.for("hawser.signal");

function watchHost(): void {
  process.on("exit", cleanUpAll);
  // Before the listeners of the program, because a listener that was added by once() is removed
  // when it has been called, and onSignal() has to see it.
  for (const signal of SIGNALS) process.prependListener(signal, onSignal);
}

function unwatchHost(): void {
  process.off("exit", cleanUpAll);
  for (const signal of SIGNALS) process.off(signal, onSignal);
}

function cleanUpAll(): void {
  // The latest first, because a process writes into folders that were made before it was started.
  for (const cleanUp of [...cleanUps].reverse()) {
    try {
      cleanUp();
    } catch {
      // A clean-up that fails must not keep the others from running. The program ends, so that no
      // caller is left that could handle the error.
    }
  }
}

/**
 * A signal without a listener of the program would end this program without its exit event, and
 * leave its children behind. So the children are ended first, then the signal takes its usual
 * course. A program that handles the signal decides for itself what to close.
 */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listeners(signal).some((listener) => !(OURS in listener))) return;
  cleanUpAll();
  unwatchHost();
  if (process.listenerCount(signal) === 0) endBy(signal);
}
Object.defineProperty(onSignal, OURS, { value: true });

/**
 * The kernel drops a signal that PID 1 of a container does not handle, so that the program would
 * live on without its children. Such a program exits with 128 plus the number of the signal, as in
 * a shell.
 */
function endBy(signal: NodeJS.Signals): void {
  if (process.pid === 1) process.exit(128 + constants.signals[signal]);
  process.kill(process.pid, signal);
}
