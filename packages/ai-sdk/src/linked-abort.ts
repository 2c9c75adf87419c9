/** A signal that aborts with the signal of a caller, and that can also be aborted by itself. */
export class LinkedAbort {
  readonly #own = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #listener = () => this.#own.abort(this.#outer?.reason);

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer;
    if (outer?.aborted === true) this.#listener();
    else outer?.addEventListener("abort", this.#listener, { once: true });
  }

  get signal(): AbortSignal {
    return this.#own.signal;
  }

  abort(reason?: unknown): void {
    this.detach();
    this.#own.abort(reason);
  }

  /** Lets go of the caller's signal, so that a signal of a long life does not keep every call. */
  detach(): void {
    this.#outer?.removeEventListener("abort", this.#listener);
  }
}
