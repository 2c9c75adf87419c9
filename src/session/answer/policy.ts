import { LEGACY_TOOL_NAME_ALIASES, type PolicyRule } from "../../options/index.js";
import type { JsonObject } from "../../wire/index.js";

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
 */
export function explainPermission(
  rules: readonly PolicyRule[],
  tool: string,
  input: JsonObject,
  otherwise: PolicyRule["decision"] = "deny",
): PermissionExplanation {
  const index = rules.findIndex((rule) => fits(rule, tool, input));
  const rule = rules[index];
  if (rule === undefined) {
    return { decision: otherwise, reason: `No rule fits ${tool}, so the default decides.` };
  }
  const reason = `Rule ${index + 1} (${titleOf(rule)}) decides.`;
  return { decision: rule.decision, rule, index, reason };
}

function fits(rule: PolicyRule, tool: string, input: JsonObject): boolean {
  const names = isBroadAllow(rule) ? [tool] : namesOf(tool);
  return names.some((name) => like(rule.tool, name)) && within(rule.input ?? {}, input);
}

/** `Task*` may be meant for TaskList and its like: it does not also allow what Task has become. */
function isBroadAllow({ tool, decision }: PolicyRule): boolean {
  return decision === "allow" && tool.includes("*");
}

/** All names that the tool has or had: which one a CLI uses is a matter of its version. */
function namesOf(tool: string): readonly string[] {
  const newest = newestOf(tool);
  return [tool, newest, ...OLDER_NAMES.filter((name) => newestOf(name) === newest)];
}

const OLDER_NAMES = Object.keys(LEGACY_TOOL_NAME_ALIASES);

function newestOf(tool: string): string {
  return (OLDER_NAMES.includes(tool) ? LEGACY_TOOL_NAME_ALIASES[tool] : undefined) ?? tool;
}

/** Whether everything that is expected is there; more may be. */
function within(expected: JsonObject, actual: unknown): boolean {
  if (typeof actual !== "object" || actual === null) return false;
  return Object.entries(expected).every(
    ([name, value]) => Object.hasOwn(actual, name) && same(value, Reflect.get(actual, name)),
  );
}

function same(expected: unknown, actual: unknown): boolean {
  if (typeof expected === "string") return typeof actual === "string" && like(expected, actual);
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || expected.length !== actual.length) return false;
    return expected.every((value, i) => same(value, actual[i]));
  }
  if (typeof expected === "object" && expected !== null) {
    return within(expected as JsonObject, actual);
  }
  return expected === actual;
}

/** Pieces between stars in order, each at the first place it can be: linear, unlike a regex. */
function like(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

function titleOf({ tool, input, decision }: PolicyRule): string {
  return `${decision} ${tool}${input === undefined ? "" : ` ${JSON.stringify(input)}`}`;
}
