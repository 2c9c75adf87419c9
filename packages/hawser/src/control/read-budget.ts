import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * How long a read loop may go on without a pause. Promises alone never let a timer fire, so a CLI
 * that floods the line would keep every time limit of the host from being noticed. After a few
 * milliseconds, or some hundred messages whose work is done in promises, the read loop must let the
 * event loop turn.
 */
export class ReadBudget {
  /** When the clock was first looked at since the last wait. */
  #began: number | undefined;
  #messages = 0;

  /** Call it after a wait, because the time of a wait does not count. */
  resume(): void {
    this.#began = undefined;
  }

  /** Call it once after each message. */
  isSpent(): boolean {
    this.#messages += 1;
    if (this.#messages % LOOK_EVERY !== 0) return false;
    const now = performance.now();
    this.#began ??= now;
    return this.#messages >= MOST_MESSAGES || now - this.#began > LONGEST_MS;
  }

  /** Resolves in the next turn of the event loop, when timers that are due have fired. */
  async renew(): Promise<void> {
    await nextTurn();
    this.#messages = 0;
    this.resume();
  }
}

const LOOK_EVERY = 16;
const MOST_MESSAGES = 512;
const LONGEST_MS = 20;
