import type { LanguageModelV4ReasoningPart } from "@ai-sdk/provider";
import type { ContentBlock } from "hawser";
import type { CallWarnings } from "../call-warnings.js";

/**
 * The thinking of an earlier message. The API takes thinking back only with its signature, which the answer carried
 * in `providerMetadata.hawser`. Without it the thinking is left out.
 */
export function reasoningBlock(
  { text, providerOptions }: LanguageModelV4ReasoningPart,
  warnings: CallWarnings,
): ContentBlock | undefined {
  const { signature, redactedData } = providerOptions?.["hawser"] ?? {};
  if (typeof redactedData === "string") return { type: "redacted_thinking", data: redactedData };
  if (typeof signature === "string") return { type: "thinking", thinking: text, signature };
  warnings.unsupported(
    "reasoning part without a signature",
    "The part was left out. The model takes reasoning back only as it gave it: keep `providerOptions.hawser` of the part.",
  );
  return undefined;
}
