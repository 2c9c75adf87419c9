import type { HawserError } from "../../base/index.js";
import type { CliConnection } from "../connection/cli-connection.js";
import type { Readers } from "../readers.js";
import type { Turns } from "../turns/turns.js";
import { Waiters } from "../waiters.js";
import type { PendingWork } from "./pending-work.js";

export interface IdleTrackerParts {
  readonly turns: Turns;
  readonly activity: PendingWork;
  readonly readers: Readers;
  /** The one of the moment. */
  readonly connection: () => CliConnection;
}

/** Whether anything goes on in a session: for its clocks, for those who wait, for the program. */
export class IdleTracker {
  readonly #parts: IdleTrackerParts;
  readonly #waiters = new Waiters();
  /** How many requests of the CLI this side works on. */
  #asked = 0;

  constructor(parts: IdleTrackerParts) {
    this.#parts = parts;
  }

  /** Whether nothing is left to do, background work included. */
  get isQuiet(): boolean {
    return this.#parts.turns.size === 0 && this.#parts.activity.isQuiet;
  }

  wait(session: object): Promise<void> {
    const quiet = this.#waiters.wait(session);
    this.recheck();
    return quiet;
  }

  setHostRequests(pending: number): void {
    this.#asked = pending;
    this.updateClocks();
  }

  /** Silence counts only while nothing is being waited for but the model. */
  updateClocks(): void {
    for (const { clock, record } of this.#parts.turns.active) {
      if (record.awaitsTool || this.#asked > 0) clock?.pause();
      else if (record.firstTokenAt !== undefined) clock?.enter("idle");
      else clock?.resume();
    }
  }

  /** Something may have come to rest, or begun. */
  recheck(): void {
    const { turns, activity, readers } = this.#parts;
    const connection = this.#parts.connection();
    const busy = turns.size > 0;
    // A prompt that waits for a turn of the CLI's own is not late yet.
    const waits = activity.inTurn && turns.active.size === 0;
    if (connection.isReady && !waits) turns.next?.clock?.start();
    this.#waiters.resolveIf(
      () => this.isQuiet,
      () => this.recheck(),
    );
    connection.holdProgram(busy || this.#waiters.size > 0 || readers.waiting);
  }

  /** The session is over. */
  settle(error: HawserError | undefined): void {
    if (error === undefined) this.#waiters.resolve();
    else this.#waiters.reject(error);
  }
}
