import type { HawserError } from "../../base/index.js";
import { startTimer, type Timeouts, timeoutError } from "../timeouts.js";

type Phase = "firstMessage" | "idle";

/** Holds one turn to its time limits; tells of the first that is passed. */
export class TurnClock {
  readonly #timeouts: Timeouts;
  readonly #onExpired: (error: HawserError) => void;
  #timer: NodeJS.Timeout | undefined;
  #total: NodeJS.Timeout | undefined;
  #phase: Phase = "firstMessage";
  /** When the phase began, by `performance.now()`. */
  #since = 0;
  #started = false;
  #stopped = false;
  #paused = false;

  constructor(timeouts: Timeouts, onExpired: (error: HawserError) => void) {
    this.#timeouts = timeouts;
    this.#onExpired = onExpired;
  }

  /** Once is enough. */
  start(): void {
    if (this.#started || this.#stopped) return;
    this.#started = true;
    const { totalMs } = this.#timeouts;
    this.#total = startTimer(totalMs, () => this.#expire("total", totalMs));
    this.enter("firstMessage");
  }

  /** Begins a phase, in place of the one that was running; the same one begins anew. */
  enter(phase: Phase): void {
    // What has run out once is over, whatever still comes.
    if (this.#stopped) return;
    this.#since = performance.now();
    if (this.#timer !== undefined && phase === this.#phase && !this.#paused) return;
    this.#paused = false;
    this.#phase = phase;
    this.#wait(this.#timeouts[`${phase}Ms`]);
  }

  /** Stops the clock of the phase; the whole turn's goes on. */
  pause(): void {
    clearTimeout(this.#timer);
    this.#paused = true;
  }

  /** Starts the phase that was paused anew, if one was. */
  resume(): void {
    if (this.#started && this.#paused) this.enter(this.#phase);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#total);
  }

  /** One timer serves many messages: when it fires, it waits for what the last one left. */
  #wait(ms: number): void {
    clearTimeout(this.#timer);
    const limitMs = this.#timeouts[`${this.#phase}Ms`];
    this.#timer = startTimer(ms, () => {
      const leftMs = limitMs - (performance.now() - this.#since);
      if (leftMs > 0) this.#wait(leftMs);
      else this.#expire(this.#phase, limitMs);
    });
  }

  #expire(phase: Phase | "total", limitMs: number): void {
    this.stop();
    this.#onExpired(timeoutError(phase, limitMs));
  }
}
