import {
  like,
  namesOfTool,
  type PolicyRule,
  sameCalls,
  type ToolCall,
  toolRow,
} from "../../options/index.js";
import type { JsonObject } from "../../wire/index.js";
import { mcpRuleFits } from "./mcp-rule-fits.js";
import { pathFits } from "./path-fits.js";
import type { PermissionContext } from "./permission-context.js";

/** What a policy decides, and by which of its rules. */
export interface PermissionExplanation {
  readonly decision: PolicyRule["decision"];
  /** The rule that decides and its place in the list; absent if none fits. */
  readonly rule?: PolicyRule;
  readonly index?: number;
  /** The same in words. */
  readonly reason: string;
}

/**
 * Which rule of an ordered policy would decide a call, and how. The first that fits decides; if
 * none does, `otherwise`. In a tool's name and in text, `*` stands for any characters; what a rule
 * does not name, it does not look at. A tool that was renamed is meant by each of its names.
 *
 * A rule that denies or asks about a tool also covers every other tool that does the same: Monitor and
 * PowerShell run commands as Bash does. A rule that allows covers only the tool that it names.
 *
 * Paths are compared with all links resolved, so this function looks at the file system.
 */
export function explainPermission(
  rules: readonly PolicyRule[],
  tool: string,
  input: JsonObject,
  otherwise: PolicyRule["decision"] = "deny",
  context: PermissionContext = {},
): PermissionExplanation {
  return decide({ rules, otherwise, context }, { tool, input }, 0);
}

interface Policy {
  readonly rules: readonly PolicyRule[];
  readonly otherwise: PolicyRule["decision"];
  readonly context: PermissionContext;
}

/** Decides a call and all calls that it leads to; of the decisions, the first of the strictest counts. */
function decide(policy: Policy, call: ToolCall, depth: number): PermissionExplanation {
  const further = toolRow(call.tool).leadsTo?.(call.input) ?? [];
  let strictest = decideAlone(policy, call);
  if (further.length > 0 && depth >= DEEPEST) {
    return { decision: "deny", reason: `${call.tool} leads to too many calls, one by another.` };
  }
  for (const next of further) {
    const { reason, ...decided } = decide(policy, next, depth + 1);
    if (STRICTNESS[decided.decision] <= STRICTNESS[strictest.decision]) continue;
    const because = `because ${call.tool} leads to a call of ${next.tool}.`;
    strictest = { ...decided, reason: `${reason.replace(/\.$/, ",")} ${because}` };
  }
  return strictest;
}

/** How many calls may lead to one another: `/a` of a text may lead to the text of another command. */
const DEEPEST = 8;

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

function decideAlone({ rules, otherwise, context }: Policy, call: ToolCall): PermissionExplanation {
  const { tool } = call;
  for (const [index, rule] of rules.entries()) {
    const fitting = fittingCall(rule, call, context);
    if (fitting === undefined) continue;
    const why = fitting === call ? "" : `, because ${tool} does what ${fitting.tool} does`;
    const reason = `Rule ${index + 1} (${titleOf(rule)}) decides${why}.`;
    return { decision: rule.decision, rule, index, reason };
  }
  return { decision: otherwise, reason: `No rule fits ${tool}, so the default decides.` };
}

/** The call, or the same call under the name of another tool, if the rule fits it. */
function fittingCall(
  rule: PolicyRule,
  call: ToolCall,
  context: PermissionContext,
): ToolCall | undefined {
  const calls = rule.decision === "allow" ? [call] : [call, ...sameCalls(call)];
  return calls.find((each) => fits(rule, each, context));
}

function fits(rule: PolicyRule, call: ToolCall, context: PermissionContext): boolean {
  const { tool, input } = call;
  if (!fitsName(rule, tool, context)) return false;
  const allows = rule.decision === "allow";
  const { paths = [], meaning } = toolRow(tool);
  const inputs =
    meaning === undefined ? [input] : allows ? [meaning(input)] : [input, meaning(input)];
  const asPath: Compare = (pattern, path) => pathFits(pattern, path, allows, context);
  const compare = (field: string) => (paths.includes(field) ? asPath : like);
  return inputs.some((each) => within(rule.input ?? {}, each, compare));
}

function fitsName(rule: PolicyRule, tool: string, { mcpServers = [] }: PermissionContext): boolean {
  if (tool.startsWith("mcp__")) {
    return mcpRuleFits(rule.tool, tool, rule.decision === "allow", mcpServers);
  }
  const names = isBroadAllow(rule) ? [tool] : namesOfTool(tool);
  return names.some((name) => like(rule.tool, name));
}

/** `Task*` may be meant for TaskList and its like: it does not also allow what Task has become. */
function isBroadAllow({ tool, decision }: PolicyRule): boolean {
  return decision === "allow" && tool.includes("*");
}

/** How a text of a rule is compared with one of a call. */
type Compare = (pattern: string, text: string) => boolean;

/** Whether everything that is expected is there; more may be. */
function within(
  expected: JsonObject,
  actual: unknown,
  compare: (field: string) => Compare,
): boolean {
  if (typeof actual !== "object" || actual === null) return false;
  return Object.entries(expected).every(
    ([name, value]) =>
      Object.hasOwn(actual, name) && same(value, Reflect.get(actual, name), compare(name)),
  );
}

function same(expected: unknown, actual: unknown, compare: Compare): boolean {
  if (typeof expected === "string") return typeof actual === "string" && compare(expected, actual);
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || expected.length !== actual.length) return false;
    return expected.every((value, i) => same(value, actual[i], compare));
  }
  if (typeof expected === "object" && expected !== null) {
    return within(expected as JsonObject, actual, () => compare);
  }
  return expected === actual;
}

function titleOf({ tool, input, decision }: PolicyRule): string {
  return `${decision} ${tool}${input === undefined ? "" : ` ${JSON.stringify(input)}`}`;
}
