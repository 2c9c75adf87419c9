import { type Draft, isSince } from "../draft.js";
import { SINCE_ON_FAILURE } from "./hooks.js";

/** The id under which the CLI asks the policy of the option `rules`. */
export const POLICY_HOOK = "hawser_policy";

/**
 * The policy is asked as a hook: of all that can decide a call, only a hook sees every one, whatever
 * the mode and the other rules say. It stands first, since it was said first. A policy that breaks denies: the host sees to it where it can
 * still answer, and the CLI, where it knows how, if no answer comes.
 */
export function applyRules(draft: Draft): void {
  if (draft.options.rules === undefined) return;
  const { hooks } = draft.initialize;
  const policy = {
    hookCallbackIds: [POLICY_HOOK],
    ...(isSince(draft.cli, SINCE_ON_FAILURE) ? { onFailure: "block" as const } : {}),
  };
  draft.initialize.hooks = {
    ...hooks,
    PreToolUse: [policy, ...(hooks?.["PreToolUse"] ?? [])],
  };
}
