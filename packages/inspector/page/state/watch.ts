import { ApiError } from "../net/api.js";
import { UnprovenServer } from "../net/prove-server.js";
import { readSse } from "../net/read-sse.js";
import type { WatchMessage } from "../net/watch-shape.js";
import type { PageState } from "./page-state.js";
import { StreamTurn } from "./stream-turn.js";

/**
 * Keeps the stream of the server open. After a break it connects again, and says for each source which event it has
 * last, so that no event is lost or doubled.
 */
export class Watch {
  readonly #state: PageState;
  #failures = 0;
  #heardAt = Date.now();
  #leave = new AbortController();
  #wake: () => void = () => {};
  readonly #turn = new StreamTurn(() => this.#leave.abort());

  constructor(state: PageState) {
    this.#state = state;
    addEventListener("online", () => this.retry());
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) return;
      if (state.connection.value !== "open") this.retry();
      else if (Date.now() - this.#heardAt > STALE_MS) this.#leave.abort();
    });
  }

  /** Runs until the server refuses the token. */
  async run(): Promise<void> {
    const { connection } = this.#state;
    for (;;) {
      await this.#turn.wait();
      let failure: unknown;
      try {
        await this.#read();
      } catch (error) {
        if (error instanceof ApiError && (error.status === 401 || error.status === 403)) {
          connection.value = "refused";
          return;
        }
        failure = error;
      }
      this.#state.api.forgetProof();
      if (!this.#turn.isOn) {
        connection.value = "connecting";
        continue;
      }
      connection.value = failure instanceof UnprovenServer ? "unproven" : "lost";
      await this.#pause();
    }
  }

  /** Connects again at once. */
  retry(): void {
    this.#failures = 0;
    this.#wake();
  }

  async #read(): Promise<void> {
    this.#leave = new AbortController();
    const { signal } = this.#leave;
    const openedAt = performance.now();
    let timer = this.#limitSilence();
    try {
      const response = await this.#state.api.open(`watch${this.#query()}`, { signal });
      if (response.body === null) return;
      this.#state.connected();
      for await (const events of readSse(response.body)) {
        clearTimeout(timer);
        timer = this.#limitSilence();
        // A stream that ends as soon as it begins must not be opened again and again.
        if (performance.now() - openedAt > LASTING_MS) this.#failures = 0;
        this.#heardAt = Date.now();
        this.#state.connection.value = "open";
        for (const { data } of events) this.#state.take(JSON.parse(data) as WatchMessage);
      }
    } finally {
      clearTimeout(timer);
      this.#leave.abort();
    }
  }

  /** A connection can die without a word, for example while a computer sleeps. */
  #limitSilence(): number {
    return setTimeout(() => this.#leave.abort(), SILENCE_MS);
  }

  #query(): string {
    const query = new URLSearchParams();
    // Also of a source that is not listed now: a server that has just been started may not have found it yet.
    for (const { info, lastId } of this.#state.allSources) {
      if (lastId !== undefined) query.append("after", `${info.id}~${lastId}`);
    }
    return query.size === 0 ? "" : `?${query}`;
  }

  async #pause(): Promise<void> {
    const wait = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS);
    this.#failures += 1;
    this.#state.retryAt.value = Date.now() + wait;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, wait);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => {};
  }
}

/** Three times the time after which the server sends a sign of life. */
const SILENCE_MS = 45_000;
const LASTING_MS = 2_000;
/** A page that was hidden for this long without a sign of life connects anew when it is shown. */
const STALE_MS = 20_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;
