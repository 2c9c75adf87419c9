import type { FailureContext } from "../session/index.js";
import { isMessage, isResult, type Message, type ResultMessage } from "../wire/index.js";

/** A result, with the facts about a failure from the messages of its turn. */
export interface ResultInContext extends FailureContext {
  readonly result: ResultMessage;
}

/** The last result of a query, folded from its messages. */
export class LastResult {
  #verdict: ResultInContext | undefined;
  #around: FailureContext = NOTHING;

  get verdict(): ResultInContext | undefined {
    return this.#verdict;
  }

  observe(message: Message): void {
    if (isMessage(message, "rate_limit_event")) {
      this.#around = { ...this.#around, rateLimit: message.rate_limit_info };
    } else if (isMessage(message, "assistant") && message.error !== undefined) {
      this.#around = { ...this.#around, apiError: message.error };
    } else if (isResult(message)) {
      this.#verdict = { ...this.#around, result: message };
      this.#around = NOTHING;
    }
  }
}

const NOTHING: FailureContext = {
  apiError: undefined,
  rateLimit: undefined,
  retryAfterMs: undefined,
};
