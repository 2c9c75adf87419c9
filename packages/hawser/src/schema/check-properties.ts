import {
  type Check,
  countLimit,
  isNames,
  type Keywords,
  type Place,
  plural,
  type Rule,
  type Visit,
} from "./keyword.js";
import { at } from "./path.js";
import { type Pattern, patternOf } from "./pattern.js";
import { isRecord } from "./places.js";

type Fields = Readonly<Record<string, unknown>>;

/** What looks into an object. Only own properties count: every object has a `constructor`. */
export const PROPERTIES: Keywords = {
  required(value, place) {
    if (!isNames(value)) return place.problem("must be an array of names");
    return object((fields, path, visit) => {
      for (const name of new Set(value)) {
        if (!Object.hasOwn(fields, name)) visit.wrong(at(path, name), "is required, but missing");
      }
    });
  },
  minProperties: countLimit((limit) =>
    object((fields, path, visit) => {
      if (Object.keys(fields).length >= limit) return;
      visit.wrong(path, `must have at least ${plural(limit, "property", "properties")}`);
    }),
  ),
  maxProperties: countLimit((limit) =>
    object((fields, path, visit) => {
      if (Object.keys(fields).length <= limit) return;
      visit.wrong(path, `must have at most ${plural(limit, "property", "properties")}`);
    }),
  ),
  propertyNames(value, place) {
    const check = place.inside(value);
    return object((fields, path, visit) => {
      for (const name of Object.keys(fields)) {
        const [issue] = check(name, "").issues;
        if (issue === undefined) continue;
        visit.wrong(at(path, name), `is not a name that is allowed: it ${issue.message}`);
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
      const pattern = patternOf(source);
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
    const check = place.inside(value);
    const { properties, patternProperties } = place.schema;
    const names = new Set(isRecord(properties) ? Object.keys(properties) : []);
    const patterns = isRecord(patternProperties) ? Object.keys(patternProperties) : [];
    const matchers = patterns.map((source) => matcherOf(patternOf(source), place));
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
    const check = place.inside(value);
    return object((fields, path, visit) => {
      for (const name of Object.keys(fields)) {
        if (!visit.names.has(name)) look(check, fields, name, path, visit);
      }
    });
  },
};

/** By property: names that must be there with it, or a schema that the object then has to fit. */
function dependencies(value: unknown, place: Place): Rule | undefined {
  if (!isRecord(value)) return place.problem("must be an object");
  const rules = Object.entries(value).map(([name, needs]) => {
    if (isNames(needs)) return { name, rule: requiredWith(name, needs) };
    const check = place.here(needs, name);
    const rule: Rule = (fields, path, visit) => visit.add(check(fields, path));
    return { name, rule };
  });
  return object((fields, path, visit) => {
    for (const { name, rule } of rules) {
      if (Object.hasOwn(fields, name)) rule(fields, path, visit);
    }
  });
}

function requiredWith(name: string, needs: readonly string[]): Rule {
  return object((fields, path, visit) => {
    for (const other of needs) {
      if (Object.hasOwn(fields, other)) continue;
      visit.wrong(at(path, other), `is required together with ${at(path, name)}, but missing`);
    }
  });
}

/** Whether the name of a property matches. */
function matcherOf(
  pattern: Pattern | undefined,
  { matches }: Place,
): (name: string, path: string) => boolean {
  return (name, path) => pattern !== undefined && matches(pattern, name, at(path, name));
}

function checksOf(value: unknown, place: Place): readonly (readonly [string, Check])[] {
  if (!isRecord(value)) place.problem("must be an object of schemas");
  const schemas = isRecord(value) ? Object.entries(value) : [];
  return schemas.map(([name, schema]) => [name, place.inside(schema, name)]);
}

function object(rule: (fields: Fields, path: string, visit: Visit) => void): Rule {
  return (value, path, visit) => {
    if (isRecord(value)) rule(value, path, visit);
  };
}

function look(check: Check, fields: Fields, name: string, path: string, visit: Visit): void {
  visit.names.add(name);
  visit.addPart(check(fields[name], at(path, name)));
}
