import { setImmediate } from "node:timers/promises";

/**
 * Lets the event loop run during work on a long transcript, so that timers and other callers get their
 * turn. `isDue()` is cheap enough to be asked for each entry.
 */
export class Pace {
  #asked = 0;
  #since: number = performance.now();

  isDue(): boolean {
    this.#asked += 1;
    return this.#asked % ASK_CLOCK_EVERY === 0 && performance.now() - this.#since > TURN_MS;
  }

  async rest(): Promise<void> {
    await setImmediate();
    this.#since = performance.now();
  }
}

const ASK_CLOCK_EVERY = 64;
const TURN_MS = 10;
