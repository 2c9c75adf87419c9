export { LARGEST_SUBJECT } from "./check-options.js";
export { type Council, type CouncilCall, council } from "./council.js";
export type { CouncilEvent } from "./council-event.js";
export type { CouncilOptions, CouncilTimeouts } from "./council-options.js";
export type { CouncilReport } from "./council-report.js";
export type { Absence, CouncilVote } from "./council-vote.js";
export { DEFAULT_REVIEWERS } from "./default-reviewers.js";
export { type FormatOptions, formatReport } from "./format-report.js";
export type { JoinedFinding } from "./join-findings.js";
export type { Reviewer, ReviewerOptions } from "./reviewer.js";
export { type MagiOptions, magi } from "./rules/magi.js";
export type { Rule, RuleInput, Ruling } from "./rules/rule.js";
export { RULE_NAMES, type RuleName } from "./rules/rule-name.js";
export {
  majority,
  unanimous,
  type VetoOptions,
  veto,
  type WeightedOptions,
  weighted,
} from "./rules/rules.js";
export type { Finding, Severity, Vote, VoteVerdict } from "./vote.js";
