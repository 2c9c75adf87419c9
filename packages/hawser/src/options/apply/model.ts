import { addFlag, type Draft } from "../invocation/draft.js";
import { isSinceOrUnknown, mayUse } from "../invocation/version-gate.js";
import type { Options } from "../options.js";
import type { ThinkingConfig } from "../types/thinking.js";
import { jsonCopy } from "./json-copy.js";

export function applyModel(draft: Draft, model: string): void {
  addFlag(draft, "model", "--model", resolveModel(draft, model));
}

export function applyFallback(draft: Draft, fallback: string | readonly string[]): void {
  const models = typeof fallback === "string" ? [fallback] : fallback;
  const names = models.map((model) => resolveModel(draft, model));
  addFlag(draft, "fallbackModel", "--fallback-model", names.join(","));
}

export function applyAgents(draft: Draft, agents: NonNullable<Options["agents"]>): void {
  const named = Object.entries(agents).map(([name, agent]) => {
    const { model } = agent;
    const resolved = model === undefined ? {} : { model: resolveModel(draft, model) };
    return [name, { ...agent, ...resolved }];
  });
  draft.initialize.agents = jsonCopy(Object.fromEntries(named));
}

function resolveModel({ options: { modelAliases = {} } }: Draft, model: string): string {
  return Object.hasOwn(modelAliases, model) ? (modelAliases[model] ?? model) : model;
}

/**
 * Sends `--thinking` if the CLI has it, otherwise the budget with the same meaning. A number of
 * tokens is sent only by the older flag, because the CLI drops the number when it gets both flags
 * (observed on 2.1.197 and 2.1.325). With the older flag the CLI uses adaptive thinking for a model
 * that has it, and the number as a budget for any other model.
 */
export function applyThinking(draft: Draft, thinking: ThinkingConfig): void {
  const budget = budgetOf(draft, thinking);
  if (budget !== undefined) addBudget(draft, budget);
  else if (isSinceOrUnknown(draft.cli, SINCE_THINKING)) {
    addFlag(draft, "thinking", "--thinking", thinking.type);
  } else addBudget(draft, thinking.type === "disabled" ? 0 : ADAPTIVE_TOKENS);

  const display = thinking.type === "disabled" ? undefined : thinking.display;
  if (display !== undefined && mayUse(draft, "thinking.display", SINCE_DISPLAY)) {
    addFlag(draft, "thinking", "--thinking-display", display);
  }
}

/**
 * The tokens of `thinking`, or else those of `maxThinkingTokens` if `thinking` leaves the number
 * open.
 */
function budgetOf({ options, warnings }: Draft, thinking: ThinkingConfig): number | undefined {
  const own = thinking.type === "enabled" ? thinking.budgetTokens : undefined;
  const beside = options.maxThinkingTokens;
  if (beside === undefined || beside === own) return own;
  if (own === undefined && thinking.type !== "disabled" && beside > 0) return beside;
  if (thinking.type === "disabled" && beside === 0) return undefined;
  const said = own === undefined ? thinking.type : `${thinking.type} with ${own} tokens`;
  warnings.push(`maxThinkingTokens ${beside} is left out: thinking says ${said}.`);
  return own;
}

/** Sends the older option. If `thinking` is set, the row of `thinking` sends the number. */
export function applyThinkingTokens(draft: Draft, tokens: number): void {
  if (draft.options.thinking !== undefined) return;
  if (tokens === 0) applyThinking(draft, { type: "disabled" });
  else addBudget(draft, tokens);
}

const SINCE_THINKING = "2.1.47";
const SINCE_DISPLAY = "2.1.94";
const ADAPTIVE_TOKENS = 32_000;

function addBudget(draft: Draft, tokens: number): void {
  addFlag(draft, "maxThinkingTokens", "--max-thinking-tokens", `${tokens}`);
}

/**
 * The flag accepts one name and drops all others with a warning, so the others go into the
 * variable.
 */
export function applyBetas(draft: Draft, betas: readonly string[]): void {
  const byFlag = (beta: string): boolean =>
    beta === BETA_OF_FLAG && isSinceOrUnknown(draft.cli, SINCE_BETAS);
  const names = new Set(betas);
  for (const beta of names) if (byFlag(beta)) addFlag(draft, "betas", "--betas", beta);
  const present = (draft.env.get("ANTHROPIC_BETAS") ?? "").split(",").map((name) => name.trim());
  const others = [...names].filter((beta) => !byFlag(beta));
  if (others.length === 0) return;
  const all = new Set([...present.filter((name) => name !== ""), ...others]);
  draft.env.set("ANTHROPIC_BETAS", [...all].join(","));
}

const BETA_OF_FLAG = "context-1m-2025-08-07";
const SINCE_BETAS = "2.0.58";
