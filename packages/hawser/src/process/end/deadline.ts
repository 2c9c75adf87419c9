import { HawserError, startTimer } from "../../base/index.js";

/** What a deadline needs of the process that it belongs to. */
export interface DeadlineOwner {
  /** Moves the watchdog's own deadline, which holds while this program is frozen. */
  tellWatchdog(): void;
  /** Kills the process, because the deadline has passed. */
  kill(): void;
}

/**
 * Ends a process unless the program calls `renew()` again and again. The watchdog keeps the same time for the case
 * that this program is frozen; its deadline begins a moment later, so it is never the earlier one.
 */
export class Deadline {
  readonly #limitMs: number;
  readonly #owner: DeadlineOwner;
  #renewedAt: number = performance.now();
  #timer: NodeJS.Timeout | undefined;
  /** Renews the deadline until the caller can do it. */
  #starting: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(limitMs: number, owner: DeadlineOwner) {
    this.#limitMs = limitMs;
    this.#owner = owner;
    this.#starting = setInterval(() => this.renew(), limitMs / RENEWALS).unref();
    this.#wait();
  }

  /** Whether the deadline has passed. Time counts on while this program is frozen. */
  get hasPassed(): boolean {
    return performance.now() - this.#renewedAt >= this.#limitMs;
  }

  get error(): HawserError {
    const message = `The session was not renewed within ${this.#limitMs} ms, so its process was ended.`;
    const hint = "Call `session.renew()` more often, or raise `renewWithinMs`.";
    return new HawserError("timeout", message, { phase: "renew", hint });
  }

  /** From now on, only the caller renews. */
  handOver(): void {
    clearInterval(this.#starting);
    this.renew();
  }

  /** Moves the deadline. A deadline that has passed stays so, because the watchdog may be at work. */
  renew(): void {
    if (this.#isStopped) return;
    if (this.hasPassed) {
      this.#expire();
      return;
    }
    this.#renewedAt = performance.now();
    this.#owner.tellWatchdog();
    this.#wait();
  }

  /** The process is gone. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    clearInterval(this.#starting);
  }

  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = startTimer(this.#limitMs, () => this.#expire());
    this.#timer?.unref();
  }

  #expire(): void {
    this.stop();
    this.#owner.kill();
  }
}

/** How often the deadline is renewed in its time while the CLI starts. */
const RENEWALS = 4;
