import type { Completion, CompletionStream } from "hawser";
import type { TurnSource } from "./agent-turn.js";

/** A call of `stream()` with the options of `TurnHost.extend()`. `controller` is that of the option `signal`. */
export function fromStream<T>(
  stream: CompletionStream<T>,
  controller: AbortController,
): TurnSource<Completion<T>> {
  return {
    messages: stream,
    outcome: stream.completion,
    interrupt: () => controller.abort(),
  };
}
