import { constants } from "node:os";

/** Has `cleanUp` run, synchronously, if this program ends before the returned function is called. */
export function atHostExit(cleanUp: () => void): () => void {
  if (cleanUps.size === 0) watchHost();
  cleanUps.add(cleanUp);
  return () => {
    if (cleanUps.delete(cleanUp) && cleanUps.size === 0) unwatchHost();
  };
}

const cleanUps = new Set<() => void>();
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Marks the listeners of every installed copy of hawser, so that they do not wait for each other. */
const OURS = Symbol.for("hawser.signal");

function watchHost(): void {
  process.on("exit", cleanUpAll);
  // In front of the program's own: one that was added by once() is gone when it has been called.
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
      // One that fails must not keep the others from running; nobody is left to be told.
    }
  }
}

/**
 * A signal that nobody else handles would end this program without its exit event, and leave its
 * children behind: they are ended first, then the signal takes its usual course. A program that
 * handles the signal decides for itself what to close.
 */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listeners(signal).some((listener) => !(OURS in listener))) return;
  cleanUpAll();
  unwatchHost();
  if (process.listenerCount(signal) === 0) endBy(signal);
}
Object.defineProperty(onSignal, OURS, { value: true });

/**
 * The first process of a container is spared by the kernel: to it a signal that nobody handles means
 * nothing, and it would live on without its children. It exits as a shell tells such an end.
 */
function endBy(signal: NodeJS.Signals): void {
  if (process.pid === 1) process.exit(128 + constants.signals[signal]);
  process.kill(process.pid, signal);
}
