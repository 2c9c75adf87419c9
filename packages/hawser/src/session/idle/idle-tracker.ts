import type { HawserError } from "../../base/index.js";
import type { RecoverableConnection } from "../connection/recoverable-connection.js";
import type { StreamListener } from "../turns/message-stream.js";
import type { LiveTurn } from "../turns/turn.js";
import type { Turns } from "../turns/turns.js";
import type { PendingWork } from "./pending-work.js";

/**
 * Knows whether a session is idle. Resolves the promises of `session.idle()`, keeps the clocks of turns,
 * counts the readers that wait or are behind, and decides whether the program must stay alive.
 */
export class IdleTracker implements StreamListener {
  readonly #turns: Turns;
  readonly #work: PendingWork;
  readonly #connection: RecoverableConnection;
  #waiters: Waiter[] = [];
  #waitingReaders = 0;
  #fullReaders = 0;

  constructor(turns: Turns, work: PendingWork, connection: RecoverableConnection) {
    this.#turns = turns;
    this.#work = work;
    this.#connection = connection;
  }

  /** Whether nothing is left to do, background work included. */
  get isQuiet(): boolean {
    return this.#turns.size === 0 && this.#work.isQuiet;
  }

  /** Resolves when the session is idle. `session` is not garbage-collected meanwhile. */
  wait(session: object): Promise<void> {
    const quiet = new Promise<void>((resolve, reject) =>
      this.#waiters.push({ resolve, reject, session }),
    );
    this.recheck();
    return quiet;
  }

  /** A reader of the session or of a turn began to wait for a message, or waits no more. */
  onWaiting(waiting: boolean): void {
    this.#waitingReaders += waiting ? 1 : -1;
    // A turn keeps the program alive anyway, and its reader begins to wait again after each message.
    if (this.#turns.size === 0) this.recheck();
  }

  /** A reader of the session or of a turn is too far behind, or no longer is. */
  onFull(full: boolean): void {
    this.#fullReaders += full ? 1 : -1;
    this.#connection.current.setPaused(this.#fullReaders > 0);
  }

  /** The idle clock runs only while we wait for the model: it pauses during tools and host callbacks. */
  updateClocks(): void {
    for (const turn of this.#turns.active) {
      const { clock, record } = turn;
      if (this.#waitsElsewhere(turn)) clock?.pause();
      else if (record.firstTokenAt !== undefined) clock?.enter("idle");
      else clock?.resume();
    }
  }

  /** To be called when work, a wait or a connection may have begun or ended. */
  recheck(): void {
    const { current } = this.#connection;
    const turns = this.#turns;
    // A prompt that waits for the end of a turn which the CLI began by itself is not late yet.
    const waitsForCli = this.#work.inTurn && turns.active.size === 0;
    if (current.wasReady && !waitsForCli) this.#startClock(turns.next);
    this.#resolveIfQuiet();
    current.holdProgram(turns.size > 0 || this.#waiters.length > 0 || this.#waitingReaders > 0);
  }

  /** Settles the promises of `session.idle()`, because the session is over. */
  settle(error: HawserError | undefined): void {
    for (const { resolve, reject } of this.#takeWaiters()) {
      if (error === undefined) resolve();
      else reject(error);
    }
  }

  #startClock(turn: LiveTurn | undefined): void {
    turn?.clock?.start();
    if (turn !== undefined && this.#waitsElsewhere(turn)) turn.clock?.pause();
  }

  /** Whether the CLI waits for a tool or for this side, and not for the model. */
  #waitsElsewhere({ record }: LiveTurn): boolean {
    return record.awaitsTool || this.#work.hostRequests > 0;
  }

  /** Resolves only if the session is still idle after readers have seen the messages before. */
  #resolveIfQuiet(): void {
    if (this.#waiters.length === 0 || !this.isQuiet) return;
    setImmediate(() => {
      if (this.#waiters.length === 0 || !this.isQuiet) return;
      for (const { resolve } of this.#takeWaiters()) resolve();
      this.recheck();
    });
  }

  #takeWaiters(): readonly Waiter[] {
    const waiters = this.#waiters;
    this.#waiters = [];
    return waiters;
  }
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  /** Kept so that the session is not garbage-collected. */
  readonly session: object;
}
