import type { JSONObject, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Usage } from "hawser";

/** The tokens of a call as the AI SDK counts them. What is not known is `undefined`, never 0. */
export function toUsage(usage: Usage | undefined): LanguageModelV4Usage {
  if (usage === undefined) return UNKNOWN;
  const { input_tokens: noCache, output_tokens: output } = usage;
  const cacheRead = usage.cache_read_input_tokens ?? undefined;
  const cacheWrite = usage.cache_creation_input_tokens ?? undefined;
  const reasoning = usage.output_tokens_details?.thinking_tokens;
  return {
    inputTokens: {
      total: noCache + (cacheRead ?? 0) + (cacheWrite ?? 0),
      noCache,
      cacheRead,
      cacheWrite,
    },
    outputTokens: {
      total: output,
      text: reasoning === undefined ? undefined : output - reasoning,
      reasoning,
    },
    raw: jsonObject(usage),
  };
}

const UNKNOWN: LanguageModelV4Usage = {
  inputTokens: {
    total: undefined,
    noCache: undefined,
    cacheRead: undefined,
    cacheWrite: undefined,
  },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

function jsonObject(usage: Usage): JSONObject {
  return JSON.parse(JSON.stringify(usage)) as JSONObject;
}
