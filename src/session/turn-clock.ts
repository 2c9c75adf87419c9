import type { HawserError } from "../errors/index.js";
import { startTimer, type Timeouts, timeoutError } from "./timeouts.js";

/** Holds one turn to its time limits; tells of the first that is passed. */
export class TurnClock {
  readonly #timeouts: Timeouts;
  readonly #onExpired: (error: HawserError) => void;
  #phase: NodeJS.Timeout | undefined;
  #total: NodeJS.Timeout | undefined;
  #current: "firstMessage" | "idle" = "firstMessage";
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
    this.#total = this.#timer("total");
    this.enter("firstMessage");
  }

  /** Starts the clock of a phase, in place of the one that was running. */
  enter(phase: "firstMessage" | "idle"): void {
    clearTimeout(this.#phase);
    // What has run out once is over, whatever still comes.
    if (this.#stopped) return;
    this.#paused = false;
    this.#current = phase;
    this.#phase = this.#timer(phase);
  }

  /** Stops the clock of the phase; the whole turn's goes on. */
  pause(): void {
    clearTimeout(this.#phase);
    this.#paused = true;
  }

  /** Starts the phase that was paused anew, if one was. */
  resume(): void {
    if (this.#started && this.#paused) this.enter(this.#current);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#phase);
    clearTimeout(this.#total);
  }

  #timer(phase: "firstMessage" | "idle" | "total"): NodeJS.Timeout | undefined {
    const limitMs = this.#timeouts[`${phase}Ms`];
    return startTimer(limitMs, () => {
      this.stop();
      this.#onExpired(timeoutError(phase, limitMs));
    });
  }
}
