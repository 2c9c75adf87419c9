import { type HawserError, onAbort, startTimer } from "../base/index.js";
import { controlRequest } from "../wire/index.js";
import type { RecoverableConnection } from "./connection/recoverable-connection.js";

/** The work that a shutdown has to end. */
export interface ClosableWork {
  /**
   * Whether the CLI asks callbacks of this side. After the end of its input, an older CLI continues without
   * asking.
   */
  readonly isGuarded: boolean;
  /** Whether a turn runs or a prompt waits, which has to be interrupted. */
  readonly needsInterrupt: boolean;
  /** Whether work would continue after the input has ended. */
  readonly outlivesInput: boolean;
}

/** An object that an abort closes. */
interface Closable {
  close(cause: HawserError): Promise<void>;
}

/**
 * - `open`: prompts are taken.
 * - `closing`: this side ends the process, for the first cause that was given.
 * - `detached`: the process belongs to another owner now.
 * - `over`: the process has ended for good.
 */
export type ShutdownState = "open" | "closing" | "detached" | "over";

/**
 * How a session or a query ends: the causes in their order, and the end of the process. The first cause
 * wins. Guarded work is killed and not left to itself.
 */
export class Shutdown {
  readonly #connection: RecoverableConnection;
  readonly #work: ClosableWork;
  readonly #interruptGraceMs: number | undefined;
  #state: ShutdownState = "open";
  #cause: HawserError | undefined;
  #closed: Promise<void> | undefined;
  #stopListening: () => void = () => {};
  #onStopped: () => void = () => {};
  /** The error of a message that was lost while a turn ran: the message may have been the result. */
  lost: HawserError | undefined;
  /** Why the process was killed, or its input ended, though `close()` was not called. */
  killedFor: HawserError | undefined;

  /**
   * With a grace, guarded turns have this long to obey an interrupt before the input ends. Without it,
   * the input ends directly behind the interrupt.
   */
  constructor(
    connection: RecoverableConnection,
    work: ClosableWork,
    { interruptGraceMs }: { readonly interruptGraceMs?: number } = {},
  ) {
    this.#connection = connection;
    this.#work = work;
    this.#interruptGraceMs = interruptGraceMs;
  }

  get state(): ShutdownState {
    return this.#state;
  }

  /** Why this side ends the process; undefined as long as it does not. */
  get cause(): HawserError | undefined {
    return this.#cause;
  }

  /** Closes the owner at the first abort of these signals. */
  closeOnAbort(signals: readonly (AbortSignal | undefined)[], owner: Closable): void {
    this.#stopListening = onAbort(signals, (error) => void owner.close(error));
  }

  /** Names the cause; returns the first cause that was named. */
  begin(cause: HawserError): HawserError {
    this.#cause ??= cause;
    if (this.#state === "open") this.#state = "closing";
    return this.#cause;
  }

  /**
   * Interrupts the running work and closes the process, once. Resolves when nothing of the process is left.
   */
  closeProcess(): Promise<void> {
    this.#closed ??= this.#closeProcess();
    return this.#closed;
  }

  killProcess(): Promise<void> {
    return this.#connection.current.kill();
  }

  /** Kills a process that must not be used any more, though the session or query was not closed. */
  killFor(why: HawserError): void {
    this.killedFor ??= why;
    void this.killProcess();
  }

  /** Why the process ended: a cause of this side comes before the error of the process. */
  reasonFor(error: unknown): unknown {
    return this.#cause ?? this.killedFor ?? this.lost ?? error;
  }

  /** To be called when work may have ended, so that a shutdown that waits for it continues. */
  recheck(): void {
    if (!this.#work.outlivesInput) this.#onStopped();
  }

  /** The end, for good. False if it was reached before. */
  settle(state: "detached" | "over"): boolean {
    if (this.#state === "detached" || this.#state === "over") return false;
    this.#state = state;
    this.#stopListening();
    return true;
  }

  async #closeProcess(): Promise<void> {
    const { current } = this.#connection;
    const { isGuarded } = this.#work;
    let { needsInterrupt } = this.#work;
    if (isGuarded && this.#interruptGraceMs !== undefined) {
      const isRunning = current.wasReady && this.#state !== "over";
      if (needsInterrupt && isRunning) await this.#interruptAll(this.#interruptGraceMs);
      needsInterrupt = false;
    }
    // After the end of the input, guarded work would continue unguarded until its process ends.
    if (isGuarded && this.#work.outlivesInput) return current.kill();
    return current.close(needsInterrupt ? { first: controlRequest("close", INTERRUPT_ALL) } : {});
  }

  /** Resolves when nothing is left to do, and at the latest after the grace. */
  async #interruptAll(graceMs: number): Promise<void> {
    const { current } = this.#connection;
    // The slow reader that paused the output is gone.
    current.setPaused(false);
    let timer: NodeJS.Timeout | undefined;
    const stopped = new Promise<void>((resolve) => {
      this.#onStopped = resolve;
      timer = startTimer(graceMs, resolve);
      current.request(INTERRUPT_ALL).catch(resolve);
    });
    await stopped;
    clearTimeout(timer);
  }
}

/** Interrupts the running turn, and the prompts that have not begun, which must not begin now. */
const INTERRUPT_ALL = { subtype: "interrupt", cancel_queued: true } as const;

/** How long a turn may take to obey an interrupt, unless `closeGraceMs` says otherwise. */
export const INTERRUPT_GRACE_MS = 2_000;
