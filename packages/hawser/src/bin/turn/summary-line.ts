import type { Usage } from "../../wire/index.js";

export interface SummaryFacts {
  readonly model: string | undefined;
  /** The rounds (requests to the model), which the CLI calls `num_turns`. */
  readonly turns: number;
  readonly usage: Usage;
  readonly costUsd: number | undefined;
  readonly totalMs: number;
  /** How long the user took to answer questions; not a part of `totalMs`. */
  readonly answeringMs?: number;
}

/** Model, rounds, tokens, cost and time on one line. Unknown figures are left out. */
export function summaryLine({ model, turns, usage, costUsd, ...times }: SummaryFacts): string {
  return [
    ...(model === undefined ? [] : [model]),
    `${turns} ${turns === 1 ? "round" : "rounds"}`,
    tokensOf(usage),
    ...(costUsd === undefined ? [] : [dollars(costUsd)]),
    ...timesOf(times),
  ].join(" · ");
}

/**
 * The usage of a turn that was stopped. The CLI does not count a request that was cut off, or counts only what had
 * arrived of it, so the figures are the least.
 */
export function stoppedLine({
  usage,
  costUsd,
  ...times
}: Omit<SummaryFacts, "model" | "turns">): string {
  const isUsed = intoOf(usage) > 0 || usage.output_tokens > 0;
  const known = isUsed || (costUsd ?? 0) > 0;
  return [
    ...(isUsed ? [atLeast(tokensOf(usage))] : []),
    ...(costUsd === undefined || costUsd === 0 ? [] : [atLeast(dollars(costUsd))]),
    ...(known ? [] : ["tokens and cost unknown"]),
    ...timesOf(times),
  ].join(" · ");
}

type Times = Pick<SummaryFacts, "totalMs" | "answeringMs">;

function timesOf({ totalMs, answeringMs = 0 }: Times): string[] {
  const answering = answeringMs > 0 ? [`your answers took ${seconds(answeringMs)}`] : [];
  return [seconds(totalMs), ...answering];
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function tokensOf(usage: Usage): string {
  const [into, out] = [intoOf(usage), usage.output_tokens].map((n) => n.toLocaleString("en"));
  return `${into} tokens in, ${out} out`;
}

function intoOf(usage: Usage): number {
  const read = usage.input_tokens + (usage.cache_read_input_tokens ?? 0);
  return read + (usage.cache_creation_input_tokens ?? 0);
}

export function dollars(sum: number): string {
  return `$${sum.toFixed(sum > 0 && sum < 0.1 ? 4 : 2)}`;
}

export function atLeast(amount: string): string {
  return `at least ${amount}`;
}
