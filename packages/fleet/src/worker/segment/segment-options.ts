import type { Logger, SessionOptions } from "hawser";
import type { RunOptions } from "../../runs/run.js";
import { coversRule } from "./covers-rule.js";

/**
 * The options of a profile, narrowed by those of a run. The run chooses among what costs money (the model, effort,
 * thinking), and cannot widen rights:
 *
 * - `allowedTools`: the rules that the profile allows too. Others have no effect, so that a person is asked.
 * - `disallowedTools`: those of both.
 * - `maxTurns`, `maxBudgetUsd`: the smaller ones.
 * - `systemPrompt`: a prompt of the profile stays, and the text of the run is added to it.
 * - `schema`: becomes `outputFormat`.
 */
export function narrowOptions(
  profile: SessionOptions,
  run: RunOptions,
  { budgetUsd, spentUsd }: { readonly budgetUsd: number | undefined; readonly spentUsd: number },
  logger?: Logger,
): SessionOptions {
  const { model, fallbackModel, effort, thinking, schema } = run;
  // The budget of the run is for all its segments, and the CLI counts one.
  const leftUsd = run.maxBudgetUsd === undefined ? undefined : run.maxBudgetUsd - spentUsd;
  return withoutUndefined({
    ...profile,
    ...withoutUndefined({ model, fallbackModel, effort, thinking }),
    systemPrompt: joinPrompts(profile.systemPrompt, run.systemPrompt),
    allowedTools: narrowTools(profile.allowedTools, run.allowedTools, logger),
    disallowedTools: joinLists(profile.disallowedTools, run.disallowedTools),
    maxTurns: smaller(profile.maxTurns, run.maxTurns),
    maxBudgetUsd: atLeastCent(smaller(smaller(profile.maxBudgetUsd, leftUsd), budgetUsd)),
    outputFormat: schema === undefined ? profile.outputFormat : { type: "json_schema", schema },
  });
}

function narrowTools(
  profile: readonly string[] | undefined,
  run: readonly string[] | undefined,
  logger: Logger | undefined,
): string[] | undefined {
  if (run === undefined) return profile === undefined ? undefined : [...profile];
  const isCovered = (rule: string) => profile?.some((own) => coversRule(own, rule)) ?? false;
  const dropped = run.filter((rule) => !isCovered(rule));
  if (dropped.length > 0) {
    logger?.warn("allowedTools of a run are not within those of its profile, and have no effect", {
      dropped,
    });
  }
  return run.filter(isCovered);
}

function joinLists(
  one: readonly string[] | undefined,
  two: readonly string[] | undefined,
): string[] | undefined {
  if (one === undefined && two === undefined) return undefined;
  return [...new Set([...(one ?? []), ...(two ?? [])])];
}

type SystemPrompt = SessionOptions["systemPrompt"];

function joinPrompts(profile: SystemPrompt, run: SystemPrompt): SystemPrompt {
  if (run === undefined) return profile;
  if (profile === undefined) return run;
  const added = textOf(run);
  if (added === "") return profile;
  if (typeof profile === "string") return profile === "" ? added : `${profile}\n\n${added}`;
  if (isList(profile)) return [...profile, added];
  if ("preset" in profile) {
    const { append } = profile;
    return { ...profile, append: append === undefined ? added : `${append}\n\n${added}` };
  }
  return { ...profile, prompt: [...[profile.prompt].flat(), added] };
}

function textOf(prompt: NonNullable<SystemPrompt>): string {
  if (typeof prompt === "string") return prompt;
  if (isList(prompt)) return prompt.join("\n\n");
  return "preset" in prompt ? (prompt.append ?? "") : [prompt.prompt].flat().join("\n\n");
}

/** `Array.isArray()` does not narrow a readonly array. */
function isList(prompt: NonNullable<SystemPrompt>): prompt is readonly string[] {
  return Array.isArray(prompt);
}

function smaller(one: number | undefined, two: number | undefined): number | undefined {
  if (one === undefined) return two;
  return two === undefined ? one : Math.min(one, two);
}

/** The CLI refuses a budget of nothing. */
function atLeastCent(usd: number | undefined): number | undefined {
  return usd === undefined ? undefined : Math.max(usd, SMALLEST_BUDGET_USD);
}

const SMALLEST_BUDGET_USD = 0.000_001;

function withoutUndefined<T extends object>(object: T): T {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as T;
}
