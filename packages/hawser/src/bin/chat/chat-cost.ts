import { addUsage, spentOn, wasInterrupted } from "../../session/index.js";
import type { ModelUsage, ResultMessage } from "../../wire/index.js";
import { atLeast, dollars } from "../turn/summary-line.js";

/** The cost since the program began, over all sessions. */
export class ChatCost {
  readonly #models = new Map<string, ModelUsage>();
  #usd = 0;
  #isWhole = true;

  /** By model. */
  get models(): ReadonlyMap<string, ModelUsage> {
    return this.#models;
  }

  /** Adds a result; to be called once for each. */
  add(result: ResultMessage): void {
    const { costUsd, modelUsage = {} } = spentOn(result);
    this.#usd += costUsd ?? 0;
    if (costUsd === undefined || wasInterrupted(result)) this.#isWhole = false;
    for (const [model, usage] of Object.entries(modelUsage)) {
      const before = this.#models.get(model);
      this.#models.set(model, before === undefined ? usage : addUsage(before, usage));
    }
  }

  /** A turn ended without a result, so that its cost is not known. */
  markIncomplete(): void {
    this.#isWhole = false;
  }

  /** In dollars, with "at least" if the cost of some turn is unknown. */
  toString(): string {
    return this.#isWhole ? dollars(this.#usd) : atLeast(dollars(this.#usd));
  }
}
