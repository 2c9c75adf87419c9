import { HawserError } from "../errors/index.js";

/** How long each part of a call may take, in milliseconds; `Infinity` is no limit. */
export interface Timeouts {
  /** From the start to the CLI's answer to initialize. */
  readonly bootMs: number;
  /** From there to the first message of the turn. */
  readonly firstMessageMs: number;
  /** Between two messages. */
  readonly idleMs: number;
  /** Over everything. */
  readonly totalMs: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = {
  bootMs: 60_000,
  firstMessageMs: 120_000,
  idleMs: 300_000,
  totalMs: 600_000,
};

/** Holds a call to its time limits and its abort signals; the first of them to break is the cause. */
export class Limits {
  readonly #timeouts: Timeouts;
  readonly #broken: Promise<never>;
  readonly #release: (() => void)[] = [];
  #break: (error: HawserError) => void = () => {};
  #phaseTimer: NodeJS.Timeout | undefined;

  constructor(timeouts: Timeouts, signals: readonly AbortSignal[]) {
    this.#timeouts = timeouts;
    this.#broken = new Promise((_, reject) => {
      this.#break = reject;
    });
    // A limit that breaks after the call has ended concerns nobody.
    this.#broken.catch(() => {});
    const total = this.#timer("total");
    this.#release.push(() => clearTimeout(total));
    for (const signal of signals) this.#listen(signal);
  }

  race<T>(work: Promise<T>): Promise<T> {
    return Promise.race([this.#broken, work]);
  }

  /** Starts the clock of a phase, in place of the one that was running. */
  enter(phase: "boot" | "firstMessage" | "idle"): void {
    clearTimeout(this.#phaseTimer);
    this.#phaseTimer = this.#timer(phase);
  }

  /** Stops the clock of the phase; the whole call's goes on. */
  pause(): void {
    clearTimeout(this.#phaseTimer);
  }

  end(): void {
    this.pause();
    for (const release of this.#release) release();
  }

  #listen(signal: AbortSignal): void {
    const onAbort = () => {
      this.#break(new HawserError("aborted", undefined, { reason: signal.reason }));
    };
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    this.#release.push(() => signal.removeEventListener("abort", onAbort));
  }

  #timer(phase: keyof typeof SPAN): NodeJS.Timeout | undefined {
    const limitMs = this.#timeouts[`${phase}Ms`];
    // Node fires a timer that is longer than this at once.
    if (limitMs > LONGEST_TIMER_MS) return undefined;
    const message = `${SPAN[phase]} took longer than ${limitMs} ms.`;
    return setTimeout(() => {
      this.#break(new HawserError("timeout", message, { phase }));
    }, limitMs);
  }
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

const SPAN = {
  boot: "The start of the CLI",
  firstMessage: "The wait for the first message",
  idle: "The wait for the next message",
  total: "The whole call",
} as const;
