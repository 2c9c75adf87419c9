import {
  matchesWildcard,
  namesOfTool,
  type PolicyRule,
  sameCalls,
  type ToolCall,
  toolRow,
} from "../../options/index.js";
import type { JsonObject } from "../../wire/index.js";
import { mcpRuleFits } from "./mcp-rule-fits.js";
import { type PathFits, pathFits } from "./path-fits.js";
import type { PermissionContext } from "./permission-context.js";

/** The decision of a policy about one tool call, and the rule that made it. */
export interface PermissionExplanation {
  readonly decision: PolicyRule["decision"];
  /** The rule that decides and its place in the list; absent if none fits. */
  readonly rule?: PolicyRule;
  readonly index?: number;
  /** The decision as a sentence. */
  readonly reason: string;
}

/**
 * Explains which rule of the option `rules` would decide a tool call, and how. The first rule that fits
 * decides; if no rule fits, `otherwise` does. In a tool's name and in text, `*` stands for any characters. A
 * rule ignores every field that it does not name. A rule for a tool that was renamed fits all its names.
 *
 * A rule that denies or asks about a tool also covers every other tool that does the same: Monitor and
 * PowerShell run commands as Bash does. A rule that allows covers only the tool that it names.
 *
 * Paths are compared with all links resolved, so this function reads the file system.
 *
 * @example
 * ```ts
 * import { explainPermission } from "hawser";
 *
 * const rules = [{ tool: "Bash", input: { command: "git *" }, decision: "allow" }] as const;
 * const { decision, reason } = explainPermission(rules, "Bash", { command: "git log" });
 * ```
 */
export function explainPermission(
  rules: readonly PolicyRule[],
  tool: string,
  input: JsonObject,
  otherwise: PolicyRule["decision"] = "deny",
  context: PermissionContext = {},
): PermissionExplanation {
  const policy = { rules, otherwise, context, pathFits: pathFits(context) };
  return decide(policy, { tool, input });
}

interface Policy {
  readonly rules: readonly PolicyRule[];
  readonly otherwise: PolicyRule["decision"];
  readonly context: PermissionContext;
  readonly pathFits: PathFits;
}

/** Decides a call and all calls that it leads to; of the decisions, the first of the strictest counts. */
function decide(policy: Policy, call: ToolCall): PermissionExplanation {
  const further = toolRow(call.tool).leadsTo?.(call.input) ?? [];
  if (further.length > MOST_FURTHER) {
    return tooMany(`${call.tool} leads to ${further.length} further calls`, MOST_FURTHER);
  }
  let strictest = decideAlone(policy, call);
  for (const next of further) {
    const { reason, ...decided } = decide(policy, next);
    if (STRICTNESS[decided.decision] <= STRICTNESS[strictest.decision]) continue;
    const because = `because ${call.tool} leads to a call of ${next.tool}.`;
    strictest = { ...decided, reason: `${reason.replace(/\.$/, ",")} ${because}` };
  }
  return strictest;
}

/**
 * How many calls the policy decides because of one call, and under how many names. The model writes
 * the input, and the program does nothing else while the policy looks at the paths in it.
 */
const MOST_FURTHER = 100;
const MOST_SAME = 1000;

function tooMany(what: string, most: number): PermissionExplanation {
  return { decision: "deny", reason: `${what}, and the policy decides at most ${most} at once.` };
}

const STRICTNESS = { allow: 0, ask: 1, defer: 2, deny: 3 } as const;

function decideAlone(policy: Policy, call: ToolCall): PermissionExplanation {
  const { tool } = call;
  const same = sameCalls(call);
  if (same.length > MOST_SAME) return tooMany(`${tool} does ${same.length} things`, MOST_SAME);
  for (const [index, rule] of policy.rules.entries()) {
    // A rule that allows does not cover the same call under the name of another tool.
    const calls = rule.decision === "allow" ? [call] : [call, ...same];
    const fitting = calls.find((each) => fits(rule, each, policy));
    if (fitting === undefined) continue;
    const why = fitting === call ? "" : `, because ${tool} does what ${fitting.tool} does`;
    const reason = `Rule ${index + 1} (${titleOf(rule)}) decides${why}.`;
    return { decision: rule.decision, rule, index, reason };
  }
  const { otherwise: decision } = policy;
  return { decision, reason: `No rule matches ${tool}, so the default decides: ${decision}.` };
}

function fits(rule: PolicyRule, { tool, input }: ToolCall, policy: Policy): boolean {
  if (!fitsName(rule, tool, policy.context)) return false;
  const allows = rule.decision === "allow";
  const { paths = [], names = [], meaning } = toolRow(tool);
  const inputs =
    meaning === undefined ? [input] : allows ? [meaning(input)] : [input, meaning(input)];
  const asPath: Compare = (pattern, path) => policy.pathFits(pattern, path, allows);
  const compare = (field: string) => {
    if (paths.includes(field)) return asPath;
    // A rule that allows means the very name.
    return names.includes(field) && !allows ? likeName : matchesWildcard;
  };
  return inputs.some((each) => within(rule.input ?? {}, each, { compare, allows }));
}

function fitsName(rule: PolicyRule, tool: string, { mcpServers = [] }: PermissionContext): boolean {
  if (tool.startsWith("mcp__")) {
    return mcpRuleFits(rule.tool, tool, rule.decision === "allow", mcpServers);
  }
  const names = isBroadAllow(rule) ? [tool] : namesOfTool(tool);
  return names.some((name) => matchesWildcard(rule.tool, name));
}

/** `Task*` may be meant for TaskList and its like: it does not also allow what Task has become. */
function isBroadAllow({ tool, decision }: PolicyRule): boolean {
  return decision === "allow" && tool.includes("*");
}

/** Compares names as the CLI does: without case, blanks and separators, and with or without a slash. */
function likeName(pattern: string, text: string): boolean {
  const plain = (name: string) => name.replace(/^[\s/]+|[\s_-]+/g, "").toLowerCase();
  return matchesWildcard(pattern, text) || matchesWildcard(plain(pattern), plain(text));
}

/** How a text of a rule is compared with one of a call. */
type Compare = (pattern: string, text: string) => boolean;

interface Comparison {
  /** How the texts of a field are compared. */
  readonly compare: (field: string) => Compare;
  /** Whether the rule allows. */
  readonly allows: boolean;
}

/** Whether everything that is expected is there; more may be. */
function within(expected: JsonObject, actual: unknown, how: Comparison): boolean {
  if (typeof actual !== "object" || actual === null) return false;
  return Object.entries(expected).every(
    ([name, value]) =>
      Object.hasOwn(actual, name) &&
      same(value, Reflect.get(actual, name), how.compare(name), how.allows),
  );
}

function same(expected: unknown, actual: unknown, compare: Compare, allows: boolean): boolean {
  if (typeof expected === "string") return textFits(expected, actual, compare, allows);
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || expected.length !== actual.length) return false;
    return expected.every((value, i) => same(value, actual[i], compare, allows));
  }
  if (typeof expected === "object" && expected !== null) {
    return within(expected as JsonObject, actual, { compare: () => compare, allows });
  }
  return expected === actual;
}

/** A text of a rule against a list: a rule that allows must fit every item, any other rule one. */
function textFits(expected: string, actual: unknown, compare: Compare, allows: boolean): boolean {
  if (!Array.isArray(actual)) return typeof actual === "string" && compare(expected, actual);
  const fits = (item: unknown) => textFits(expected, item, compare, allows);
  return allows ? actual.length > 0 && actual.every(fits) : actual.some(fits);
}

function titleOf({ tool, input, decision }: PolicyRule): string {
  return `${decision} ${tool}${input === undefined ? "" : ` ${JSON.stringify(input)}`}`;
}
