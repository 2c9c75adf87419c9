import { spentOn, wasInterrupted } from "../session/index.js";
import { isResult, type Message } from "../wire/index.js";
import { addCosts } from "./outcome.js";

/** Adds up the cost of a call from its messages. An error of a call does not say what the call cost. */
export class CallCost {
  #known: number | undefined = 0;
  /** Whether a turn has begun that has no result yet. */
  #isOpen = false;

  add(message: Message): void {
    // A notice of hawser itself, such as that of a retry.
    if (message.type === "hawser") return;
    this.#isOpen = !isResult(message);
    if (!isResult(message)) return;
    // The totals of an interrupted turn lack its last request.
    const { costUsd } = wasInterrupted(message) ? { costUsd: undefined } : spentOn(message);
    this.#known = addCosts([this.#known, costUsd]);
  }

  /** `undefined` if a part of it is not known, because the CLI tells the cost of a turn only at its end. */
  get usd(): number | undefined {
    return this.#isOpen ? undefined : this.#known;
  }
}
