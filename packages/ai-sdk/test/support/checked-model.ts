import type {
  LanguageModelV4,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { partProblems } from "./check-parts.js";

/** A stream that a checked model has given. */
export interface SeenStream {
  readonly prompt: LanguageModelV4Prompt;
  readonly parts: LanguageModelV4StreamPart[];
  /** Whether the stream came to its end. A stream that was cancelled or aborted may stop anywhere. */
  isWhole: boolean;
}

/** A model that behaves as the given one. Its streams are noted in `seen`, so that a test can check the grammar of all of them. */
export function checkedModel(model: LanguageModelV4, seen: SeenStream[]): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(options),
    async doStream(options) {
      const result = await model.doStream(options);
      const stream: SeenStream = { prompt: options.prompt, parts: [], isWhole: false };
      seen.push(stream);
      const noted = new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
        transform(part, controller) {
          stream.parts.push(part);
          controller.enqueue(part);
        },
        flush() {
          stream.isWhole = true;
        },
      });
      return { ...result, stream: result.stream.pipeThrough(noted) };
    },
  };
}

/** The problems of all whole streams. */
export function streamProblems(seen: readonly SeenStream[]): readonly string[] {
  return seen
    .filter(({ isWhole }) => isWhole)
    .flatMap(({ prompt, parts }) => partProblems(parts, callsOf(prompt)));
}

/** The calls of the prompt that the provider executes. */
function callsOf(prompt: LanguageModelV4Prompt): ReadonlySet<string> {
  const parts = prompt.flatMap((message) => (message.role === "assistant" ? message.content : []));
  const calls = parts.filter((part) => part.type === "tool-call" && part.providerExecuted === true);
  return new Set(calls.map((part) => ("toolCallId" in part ? part.toolCallId : "")));
}
