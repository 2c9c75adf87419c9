import { HawserError } from "./error.js";

/**
 * Calls `listener` at the first abort of these signals, at once if one is aborted already. The
 * returned function stops listening.
 */
export function onAbort(
  signals: readonly (AbortSignal | undefined)[],
  listener: (error: HawserError) => void,
): () => void {
  const stop: (() => void)[] = [];
  for (const signal of signals) {
    if (signal === undefined) continue;
    const tell = () => listener(abortedBy(signal));
    if (signal.aborted) tell();
    else stop.push(listenForAbort(signal, tell));
  }
  return () => {
    for (const each of stop) each();
  };
}

/** The error of a call whose signal was aborted, with the reason that the caller gave. */
export function abortedBy(signal: AbortSignal | undefined): HawserError {
  const reason: unknown = signal?.reason;
  // An abort without a reason gets an AbortError from Node, which adds nothing.
  const hasReason = reason instanceof Error && reason.name !== "AbortError";
  const message = hasReason ? `The call was aborted: ${reason.message}` : undefined;
  return new HawserError("aborted", message, { reason });
}

/**
 * Calls `listener` when the signal aborts. The returned function stops listening. All calls that
 * share a signal share one listener on it, because Node would warn of a leak at the eleventh
 * listener.
 */
export function listenForAbort(signal: AbortSignal, listener: () => void): () => void {
  const shared = listening.get(signal) ?? new Listeners(signal);
  return shared.add(listener);
}

/** The listeners of a signal. */
const listening = new WeakMap<AbortSignal, Listeners>();

class Listeners {
  readonly #signal: AbortSignal;
  /** Each call has its own entry, even if two calls share a function. */
  readonly #entries = new Set<{ readonly call: () => void }>();
  readonly #tell = (): void => {
    listening.delete(this.#signal);
    // Calls listeners in order; a listener that was removed meanwhile is skipped.
    for (const entry of this.#entries) {
      this.#entries.delete(entry);
      try {
        entry.call();
      } catch (error) {
        // Like an EventTarget: the other listeners are called, and the error is uncaught.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  };

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    listening.set(signal, this);
    signal.addEventListener("abort", this.#tell, { once: true });
  }

  add(call: () => void): () => void {
    const entry = { call };
    this.#entries.add(entry);
    return () => {
      if (!this.#entries.delete(entry) || this.#entries.size > 0) return;
      // During an abort, a newer Listeners object may exist for this signal.
      if (listening.get(this.#signal) === this) listening.delete(this.#signal);
      this.#signal.removeEventListener("abort", this.#tell);
    };
  }
}
