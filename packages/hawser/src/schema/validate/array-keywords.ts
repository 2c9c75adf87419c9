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

/** What looks into an array. */
export const ARRAY_KEYWORDS: Keywords = {
  minItems: countLimit((limit) =>
    array((items, path, visit) => {
      if (items.length < limit) visit.addIssue(path, `must have at least ${plural(limit, "item")}`);
    }),
  ),
  maxItems: countLimit((limit) =>
    array((items, path, visit) => {
      if (items.length > limit) visit.addIssue(path, `must have at most ${plural(limit, "item")}`);
    }),
  ),
  uniqueItems(value, place) {
    if (typeof value !== "boolean") return place.problem("must be a boolean");
    if (!value) return undefined;
    return array((items, path, visit) => {
      const seen = new Map<string, number>();
      for (const [index, item] of items.entries()) {
        const key = canonicalJson(item);
        const first = seen.get(key);
        if (first === undefined) seen.set(key, index);
        else visit.addIssue(childPath(path, index), `must differ from ${childPath(path, first)}`);
      }
    });
  },
  prefixItems(value, place) {
    if (!Array.isArray(value)) return place.problem("must be an array of schemas");
    return first(value.map((schema, index) => place.checkPart(schema, index)));
  },
  items(value, place) {
    // Draft-07's way to say `prefixItems`.
    if (Array.isArray(value))
      return first(value.map((each, index) => place.checkPart(each, index)));
    return rest(lengthOf(place.schema["prefixItems"]), place.checkPart(value));
  },
  additionalItems(value, place) {
    const check = place.checkPart(value);
    const { items } = place.schema;
    return Array.isArray(items) ? rest(items.length, check) : undefined;
  },
  contains(value, place) {
    const check = place.checkPart(value);
    const least = numberOr(place.schema["minContains"], 1);
    const most = numberOr(place.schema["maxContains"], Number.POSITIVE_INFINITY);
    return array((items, path, visit) => {
      const found = [...items.keys()].filter((index) => check(items[index], "").isValid);
      for (const index of found) visit.evaluatedItems.add(index);
      const wrong = found.length < least ? "at least" : found.length > most ? "at most" : undefined;
      if (wrong === undefined) return;
      const limit = plural(wrong === "at least" ? least : most, "item");
      visit.addIssue(path, `must contain ${wrong} ${limit} of the kind in \`contains\``);
    });
  },
  minContains: countLimit(() => () => {}),
  maxContains: countLimit(() => () => {}),
};

export const UNEVALUATED_ITEMS: Keywords = {
  unevaluatedItems(value, place) {
    const check = place.checkPart(value);
    return array((items, path, visit) => {
      for (const index of items.keys()) {
        if (!visit.evaluatedItems.has(index)) look(check, items, index, path, visit);
      }
    });
  },
};

function array(
  rule: (items: readonly unknown[], path: string, visit: Evaluation) => void,
): KeywordRule {
  return (value, path, visit) => {
    if (Array.isArray(value)) rule(value, path, visit);
  };
}

function first(checks: readonly CheckSchema[]): KeywordRule {
  return array((items, path, visit) => {
    for (const [index, check] of checks.entries()) {
      if (index < items.length) look(check, items, index, path, visit);
    }
  });
}

function rest(from: number, check: CheckSchema): KeywordRule {
  return array((items, path, visit) => {
    for (let index = from; index < items.length; index++) look(check, items, index, path, visit);
  });
}

function look(
  check: CheckSchema,
  items: readonly unknown[],
  index: number,
  path: string,
  visit: Evaluation,
): void {
  visit.evaluatedItems.add(index);
  visit.addIssuesOf(check(items[index], childPath(path, index)));
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}
