import type { HawserError } from "../base/index.js";
import type { Activity } from "./activity.js";
import type { Connection } from "./connection.js";
import type { Readers } from "./readers.js";
import type { Turns } from "./turns.js";
import { Waiters } from "./waiters.js";

export interface RestParts {
  readonly turns: Turns;
  readonly activity: Activity;
  readonly readers: Readers;
  /** The one of the moment. */
  readonly connection: () => Connection;
}

/** Whether anything goes on in a session: for its clocks, for those who wait, for the program. */
export class Rest {
  readonly #parts: RestParts;
  readonly #waiters = new Waiters();
  /** How many requests of the CLI this side works on. */
  #asked = 0;

  constructor(parts: RestParts) {
    this.#parts = parts;
  }

  /** Whether nothing is left to do, background work included. */
  get isQuiet(): boolean {
    return this.#parts.turns.size === 0 && this.#parts.activity.quiet;
  }

  wait(session: object): Promise<void> {
    const quiet = this.#waiters.wait(session);
    this.changed();
    return quiet;
  }

  asked(pending: number): void {
    this.#asked = pending;
    this.wind();
  }

  /** Silence counts only while nothing is being waited for but the model. */
  wind(): void {
    for (const { clock, record } of this.#parts.turns.active) {
      if (record.awaitsTool || this.#asked > 0) clock?.pause();
      else if (record.firstTokenAt !== undefined) clock?.enter("idle");
      else clock?.resume();
    }
  }

  /** Something may have come to rest, or begun. */
  changed(): void {
    const { turns, activity, readers } = this.#parts;
    const connection = this.#parts.connection();
    const busy = turns.size > 0;
    // A prompt that waits for a turn of the CLI's own is not late yet.
    const waits = activity.inTurn && turns.active.size === 0;
    if (connection.isReady && !waits) turns.next?.clock?.start();
    this.#waiters.resolveIf(
      () => this.isQuiet,
      () => this.changed(),
    );
    connection.holdProgram(busy || this.#waiters.size > 0 || readers.waiting);
  }

  /** The session is over. */
  end(error: HawserError | undefined): void {
    if (error === undefined) this.#waiters.resolve();
    else this.#waiters.reject(error);
  }
}
