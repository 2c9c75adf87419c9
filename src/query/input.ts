import { HawserError } from "../errors/index.js";
import { type UserLine, userLine } from "../wire/index.js";
import type { SDKUserMessage } from "./types/index.js";

export type QueryPrompt = string | AsyncIterable<SDKUserMessage>;

/** The lines of a prompt, each as it is to be sent; no more of them once `over` has settled. */
export async function* linesOf(
  prompt: QueryPrompt,
  verbatim: boolean,
  over: Promise<void>,
): AsyncGenerator<UserLine> {
  const composed = verbatim ? { client_composed: true } : {};
  if (typeof prompt === "string") {
    yield { ...userLine(prompt), ...composed };
    return;
  }
  const messages = prompt[Symbol.asyncIterator]();
  const stopped = over.then(
    (): IteratorReturnResult<undefined> => ({ done: true, value: undefined }),
  );
  for (;;) {
    // Somebody's iterable may wait for ever for what nobody will send.
    const next = await Promise.race([messages.next(), stopped]);
    if (next.done) break;
    yield { ...checked(next.value), ...composed };
  }
  // Whether it minds being left, is its own affair.
  void Promise.resolve(messages.return?.()).catch(() => {});
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
