import type { Usage } from "hawser";

/** The tokens of an answer as OpenAI counts them: cached tokens are a part of the input. */
export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  readonly total: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** A part of the output; `undefined` if it is not known. */
  readonly reasoning: number | undefined;
}

export function tokenCounts(usage: Usage): TokenCounts {
  const cacheRead = usage.cache_read_input_tokens ?? 0;
  const cacheWrite = usage.cache_creation_input_tokens ?? 0;
  const input = usage.input_tokens + cacheRead + cacheWrite;
  const output = usage.output_tokens;
  const reasoning = usage.output_tokens_details?.thinking_tokens;
  return { input, output, total: input + output, cacheRead, cacheWrite, reasoning };
}
