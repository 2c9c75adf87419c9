import type { Attributes } from "@opentelemetry/api";
import type { TokenCounts } from "hawser";
import type { Conventions } from "../conventions.js";
import type { KnownTokens } from "../metrics/instruments.js";

/** The tokens as the conventions count them: `input` includes those of the cache. */
export function knownTokens(usage: TokenCounts | undefined): KnownTokens | undefined {
  if (usage === undefined) return undefined;
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = usage;
  const isKnown = inputTokens !== undefined;
  return {
    input: isKnown ? inputTokens + (cacheReadTokens ?? 0) + (cacheCreationTokens ?? 0) : undefined,
    output: outputTokens,
    cacheRead: cacheReadTokens,
    cacheCreation: cacheCreationTokens,
  };
}

/** The tokens in a usage object of the API, such as that of a `Completion`. */
export function tokensOfUsage(usage: unknown): KnownTokens | undefined {
  if (typeof usage !== "object" || usage === null) return undefined;
  const counts = usage as Readonly<Record<string, unknown>>;
  return knownTokens({
    inputTokens: numberIn(counts["input_tokens"]),
    outputTokens: numberIn(counts["output_tokens"]),
    cacheReadTokens: numberIn(counts["cache_read_input_tokens"]),
    cacheCreationTokens: numberIn(counts["cache_creation_input_tokens"]),
  });
}

export function tokenAttributes(
  keys: Conventions["keys"],
  tokens: KnownTokens | undefined,
): Attributes {
  if (tokens === undefined) return {};
  const all: Attributes = {
    [keys.inputTokens]: tokens.input,
    [keys.cacheReadTokens]: tokens.cacheRead,
    [keys.cacheCreationTokens]: tokens.cacheCreation,
    [keys.outputTokens]: tokens.output,
  };
  return Object.fromEntries(Object.entries(all).filter(([, count]) => count !== undefined));
}

function numberIn(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
