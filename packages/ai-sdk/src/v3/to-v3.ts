import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3File,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4File,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  SharedV3Warning,
  SharedV4Warning,
} from "@ai-sdk/provider";
import { promptFromV3 } from "./prompt-from-v3.js";

/** A model with the interface V3, which `ai` 6 takes. What V3 has no part for is left out. */
export function toV3(model: LanguageModelV4): LanguageModelV3 {
  return {
    specificationVersion: "v3",
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    async doGenerate(options) {
      const result = await model.doGenerate(optionsFromV3(options));
      const { content, finishReason, usage, warnings, providerMetadata, response } = result;
      return {
        content: content.flatMap((part) => contentToV3(part)),
        finishReason: finishReasonToV3(finishReason),
        usage,
        warnings: warnings.map(warningToV3),
        ...(providerMetadata === undefined ? {} : { providerMetadata }),
        ...(response === undefined ? {} : { response }),
      };
    },
    async doStream(options) {
      const { stream } = await model.doStream(optionsFromV3(options));
      const parts = new TransformStream<LanguageModelV4StreamPart, LanguageModelV3StreamPart>({
        transform(part, controller) {
          for (const each of partToV3(part)) controller.enqueue(each);
        },
      });
      return { stream: stream.pipeThrough(parts) };
    },
  };
}

function optionsFromV3({
  prompt,
  ...options
}: LanguageModelV3CallOptions): LanguageModelV4CallOptions {
  return { ...options, prompt: promptFromV3(prompt) };
}

function partToV3(part: LanguageModelV4StreamPart): readonly LanguageModelV3StreamPart[] {
  switch (part.type) {
    case "ping":
    case "custom":
    case "reasoning-file":
      return [];
    case "stream-start":
      return [{ type: "stream-start", warnings: part.warnings.map(warningToV3) }];
    case "text-end": {
      const { citations: _, ...rest } = part;
      return [rest];
    }
    case "tool-input-start": {
      const { inputEncoding: _, ...rest } = part;
      return [rest];
    }
    case "finish":
      return [{ ...part, finishReason: finishReasonToV3(part.finishReason) }];
    case "file":
      return fileToV3(part);
    default:
      return [part];
  }
}

function contentToV3(part: LanguageModelV4Content): readonly LanguageModelV3Content[] {
  switch (part.type) {
    case "custom":
    case "reasoning-file":
      return [];
    case "text": {
      const { citations: _, ...rest } = part;
      return [rest];
    }
    case "file":
      return fileToV3(part);
    default:
      return [part];
  }
}

/** V3 has no file that is given by its URL. */
function fileToV3({ data, ...rest }: LanguageModelV4File): readonly LanguageModelV3File[] {
  return data.type === "data" ? [{ ...rest, data: data.data }] : [];
}

/** An answer that broke off counts as one that ended for another reason. */
function finishReasonToV3({
  unified,
  raw,
}: LanguageModelV4FinishReason): LanguageModelV3FinishReason {
  return { unified: unified === "interrupted" ? "other" : unified, raw };
}

function warningToV3(warning: SharedV4Warning): SharedV3Warning {
  if (warning.type !== "deprecated") return warning;
  return { type: "other", message: `${warning.setting} is deprecated: ${warning.message}` };
}
