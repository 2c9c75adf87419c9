import { canonicalJson } from "../canonical-json.js";
import { childPath } from "../value-path.js";
import {
  type CheckSchema,
  countLimit,
  type Evaluation,
  type KeywordRule,
  type Keywords,
  plural,
} from "./keyword.js";

/** Keywords that check arrays. */
export const ARRAY_KEYWORDS: Keywords = {
  minItems: countLimit((limit) =>
    forArrays((items, path, evaluation) => {
      if (items.length < limit)
        evaluation.addIssue(path, `must have at least ${plural(limit, "item")}`);
    }),
  ),
  maxItems: countLimit((limit) =>
    forArrays((items, path, evaluation) => {
      if (items.length > limit)
        evaluation.addIssue(path, `must have at most ${plural(limit, "item")}`);
    }),
  ),
  uniqueItems(value, context) {
    if (typeof value !== "boolean") return context.problem("must be a boolean");
    if (!value) return undefined;
    return forArrays((items, path, evaluation) => {
      const seen = new Map<string, number>();
      for (const [index, item] of items.entries()) {
        const key = canonicalJson(item);
        const first = seen.get(key);
        if (first === undefined) seen.set(key, index);
        else
          evaluation.addIssue(childPath(path, index), `must differ from ${childPath(path, first)}`);
      }
    });
  },
  prefixItems(value, context) {
    if (!Array.isArray(value)) return context.problem("must be an array of schemas");
    return checkFirst(value.map((schema, index) => context.checkPart(schema, index)));
  },
  items(value, context) {
    // The form of draft-07 for `prefixItems`.
    if (Array.isArray(value))
      return checkFirst(value.map((each, index) => context.checkPart(each, index)));
    return checkRest(lengthOf(context.schema["prefixItems"]), context.checkPart(value));
  },
  additionalItems(value, context) {
    const check = context.checkPart(value);
    const { items } = context.schema;
    return Array.isArray(items) ? checkRest(items.length, check) : undefined;
  },
  contains(value, context) {
    const check = context.checkPart(value);
    const least = numberOr(context.schema["minContains"], 1);
    const most = numberOr(context.schema["maxContains"], Number.POSITIVE_INFINITY);
    return forArrays((items, path, evaluation) => {
      const found = [...items.keys()].filter((index) => check(items[index], "").isValid);
      for (const index of found) evaluation.evaluatedItems.add(index);
      const wrong = found.length < least ? "at least" : found.length > most ? "at most" : undefined;
      if (wrong === undefined) return;
      const limit = plural(wrong === "at least" ? least : most, "item");
      evaluation.addIssue(path, `must contain ${wrong} ${limit} of the kind in \`contains\``);
    });
  },
  minContains: countLimit(() => () => {}),
  maxContains: countLimit(() => () => {}),
};

export const UNEVALUATED_ITEMS: Keywords = {
  unevaluatedItems(value, context) {
    const check = context.checkPart(value);
    return forArrays((items, path, evaluation) => {
      for (const index of items.keys()) {
        if (!evaluation.evaluatedItems.has(index)) checkItem(check, items, index, path, evaluation);
      }
    });
  },
};

function forArrays(
  rule: (items: readonly unknown[], path: string, evaluation: Evaluation) => void,
): KeywordRule {
  return (value, path, evaluation) => {
    if (Array.isArray(value)) rule(value, path, evaluation);
  };
}

function checkFirst(checks: readonly CheckSchema[]): KeywordRule {
  return forArrays((items, path, evaluation) => {
    for (const [index, check] of checks.entries()) {
      if (index < items.length) checkItem(check, items, index, path, evaluation);
    }
  });
}

function checkRest(from: number, check: CheckSchema): KeywordRule {
  return forArrays((items, path, evaluation) => {
    for (let index = from; index < items.length; index++)
      checkItem(check, items, index, path, evaluation);
  });
}

function checkItem(
  check: CheckSchema,
  items: readonly unknown[],
  index: number,
  path: string,
  evaluation: Evaluation,
): void {
  evaluation.evaluatedItems.add(index);
  evaluation.addIssuesOf(check(items[index], childPath(path, index)));
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}
