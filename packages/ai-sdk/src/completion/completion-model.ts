import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from "@ai-sdk/provider";
import type { Message } from "hawser";
import { type AnswerRequestOptions, answerRequest, type RunningAnswer } from "hawser/answer";
import { toAiSdkError } from "../errors/index.js";
import { LinkedAbort } from "../linked-abort.js";
import type { ModelContext } from "../model-context.js";
import { partStream } from "../part-stream.js";
import { modelOptions } from "../settings.js";
import { AnswerParts } from "./answer-parts.js";
import { collectParts } from "./collect-parts.js";
import { streamParts } from "./stream-parts.js";
import { type TranslatedCall, translateCall } from "./translate-call.js";

/**
 * A model that answers one request at a time: the whole conversation goes in, one message of the model comes out.
 * A process of the pool serves the request and is then free for another conversation.
 */
export class CompletionModel implements LanguageModelV4 {
  readonly specificationVersion = "v4";
  readonly provider = "hawser";
  readonly modelId: string;
  /** The CLI takes no URLs, so that the AI SDK downloads files and hands over their bytes. */
  readonly supportedUrls = {};
  readonly #context: ModelContext;

  constructor(context: ModelContext) {
    this.modelId = context.modelId;
    this.#context = context;
  }

  async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const { modelId } = this;
    const { abortSignal: signal } = options;
    let answer: RunningAnswer | undefined;
    try {
      signal?.throwIfAborted();
      const call = translateCall(options, this.#context);
      answer = this.#answer(call, { signal, isStreamed: false });
      const result = await collectParts(wholeParts(answer));
      return { ...result, warnings: call.warnings.list };
    } catch (error) {
      throw toAiSdkError(error, { modelId, signal, isPaid: answer?.reader.isStarted });
    }
  }

  /** Resolves when the model has begun to answer, so that `maxRetries` covers every failure before that. */
  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const { modelId } = this;
    const { abortSignal: signal, includeRawChunks = false } = options;
    const abort = new LinkedAbort(signal);
    const failed = (error: unknown) => toAiSdkError(error, { modelId, signal });
    try {
      signal?.throwIfAborted();
      const call = translateCall(options, this.#context);
      const raw: Message[] = [];
      const answer = this.#answer(call, {
        signal: abort.signal,
        isStreamed: true,
        showsPartialValue: call.settings.partialObjects !== false,
        ...(includeRawChunks ? { onMessage: (message) => void raw.push(message) } : {}),
      });
      const warnings = call.warnings.list;
      const ended = () => abort.detach();
      const parts = streamParts(answer, { warnings, raw, signal, failed, ended });
      return { stream: partStream(await parts.next(), parts, () => abort.abort()) };
    } catch (error) {
      abort.detach();
      throw failed(error);
    }
  }

  #answer({ request, settings }: TranslatedCall, how: AnswerRequestOptions): RunningAnswer {
    return answerRequest(this.#context.pools.pool(), request, {
      ...how,
      options: modelOptions(settings),
      tenant: settings.tenant,
    });
  }
}

/** The parts of an answer that nobody sees before it is whole. */
async function* wholeParts({
  events,
  reader,
}: RunningAnswer): AsyncGenerator<LanguageModelV4StreamPart, undefined> {
  const parts = new AnswerParts(reader);
  for await (const event of events) yield* parts.of(event);
}
