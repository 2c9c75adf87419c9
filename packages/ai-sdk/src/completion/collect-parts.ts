import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";

/** Collects the parts of a whole answer into the result of `doGenerate()`. An `error` part is thrown. */
export async function collectParts(
  parts: AsyncIterable<LanguageModelV4StreamPart> | Iterable<LanguageModelV4StreamPart>,
): Promise<LanguageModelV4GenerateResult> {
  const content: LanguageModelV4Content[] = [];
  const open = new Map<string, Opened>();
  const result: Partial<LanguageModelV4GenerateResult> = {};
  for await (const part of parts) {
    switch (part.type) {
      case "stream-start":
        result.warnings = part.warnings;
        break;
      case "response-metadata": {
        const { type: _, ...response } = part;
        result.response = response;
        break;
      }
      case "text-start":
      case "reasoning-start": {
        const opened: Opened = {
          type: part.type === "text-start" ? "text" : "reasoning",
          text: "",
          ...metadataOf(part),
        };
        open.set(part.id, opened);
        content.push(opened);
        break;
      }
      case "text-delta":
      case "reasoning-delta": {
        const opened = open.get(part.id);
        if (opened !== undefined) Object.assign(opened, { text: opened.text + part.delta });
        break;
      }
      case "text-end":
      case "reasoning-end":
        Object.assign(open.get(part.id) ?? {}, metadataOf(part));
        break;
      case "finish": {
        const { type: _, ...finish } = part;
        Object.assign(result, finish);
        break;
      }
      case "error":
        throw part.error;
      case "raw":
      case "ping":
      case "tool-input-start":
      case "tool-input-delta":
      case "tool-input-end":
        break;
      default:
        content.push(part);
    }
  }
  const { finishReason, usage, warnings = [], ...rest } = result;
  if (finishReason === undefined || usage === undefined) throw new Error("The answer has no end.");
  return { ...rest, content, finishReason, usage, warnings };
}

function metadataOf({ providerMetadata }: { providerMetadata?: SharedV4ProviderMetadata }): {
  providerMetadata?: SharedV4ProviderMetadata;
} {
  return providerMetadata === undefined ? {} : { providerMetadata };
}

/** A text or reasoning part that may still grow. */
type Opened = {
  type: "text" | "reasoning";
  text: string;
  providerMetadata?: SharedV4ProviderMetadata;
};
