import { type ErrorFacts, isHawserError, type Mask } from "../../base/index.js";
import { isResult, type Message, type ResultMessage } from "../../wire/index.js";
import { notTheCli } from "../not-the-cli.js";
import { failureOf } from "../result-outcome.js";

/** What the CLI says before it has answered initialize, kept until it is known what that means. */
export class EarlyMessages {
  #kept: [Message, number][] | undefined = [];
  #failure: ResultMessage | undefined;
  #hasSpoken = false;

  /** Whether it has been kept; not once they were handed on. */
  keep(message: Message, size: number): boolean {
    this.#kept?.push([message, size]);
    return this.#kept !== undefined;
  }

  deliver(deliver: (message: Message, size: number) => void): void {
    const kept = this.#kept ?? [];
    this.#kept = undefined;
    for (const [message, size] of kept) deliver(message, size);
  }

  /** To be told of every message until the CLI is ready. */
  observe(message: Message): void {
    this.#hasSpoken = true;
    if (isResult(message) && message.is_error) this.#failure ??= message;
  }

  /** A failure that the CLI reports before it answers initialize is why it never will. */
  explain(error: unknown, facts: ErrorFacts, mask: Mask | undefined): unknown {
    if (!this.#hasSpoken) return notTheCli(error, facts, mask);
    if (this.#failure === undefined) return error;
    if (isHawserError(error, "timeout") || error === undefined) return error;
    const around = { apiError: undefined, rateLimit: undefined, retryAfterMs: undefined };
    return failureOf(this.#failure, around, mask);
  }
}
