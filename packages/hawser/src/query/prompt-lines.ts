import { HawserError } from "../base/index.js";
import { type UserLine, userLine } from "../wire/index.js";
import type { SDKUserMessage } from "./types/index.js";

export type QueryPrompt = string | AsyncIterable<SDKUserMessage>;

/** The lines of a prompt, each as it is to be sent, until it ends or is left. */
export class PromptLines implements AsyncIterable<UserLine> {
  readonly #prompt: QueryPrompt;
  readonly #composed: object;
  #left = false;
  #stopWaiting: () => void = () => {};

  constructor(prompt: QueryPrompt, verbatim: boolean) {
    this.#prompt = prompt;
    this.#composed = verbatim ? { client_composed: true } : {};
  }

  /** No more of them: somebody's iterable may wait for ever for what nobody will send. */
  close(): void {
    this.#left = true;
    this.#stopWaiting();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<UserLine> {
    if (typeof this.#prompt === "string") {
      yield { ...userLine(this.#prompt), ...this.#composed };
      return;
    }
    const messages = this.#prompt[Symbol.asyncIterator]();
    try {
      while (!this.#left) {
        const next = await this.#next(messages);
        if (next.done) break;
        yield { ...checked(next.value), ...this.#composed };
      }
    } finally {
      // Whether it minds being left, is its own affair.
      void Promise.resolve(messages.return?.()).catch(() => {});
    }
  }

  /** A race with one promise that outlives them all would keep every message as long as it. */
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

/** A line without these would end the CLI. */
function checked(message: SDKUserMessage): UserLine {
  if (message?.type === "user" && message.message?.role === "user") {
    return message as unknown as UserLine;
  }
  throw new HawserError("invalid_options", "A message of the prompt is no user message.", {
    hint: 'Yield { type: "user", message: { role: "user", content: "…" }, parent_tool_use_id: null }.',
  });
}
