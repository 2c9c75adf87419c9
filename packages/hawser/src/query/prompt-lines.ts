import { HawserError } from "../base/index.js";
import { type UserLine, userLine } from "../wire/index.js";
import type { SDKUserMessage } from "./types/index.js";

export type QueryPrompt = string | AsyncIterable<SDKUserMessage>;

/** The lines of a prompt, as they are sent, until the prompt ends or `close()` is called. */
export class PromptLines implements AsyncIterable<UserLine> {
  readonly #prompt: QueryPrompt;
  readonly #composed: object;
  #closed = false;
  #stopWaiting: () => void = () => {};

  constructor(prompt: QueryPrompt, verbatim: boolean) {
    this.#prompt = prompt;
    this.#composed = verbatim ? { client_composed: true } : {};
  }

  /** Ends the lines, because the iterable of the caller may never end. */
  close(): void {
    this.#closed = true;
    this.#stopWaiting();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<UserLine> {
    if (typeof this.#prompt === "string") {
      yield { ...userLine(this.#prompt), ...this.#composed };
      return;
    }
    const messages = this.#prompt[Symbol.asyncIterator]();
    try {
      while (!this.#closed) {
        const next = await this.#next(messages);
        if (next.done) break;
        yield { ...checked(next.value), ...this.#composed };
      }
    } finally {
      // An error of the caller's iterable at this point concerns only the iterable.
      void Promise.resolve(messages.return?.()).catch(() => {});
    }
  }

  /** Not a race with one long-lived promise, which would keep every message in memory. */
  #next(messages: AsyncIterator<SDKUserMessage>): Promise<IteratorResult<SDKUserMessage>> {
    return new Promise((resolve, reject) => {
      this.#stopWaiting = () => resolve({ done: true, value: undefined });
      Promise.resolve(messages.next()).then(resolve, reject);
    });
  }
}

export function checkPrompt(prompt: unknown): asserts prompt is QueryPrompt {
  if (typeof prompt === "string") return;
  if (typeof prompt === "object" && prompt !== null && Symbol.asyncIterator in prompt) return;
  throw new HawserError("invalid_options", "prompt must be a string or an async iterable.", {
    hint: 'Call query({ prompt: "…" }), or pass an async generator of user messages.',
  });
}

/** The CLI would exit on a message without these fields. */
function checked(message: SDKUserMessage): UserLine {
  if (message?.type === "user" && message.message?.role === "user") {
    return message as UserLine;
  }
  throw new HawserError("invalid_options", "A message of the prompt is not a user message.", {
    hint: 'Yield { type: "user", message: { role: "user", content: "…" }, parent_tool_use_id: null }.',
  });
}
