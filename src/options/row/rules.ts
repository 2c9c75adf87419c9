import type { Draft } from "../draft.js";

/** The id under which the CLI asks the policy of the option `rules`. */
export const POLICY_HOOK = "hawser_policy";

/**
 * The policy is asked as a hook: of all that can decide a call, only a hook sees every one, whatever
 * the mode and the other rules say. It stands first, since it was said first.
 */
export function applyRules(draft: Draft): void {
  if (draft.options.rules === undefined) return;
  const { hooks } = draft.initialize;
  draft.initialize.hooks = {
    ...hooks,
    PreToolUse: [{ hookCallbackIds: [POLICY_HOOK] }, ...(hooks?.["PreToolUse"] ?? [])],
  };
}
