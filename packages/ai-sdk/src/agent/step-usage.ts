import type { Usage } from "hawser";

export const NO_USAGE: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

export function sumUsage(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return combine(a, b, (x, y) => x + y);
}

/** The usage without that of earlier steps. */
export function lessUsage(total: Usage, told: Usage | undefined): Usage {
  return told === undefined ? total : combine(total, told, (x, y) => Math.max(0, x - y));
}

function combine(a: Usage, b: Usage, of: (x: number, y: number) => number): Usage {
  return {
    input_tokens: of(a.input_tokens, b.input_tokens),
    output_tokens: of(a.output_tokens, b.output_tokens),
    cache_creation_input_tokens: of(
      a.cache_creation_input_tokens ?? 0,
      b.cache_creation_input_tokens ?? 0,
    ),
    cache_read_input_tokens: of(a.cache_read_input_tokens ?? 0, b.cache_read_input_tokens ?? 0),
  };
}
