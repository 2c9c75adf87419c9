import type { CompletionStream } from "../complete/index.js";
import type { Options } from "../options/index.js";
import type { Pool } from "../pool/index.js";
import type { Message } from "../wire/index.js";
import type { AnswerEvent } from "./answer.js";
import { answerCompletion, readerFor } from "./answer-completion.js";
import type { AnsweringCall } from "./answering-call.js";
import { callOptions } from "./call-options.js";
import type { MessageReader } from "./message-reader.js";
import type { ModelRequest } from "./model-request.js";
import { renameTools } from "./renamed-tools.js";

/** How `answerRequest()` answers. */
export interface AnswerRequestOptions {
  /** The model as the CLI knows it, if it is not the name in the request. */
  readonly model?: string | undefined;
  /** The options of the call: credentials, executable, timeouts, environment. */
  readonly options?: Options | undefined;
  /** For whom the pool answers. */
  readonly tenant?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether the events are for a reader that shows them at once. Otherwise a message that breaks off can be
   * replaced by the CLI's next attempt.
   */
  readonly isStreamed?: boolean | undefined;
  /**
   * Whether a value by schema, or JSON, is shown while the model writes it. The answer then fails with
   * `structured_output` if the model must correct the value. Otherwise the value is shown when it is accepted.
   */
  readonly showsPartialValue?: boolean | undefined;
  /** Gets each message of the CLI, before its events. */
  readonly onMessage?: ((message: Message) => void) | undefined;
}

/** An answer that is being made. */
export interface RunningAnswer {
  /** The call to the pool. Its `completion` settles also if the events have no reader. */
  readonly call: CompletionStream<unknown>;
  /** What is known of the answer so far. */
  readonly reader: MessageReader;
  /** The events. They can be read once; a reader that stops early ends the work of the model. */
  readonly events: AsyncGenerator<AnswerEvent, undefined>;
}

/**
 * Answers one stateless request to a model by a process of the pool, for packages that offer the API of another
 * library. The reader of the events drives the call.
 */
export function answerRequest(
  pool: Pool,
  request: ModelRequest,
  how: AnswerRequestOptions = {},
): RunningAnswer {
  const { model = request.model, options = {}, tenant, signal, onMessage } = how;
  const { isStreamed = true, showsPartialValue = false } = how;
  const showing = { isStreamed, showsPartialValue };
  const renamed = renameTools(request);
  const reader = readerFor(renamed.request, showing);
  const facts = { request: renamed.request, model, options, tenant, signal };
  const call = pool.stream(undefined, callOptions(facts));
  const read = onMessage === undefined ? call : observed(call, onMessage);
  const events = answerCompletion(read, renamed.request, reader, showing);
  return { call, reader, events: renamed.restore(events) };
}

function observed(
  call: CompletionStream<unknown>,
  onMessage: (message: Message) => void,
): AnsweringCall {
  return {
    completion: call.completion,
    async *[Symbol.asyncIterator]() {
      for await (const message of call) {
        onMessage(message);
        yield message;
      }
    },
  };
}
