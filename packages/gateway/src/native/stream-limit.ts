import { RequestError } from "../errors/request-error.js";

/**
 * Counts the streams that each tenant reads. A stream may never end by itself, and the server takes a limited number
 * of connections of all tenants.
 */
export class StreamLimit {
  readonly #open = new Map<string, number>();
  #total = 0;

  /** Counts one more stream. Throws `rate_limit_exceeded` if there are too many. Returns what ends it, once. */
  open(tenant: string): () => void {
    const open = this.#open.get(tenant) ?? 0;
    if (open >= MOST_STREAMS) {
      const message = `You read ${open} streams of events, which is the limit. Close one of them.`;
      throw new RequestError("rate_limit_exceeded", message);
    }
    if (this.#total >= MOST_OF_ALL) {
      const message = `All clients together read ${this.#total} streams of events, which is the limit. Try again later.`;
      throw new RequestError("rate_limit_exceeded", message, { retryAfterMs: RETRY_MS });
    }
    this.#total += 1;
    this.#open.set(tenant, open + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.#total -= 1;
      const left = (this.#open.get(tenant) ?? 1) - 1;
      if (left > 0) this.#open.set(tenant, left);
      else this.#open.delete(tenant);
    };
  }
}

const MOST_STREAMS = 100;
/** Half of the connections that `hawser serve` takes, so that the other half is left for requests. */
const MOST_OF_ALL = 512;
const RETRY_MS = 10_000;
