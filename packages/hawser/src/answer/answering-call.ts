import type { CompletionStream } from "../complete/index.js";
import type { Message } from "../wire/index.js";

/** A call whose messages are read once. */
export type AnsweringCall = AsyncIterable<Message> & Pick<CompletionStream<unknown>, "completion">;
