import type { Issue } from "../../base/index.js";
import {
  type CheckSchema,
  type Evaluation,
  type KeywordContext,
  type Keywords,
  shortJson,
} from "./keyword.js";

/** Keywords that check the same value by other schemas. */
export const COMBINING_KEYWORDS: Keywords = {
  $ref(value, context) {
    const target = typeof value === "string" ? context.resolve(value) : undefined;
    if (target === undefined) {
      return context.problem(`points to nothing in the schema: ${shortJson(value)}`);
    }
    const check = context.checkWhole(target);
    return (given, path, evaluation) => evaluation.merge(check(given, path));
  },
  $dynamicRef: (_, context) => context.problem("is not supported; use $ref"),
  $recursiveRef: (_, context) => context.problem("is not supported; use $ref"),

  allOf(value, context) {
    const checks = compileEach(value, context);
    return (given, path, evaluation) => {
      for (const check of checks) evaluation.merge(check(given, path));
    };
  },
  anyOf(value, context) {
    const checks = compileEach(value, context);
    return (given, path, evaluation) => {
      const evaluations = checks.map((check) => check(given, path));
      const valid = evaluations.filter(({ isValid }) => isValid);
      for (const one of valid) evaluation.merge(one);
      if (valid.length === 0) evaluation.addIssue(path, describeNoMatch(evaluations));
    };
  },
  oneOf(value, context) {
    const checks = compileEach(value, context);
    return (given, path, evaluation) => {
      const evaluations = checks.map((check) => check(given, path));
      const valid = evaluations.filter(({ isValid }) => isValid);
      if (valid.length === 0) evaluation.addIssue(path, describeNoMatch(evaluations));
      else if (valid.length === 1) for (const one of valid) evaluation.merge(one);
      else
        evaluation.addIssue(
          path,
          `fits ${valid.length} of the alternatives, but must fit just one`,
        );
    };
  },
  not(value, context) {
    const check = context.checkWhole(value);
    return (given, path, evaluation) => {
      if (check(given, path).isValid) evaluation.addIssue(path, `must not fit ${shortJson(value)}`);
    };
  },
  if(value, context) {
    const check = context.checkWhole(value);
    const [yes, no] = ["then", "else"].map((keyword) => checkBeside(keyword, context));
    return (given, path, evaluation) => {
      const condition = check(given, path);
      if (condition.isValid) evaluation.merge(condition);
      const branch = condition.isValid ? yes : no;
      if (branch !== undefined) evaluation.merge(branch(given, path));
    };
  },
};

function compileEach(value: unknown, context: KeywordContext): readonly CheckSchema[] {
  if (!Array.isArray(value) || value.length === 0) {
    context.problem("must be an array of at least one schema");
    return [];
  }
  return value.map((schema, index) => context.checkWhole(schema, index));
}

function checkBeside(keyword: string, context: KeywordContext): CheckSchema | undefined {
  const value = context.schema[keyword];
  return value === undefined ? undefined : context.checkWhole(value, keyword);
}

/** The first issues of each alternative, because one of the alternatives was meant. */
function describeNoMatch(evaluations: readonly Evaluation[]): string {
  const reasons = evaluations
    .slice(0, MAX_ALTERNATIVES)
    .map((evaluation, i) => `${i + 1}) ${reasonOf(evaluation.issues)}`);
  const more = evaluations.length > MAX_ALTERNATIVES ? "; …" : "";
  return `fits none of the alternatives: ${reasons.join("; ")}${more}`.slice(0, MAX_LENGTH);
}

const MAX_ALTERNATIVES = 8;
const MAX_LENGTH = 1000;

function reasonOf(issues: readonly Issue[]): string {
  const first = issues.slice(0, 2).map(({ path = "", message }) => `${path} ${message}`.trim());
  return first.join(", ");
}
