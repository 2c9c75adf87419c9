import type { Usage } from "../wire/index.js";

export interface Spending {
  readonly model: string | undefined;
  readonly turns: number;
  readonly usage: Usage;
  readonly costUsd: number | undefined;
  readonly totalMs: number;
}

/** Model, turns, tokens, cost and time of a call on one line. What is unknown is left out. */
export function summaryLine({ model, turns, usage, costUsd, totalMs }: Spending): string {
  const read = usage.input_tokens + (usage.cache_read_input_tokens ?? 0);
  const into = read + (usage.cache_creation_input_tokens ?? 0);
  return [
    ...(model === undefined ? [] : [model]),
    `${turns} ${turns === 1 ? "turn" : "turns"}`,
    `${into.toLocaleString("en")} tokens in, ${usage.output_tokens.toLocaleString("en")} out`,
    ...(costUsd === undefined ? [] : [dollars(costUsd)]),
    `${(totalMs / 1000).toFixed(1)} s`,
  ].join(" · ");
}

export function dollars(sum: number): string {
  return `$${sum.toFixed(sum > 0 && sum < 0.1 ? 4 : 2)}`;
}
