/**
 * The runs for which this host could not start a CLI. After such a fault the worker claims nothing for a while, which
 * grows from fault to fault, so that a host that is set up badly does not try a whole queue in a second.
 */
export class HostFaults {
  readonly #runs = new Set<string>();
  #faults = 0;
  #pausedUntil = 0;

  /** The newest of them. They are left to other workers. */
  get runs(): ReadonlySet<string> {
    return this.#runs;
  }

  get isPaused(): boolean {
    return performance.now() < this.#pausedUntil;
  }

  add(run: string): void {
    this.#runs.delete(run);
    this.#runs.add(run);
    const [oldest] = this.#runs;
    if (this.#runs.size > MOST_RUNS && oldest !== undefined) this.#runs.delete(oldest);
    // Runs that were claimed at the same time have the same fault.
    if (this.isPaused) return;
    this.#pausedUntil =
      performance.now() + Math.min(FIRST_PAUSE_MS * 2 ** this.#faults, LAST_PAUSE_MS);
    this.#faults += 1;
  }

  /** A CLI was started, so that the next fault is the first one again. */
  clear(): void {
    this.#faults = 0;
  }
}

const MOST_RUNS = 1_000;
const FIRST_PAUSE_MS = 1_000;
const LAST_PAUSE_MS = 30_000;
