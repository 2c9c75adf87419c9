import { isRecord } from "../subschemas.js";
import { childPath } from "../value-path.js";
import {
  type CheckSchema,
  countLimit,
  type Evaluation,
  isNames,
  type KeywordContext,
  type KeywordRule,
  type Keywords,
  plural,
} from "./keyword.js";
import { type Pattern, parsePattern } from "./pattern-matcher.js";

type Fields = Readonly<Record<string, unknown>>;

/** What looks into an object. Only own properties count: every object has a `constructor`. */
export const OBJECT_KEYWORDS: Keywords = {
  required(value, place) {
    if (!isNames(value)) return place.problem("must be an array of names");
    return object((fields, path, visit) => {
      for (const name of new Set(value)) {
        if (!Object.hasOwn(fields, name))
          visit.addIssue(childPath(path, name), "is required, but missing");
      }
    });
  },
  minProperties: countLimit((limit) =>
    object((fields, path, visit) => {
      if (Object.keys(fields).length >= limit) return;
      visit.addIssue(path, `must have at least ${plural(limit, "property", "properties")}`);
    }),
  ),
  maxProperties: countLimit((limit) =>
    object((fields, path, visit) => {
      if (Object.keys(fields).length <= limit) return;
      visit.addIssue(path, `must have at most ${plural(limit, "property", "properties")}`);
    }),
  ),
  propertyNames(value, place) {
    const check = place.checkPart(value);
    return object((fields, path, visit) => {
      for (const name of Object.keys(fields)) {
        const [issue] = check(name, "").issues;
        if (issue === undefined) continue;
        visit.addIssue(childPath(path, name), `is not a name that is allowed: it ${issue.message}`);
      }
    });
  },
  properties(value, place) {
    const checks = checksOf(value, place);
    return object((fields, path, visit) => {
      for (const [name, check] of checks) {
        if (Object.hasOwn(fields, name)) look(check, fields, name, path, visit);
      }
    });
  },
  patternProperties(value, place) {
    const checks = checksOf(value, place).map(([source, check]) => {
      const pattern = parsePattern(source);
      if (pattern === undefined) place.problem("is not a regular expression", source);
      return { matches: matcherOf(pattern, place), check };
    });
    return object((fields, path, visit) => {
      for (const name of Object.keys(fields)) {
        for (const { matches, check } of checks) {
          if (matches(name, path)) look(check, fields, name, path, visit);
        }
      }
    });
  },
  additionalProperties(value, place) {
    const check = place.checkPart(value);
    const { properties, patternProperties } = place.schema;
    const names = new Set(isRecord(properties) ? Object.keys(properties) : []);
    const patterns = isRecord(patternProperties) ? Object.keys(patternProperties) : [];
    const matchers = patterns.map((source) => matcherOf(parsePattern(source), place));
    return object((fields, path, visit) => {
      for (const name of Object.keys(fields)) {
        if (names.has(name) || matchers.some((matches) => matches(name, path))) continue;
        look(check, fields, name, path, visit);
      }
    });
  },
  dependentRequired: (value, place) => dependencies(value, place),
  dependentSchemas: (value, place) => dependencies(value, place),
  dependencies: (value, place) => dependencies(value, place),
};

export const UNEVALUATED_PROPERTIES: Keywords = {
  unevaluatedProperties(value, place) {
    const check = place.checkPart(value);
    return object((fields, path, visit) => {
      for (const name of Object.keys(fields)) {
        if (!visit.evaluatedNames.has(name)) look(check, fields, name, path, visit);
      }
    });
  },
};

/** By property: names that must be there with it, or a schema that the object then has to fit. */
function dependencies(value: unknown, place: KeywordContext): KeywordRule | undefined {
  if (!isRecord(value)) return place.problem("must be an object");
  const rules = Object.entries(value).map(([name, needs]) => {
    if (isNames(needs)) return { name, rule: requiredWith(name, needs) };
    const check = place.checkWhole(needs, name);
    const rule: KeywordRule = (fields, path, visit) => visit.merge(check(fields, path));
    return { name, rule };
  });
  return object((fields, path, visit) => {
    for (const { name, rule } of rules) {
      if (Object.hasOwn(fields, name)) rule(fields, path, visit);
    }
  });
}

function requiredWith(name: string, needs: readonly string[]): KeywordRule {
  return object((fields, path, visit) => {
    for (const other of needs) {
      if (Object.hasOwn(fields, other)) continue;
      visit.addIssue(
        childPath(path, other),
        `is required together with ${childPath(path, name)}, but missing`,
      );
    }
  });
}

/** Whether the name of a property matches. */
function matcherOf(
  pattern: Pattern | undefined,
  { matches }: KeywordContext,
): (name: string, path: string) => boolean {
  return (name, path) => pattern !== undefined && matches(pattern, name, childPath(path, name));
}

function checksOf(
  value: unknown,
  place: KeywordContext,
): readonly (readonly [string, CheckSchema])[] {
  if (!isRecord(value)) place.problem("must be an object of schemas");
  const schemas = isRecord(value) ? Object.entries(value) : [];
  return schemas.map(([name, schema]) => [name, place.checkPart(schema, name)]);
}

function object(rule: (fields: Fields, path: string, visit: Evaluation) => void): KeywordRule {
  return (value, path, visit) => {
    if (isRecord(value)) rule(value, path, visit);
  };
}

function look(
  check: CheckSchema,
  fields: Fields,
  name: string,
  path: string,
  visit: Evaluation,
): void {
  visit.evaluatedNames.add(name);
  visit.addIssuesOf(check(fields[name], childPath(path, name)));
}
