/** The rules that have a name. */
export const RULE_NAMES = ["majority", "weighted", "unanimous", "veto", "magi"] as const;

/** The name of a rule, which stands for the rule with its defaults. */
export type RuleName = (typeof RULE_NAMES)[number];
