import { type HawserError, startTimer } from "../../base/index.js";
import { type Timeouts, timeoutError } from "../timeouts.js";

/** The turn that a clock interrupts. */
export interface TimedTurn {
  interruptFor(why: HawserError): void;
}

type Phase = "firstMessage" | "idle";

/** Holds one turn to its time limits; interrupts it when the first of them has passed. */
export class TurnClock {
  readonly #timeouts: Timeouts;
  readonly #turn: TimedTurn;
  #timer: NodeJS.Timeout | undefined;
  #total: NodeJS.Timeout | undefined;
  #phase: Phase = "firstMessage";
  /** When the phase began, by `performance.now()`. */
  #since = 0;
  #started = false;
  #stopped = false;
  #paused = false;

  constructor(timeouts: Timeouts, turn: TimedTurn) {
    this.#timeouts = timeouts;
    this.#turn = turn;
  }

  /** Starts the clock; further calls change nothing. */
  start(): void {
    if (this.#started || this.#stopped) return;
    this.#started = true;
    const { totalMs } = this.#timeouts;
    this.#total = startTimer(totalMs, () => this.#expire("total", totalMs));
    this.enter("firstMessage");
  }

  /** Begins a phase in place of the running phase. The same phase starts again. */
  enter(phase: Phase): void {
    // A turn whose time has run out stays so, also if messages still come.
    if (this.#stopped) return;
    this.#since = performance.now();
    if (this.#timer !== undefined && phase === this.#phase && !this.#paused) return;
    this.#paused = false;
    this.#phase = phase;
    this.#wait(this.#timeouts[`${phase}Ms`]);
  }

  /** Stops the clock of the phase. The clock of the whole turn keeps running. */
  pause(): void {
    clearTimeout(this.#timer);
    this.#paused = true;
  }

  /** Restarts a paused phase. */
  resume(): void {
    if (this.#started && this.#paused) this.enter(this.#phase);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#total);
  }

  /** One timer serves many messages: when it fires, it waits for the rest since the last message. */
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
    this.#turn.interruptFor(timeoutError(phase, limitMs));
  }
}
