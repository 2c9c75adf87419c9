import type { PolicyRule } from "../../options/index.js";
import type { JsonObject } from "../../wire/index.js";

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
 * does not name, it does not look at.
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
  const reason = `Rule ${index + 1} (${nameOf(rule)}) decides.`;
  return { decision: rule.decision, rule, index, reason };
}

function fits(rule: PolicyRule, tool: string, input: JsonObject): boolean {
  return like(rule.tool, tool) && within(rule.input ?? {}, input);
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

function nameOf({ tool, input, decision }: PolicyRule): string {
  return `${decision} ${tool}${input === undefined ? "" : ` ${JSON.stringify(input)}`}`;
}
