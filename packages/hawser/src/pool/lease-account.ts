import type { HawserError } from "../base/index.js";
import { type SessionWatcher, spentOn } from "../session/index.js";
import type { ResultMessage } from "../wire/index.js";
import type { Slot } from "./admission/admission.js";

interface Releasable {
  release(): Promise<void>;
}

/** The cost of one lease, and whether its calls have used up the budget of the CLI's process. */
export class LeaseAccount {
  readonly #slot: Slot;
  /** The watcher of the current session; sessions on workers that failed came before it. */
  #watcher: SessionWatcher | undefined;
  #lease: Releasable | undefined;
  #isSessionOver = false;
  #hasSpentBudget = false;
  #hasResult = false;

  constructor(slot: Slot) {
    this.#slot = slot;
  }

  /** Whether the CLI stopped because its budget was spent: an older CLI serves no call after that. */
  get hasSpentBudget(): boolean {
    return this.#hasSpentBudget;
  }

  /** Releases the lease when the session has ended, however it ends; at once if it has already. */
  releaseWhenOver(lease: Releasable): void {
    this.#lease = lease;
    if (this.#isSessionOver) void lease.release();
  }

  /** The watcher for one more session, which takes the place of the one before. */
  watch(): SessionWatcher {
    const watcher: SessionWatcher = {
      onResult: (result) => this.#add(result),
      onOver: () => {
        if (this.#watcher !== watcher) return;
        this.#isSessionOver = true;
        void this.#lease?.release();
      },
    };
    this.#watcher = watcher;
    this.#isSessionOver = false;
    return watcher;
  }

  /** Charges the known cost, and releases the slot. */
  settle(failure: HawserError | undefined): void {
    const begun = this.#hasResult || failure?.lastMessage !== undefined;
    // A failure without a result may have cost something, if the model was asked at all.
    this.#slot.charge.settle(begun && failure !== undefined && failure.result === undefined);
    this.#slot.release(failure);
  }

  #add(result: ResultMessage): void {
    this.#hasResult = true;
    if (result.subtype === "error_max_budget_usd") this.#hasSpentBudget = true;
    this.#slot.charge.add(spentOn(result).costUsd);
  }
}
