import { HawserError, kind, textOf, throwIfInvalid } from "../../base/index.js";
import { magi } from "./magi.js";
import type { Rule, RuleInput, Ruling } from "./rule.js";
import type { RuleName } from "./rule-name.js";
import { majority, unanimous, veto, weighted } from "./rules.js";

/** Throws `invalid_options` if a rule of the program throws, or returns no ruling. */
export function applyRule(rule: RuleName | Rule, input: RuleInput): Ruling {
  if (typeof rule === "string") return RULES[rule]()(input);
  let ruling: Ruling;
  try {
    ruling = rule(input);
  } catch (error) {
    const message = `\`rule\` has thrown: ${textOf(error)}`;
    throw new HawserError("invalid_options", message, { cause: error, hint: HINT });
  }
  throwIfInvalid([...RULING.problems(ruling, "rule()")].map((each) => ({ ...each, hint: HINT })));
  const { verdict, label, score, confidence, dissent } = ruling;
  return { verdict, label, score, confidence, dissent };
}

/** The rules that have a name, with their defaults. */
const RULES: Readonly<Record<RuleName, () => Rule>> = {
  majority,
  weighted,
  unanimous,
  veto,
  magi,
};

const RULING = kind.shape(
  {
    verdict: kind.oneOf("pass", "reject", "none"),
    label: kind.string,
    score: kind.number("number", "a number from -1 to 1", (n) => n >= -1 && n <= 1),
    confidence: kind.number("number", "a number from 0 to 1", (n) => n >= 0 && n <= 1),
    dissent: kind.listOf(kind.string),
  },
  ["verdict", "label", "score", "confidence"],
);

const HINT = "Correct the function `rule`. It returns { verdict, label, score, confidence }.";
