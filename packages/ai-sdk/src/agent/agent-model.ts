import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from "@ai-sdk/provider";
import { CallWarnings } from "../call-warnings.js";
import { collectParts } from "../completion/collect-parts.js";
import { toAiSdkError } from "../errors/index.js";
import type { ModelContext } from "../model-context.js";
import { partStream } from "../part-stream.js";
import { type AgentRun, answeredBefore } from "./agent-run.js";
import type { AgentSettings } from "./agent-settings.js";
import type { ParkedTurns } from "./parked-turns.js";
import { readAnswers } from "./read-answers.js";
import { startRun } from "./start-run.js";

/** What an agent gets from its provider. */
export interface AgentContext extends ModelContext {
  readonly settings: AgentSettings;
  readonly parked: ParkedTurns<AgentRun>;
}

/**
 * The CLI's own agent as a model of the AI SDK. Its tools run in the CLI. A turn that needs an approval, or the result of
 * a tool of the caller, waits in this program for the request that brings it.
 */
export class AgentModel implements LanguageModelV4 {
  readonly specificationVersion = "v4";
  readonly provider = "hawser.agent";
  readonly modelId: string;
  /** The CLI takes no URLs, so that the AI SDK downloads files and hands over their bytes. */
  readonly supportedUrls = {};
  readonly #context: AgentContext;

  constructor(context: AgentContext) {
    this.modelId = context.modelId;
    this.#context = context;
  }

  async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const { warnings, parts } = await this.#answer(options, true);
    const result = await collectParts(parts);
    return { ...result, warnings: warnings.list };
  }

  /** Resolves when the model has begun to answer, so that `maxRetries` covers every failure before that. */
  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const { warnings, parts, leave } = await this.#answer(options, false);
    const all = withStart(parts, warnings);
    return { stream: partStream(await all.next(), all, leave) };
  }

  async #answer(options: LanguageModelV4CallOptions, isGenerated: boolean): Promise<Answering> {
    const { abortSignal: signal, includeRawChunks = false } = options;
    const { modelId } = this;
    const warnings = new CallWarnings();
    try {
      signal?.throwIfAborted();
      const { run, isContinued } = await this.#run(options, warnings);
      const failed = (error: unknown, isPaid: boolean) =>
        // A turn that was continued has been paid for, and its answers count once.
        toAiSdkError(error, { modelId, signal, isPaid: isPaid || isContinued });
      const repeatsCalls = isGenerated;
      const step = { signal, repeatsCalls, includeRawChunks, warnings, failed };
      return { warnings, parts: run.step(step), leave: () => void run.leave(step) };
    } catch (error) {
      throw toAiSdkError(error, { modelId, signal });
    }
  }

  /** The turn that waits for the answers of this request, or a new one with the conversation so far. */
  async #run(
    options: LanguageModelV4CallOptions,
    warnings: CallWarnings,
  ): Promise<{ readonly run: AgentRun; readonly isContinued: boolean }> {
    const { parked } = this.#context;
    const answers = readAnswers(options.prompt);
    const claim = parked.claim(answers.waitIds);
    if (claim.type === "taken") throw answeredBefore();
    if (claim.type === "gone") {
      return { run: startRun(options, this.#context, warnings), isContinued: false };
    }
    await claim.turn.answer(answers, warnings);
    return { run: claim.turn, isContinued: true };
  }
}

interface Answering {
  readonly warnings: CallWarnings;
  readonly parts: AsyncGenerator<LanguageModelV4StreamPart, undefined>;
  /** The reader of the parts wants no more. */
  readonly leave: () => void;
}

async function* withStart(
  parts: AsyncGenerator<LanguageModelV4StreamPart, undefined>,
  warnings: CallWarnings,
): AsyncGenerator<LanguageModelV4StreamPart, undefined> {
  const first = await parts.next();
  try {
    yield { type: "stream-start", warnings: warnings.list };
    if (first.done !== true) yield first.value;
    yield* parts;
  } finally {
    await parts.return(undefined);
  }
}
