import { setImmediate } from "node:timers/promises";

/**
 * Lets the event loop run during work on a long transcript, so that timers and other callers are
 * not blocked. Use: `if (pause.isDue()) await pause.take();`. `isDue()` is cheap enough to be
 * called for each entry.
 */
export class EventLoopPause {
  #calls = 0;
  #since: number = performance.now();

  isDue(): boolean {
    this.#calls += 1;
    return this.#calls % CALLS_PER_CLOCK_READ === 0 && performance.now() - this.#since > TURN_MS;
  }

  async take(): Promise<void> {
    await setImmediate();
    this.#since = performance.now();
  }
}

const CALLS_PER_CLOCK_READ = 64;
const TURN_MS = 10;
