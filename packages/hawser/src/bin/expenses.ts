import { addUsage, spentOn, wasInterrupted } from "../session/index.js";
import type { ModelUsage, ResultMessage } from "../wire/index.js";
import { atLeast, dollars } from "./summary.js";

/** What was spent since the program began, over all sessions. */
export class Expenses {
  readonly #models = new Map<string, ModelUsage>();
  #usd = 0;
  #isWhole = true;

  /** By model. */
  get models(): ReadonlyMap<string, ModelUsage> {
    return this.#models;
  }

  /** To be told of each result, once. */
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
  miss(): void {
    this.#isWhole = false;
  }

  /** In dollars; it says so if there is more that is not known. */
  toString(): string {
    return this.#isWhole ? dollars(this.#usd) : atLeast(dollars(this.#usd));
  }
}
