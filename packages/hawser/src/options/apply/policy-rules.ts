import type { Draft } from "../invocation/draft.js";
import { isSinceOrUnknown, mayUse } from "../invocation/version-gate.js";
import { matchesWildcard } from "../tools/wildcard.js";
import { SINCE_ON_FAILURE } from "./hooks.js";

/** The id under which the CLI asks the policy of the option `rules`. */
export const POLICY_HOOK = "hawser_policy";

/**
 * Registers the policy as a PreToolUse hook, because only a hook sees every call in every mode and
 * with all other rules. It comes before the caller's hooks. If the policy throws, the call is
 * denied: by this library, and by a CLI that knows `onFailure` if no answer comes.
 */
export function applyRules(draft: Draft): void {
  const { rules } = draft.options;
  if (rules === undefined) return;
  if (rules.some(({ decision }) => decision === "defer"))
    mayUse(draft, 'rules with the decision "defer"', DEFERS_SINCE, "such calls are denied");
  const { hooks } = draft.initialize;
  const policy = {
    hookCallbackIds: [POLICY_HOOK],
    ...(isSinceOrUnknown(draft.cli, SINCE_ON_FAILURE) ? { onFailure: "block" as const } : {}),
  };
  draft.initialize.hooks = {
    ...hooks,
    PreToolUse: [policy, ...(hooks?.["PreToolUse"] ?? [])],
  };
}

/**
 * Whether the policy could refuse a command. The CLI runs commands in the file of a skill (`!`ls``)
 * when the skill is loaded, and asks no hook about them, so they must not run then.
 */
export function guardsCommands({ options, cli, warnings }: Draft): boolean {
  const { rules } = options;
  if (rules === undefined) return false;
  const first = rules.find(({ tool }) => matchesWildcard(tool, "Bash"));
  if (first?.decision === "allow" && first.input === undefined) return false;
  if (!isSinceOrUnknown(cli, SINCE_SKILL_COMMANDS)) {
    warnings.push("This CLI runs commands inside skills without checking `rules`.");
  }
  return true;
}

const SINCE_SKILL_COMMANDS = "2.1.91";

/** The first CLI on which a hook can defer a call. */
export const DEFERS_SINCE = "2.1.89";
