import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { partProblems } from "./check-parts.js";

/** A stream that a checked model has given. */
export interface SeenStream {
  readonly parts: LanguageModelV4StreamPart[];
  /** Whether the stream came to its end. A stream that was cancelled or aborted may stop anywhere. */
  isWhole: boolean;
}

/** The same model. Its streams are noted in `seen`, so that a test can check the grammar of all of them. */
export function checkedModel(model: LanguageModelV4, seen: SeenStream[]): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(options),
    async doStream(options) {
      const result = await model.doStream(options);
      const stream: SeenStream = { parts: [], isWhole: false };
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
  return seen.filter(({ isWhole }) => isWhole).flatMap(({ parts }) => partProblems(parts));
}
