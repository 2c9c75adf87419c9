import { isObject } from "../../base/index.js";
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

/**
 * Keywords that check objects. Only own properties count, because every object has a `constructor`.
 */
export const OBJECT_KEYWORDS: Keywords = {
  required(value, context) {
    if (!isNames(value)) return context.problem("must be an array of names");
    return forObjects((fields, path, evaluation) => {
      for (const name of new Set(value)) {
        if (!Object.hasOwn(fields, name))
          evaluation.addIssue(childPath(path, name), "is required, but missing");
      }
    });
  },
  minProperties: countLimit((limit) =>
    forObjects((fields, path, evaluation) => {
      if (Object.keys(fields).length >= limit) return;
      evaluation.addIssue(path, `must have at least ${plural(limit, "property", "properties")}`);
    }),
  ),
  maxProperties: countLimit((limit) =>
    forObjects((fields, path, evaluation) => {
      if (Object.keys(fields).length <= limit) return;
      evaluation.addIssue(path, `must have at most ${plural(limit, "property", "properties")}`);
    }),
  ),
  propertyNames(value, context) {
    const check = context.checkPart(value);
    return forObjects((fields, path, evaluation) => {
      for (const name of Object.keys(fields)) {
        const [issue] = check(name, "").issues;
        if (issue === undefined) continue;
        evaluation.addIssue(
          childPath(path, name),
          `is not a name that is allowed: it ${issue.message}`,
        );
      }
    });
  },
  properties(value, context) {
    const checks = compileEach(value, context);
    return forObjects((fields, path, evaluation) => {
      for (const [name, check] of checks) {
        if (Object.hasOwn(fields, name)) checkProperty(check, fields, name, path, evaluation);
      }
    });
  },
  patternProperties(value, context) {
    const checks = compileEach(value, context).map(([source, check]) => {
      const pattern = parsePattern(source);
      if (pattern === undefined) context.problem("is not a regular expression", source);
      return { matches: matcherOf(pattern, context), check };
    });
    return forObjects((fields, path, evaluation) => {
      for (const name of Object.keys(fields)) {
        for (const { matches, check } of checks) {
          if (matches(name, path)) checkProperty(check, fields, name, path, evaluation);
        }
      }
    });
  },
  additionalProperties(value, context) {
    const check = context.checkPart(value);
    const { properties, patternProperties } = context.schema;
    const names = new Set(isObject(properties) ? Object.keys(properties) : []);
    const patterns = isObject(patternProperties) ? Object.keys(patternProperties) : [];
    const matchers = patterns.map((source) => matcherOf(parsePattern(source), context));
    return forObjects((fields, path, evaluation) => {
      for (const name of Object.keys(fields)) {
        if (names.has(name) || matchers.some((matches) => matches(name, path))) continue;
        checkProperty(check, fields, name, path, evaluation);
      }
    });
  },
  dependentRequired: (value, context) => compileDependencies(value, context),
  dependentSchemas: (value, context) => compileDependencies(value, context),
  dependencies: (value, context) => compileDependencies(value, context),
};

export const UNEVALUATED_PROPERTIES: Keywords = {
  unevaluatedProperties(value, context) {
    const check = context.checkPart(value);
    return forObjects((fields, path, evaluation) => {
      for (const name of Object.keys(fields)) {
        if (!evaluation.evaluatedNames.has(name))
          checkProperty(check, fields, name, path, evaluation);
      }
    });
  },
};

/**
 * Compiles names, or a schema for the object, that are required if a certain property is present.
 */
function compileDependencies(value: unknown, context: KeywordContext): KeywordRule | undefined {
  if (!isObject(value)) return context.problem("must be an object");
  const rules = Object.entries(value).map(([name, needs]) => {
    if (isNames(needs)) return { name, rule: requiredWith(name, needs) };
    const check = context.checkWhole(needs, name);
    const rule: KeywordRule = (fields, path, evaluation) => evaluation.merge(check(fields, path));
    return { name, rule };
  });
  return forObjects((fields, path, evaluation) => {
    for (const { name, rule } of rules) {
      if (Object.hasOwn(fields, name)) rule(fields, path, evaluation);
    }
  });
}

function requiredWith(name: string, needs: readonly string[]): KeywordRule {
  return forObjects((fields, path, evaluation) => {
    for (const other of needs) {
      if (Object.hasOwn(fields, other)) continue;
      evaluation.addIssue(
        childPath(path, other),
        `is required together with ${childPath(path, name)}, but missing`,
      );
    }
  });
}

/** Tells whether the name of a property matches. */
function matcherOf(
  pattern: Pattern | undefined,
  { matches }: KeywordContext,
): (name: string, path: string) => boolean {
  return (name, path) => pattern !== undefined && matches(pattern, name, childPath(path, name));
}

function compileEach(
  value: unknown,
  context: KeywordContext,
): readonly (readonly [string, CheckSchema])[] {
  if (!isObject(value)) context.problem("must be an object of schemas");
  const schemas = isObject(value) ? Object.entries(value) : [];
  return schemas.map(([name, schema]) => [name, context.checkPart(schema, name)]);
}

function forObjects(
  rule: (fields: Fields, path: string, evaluation: Evaluation) => void,
): KeywordRule {
  return (value, path, evaluation) => {
    if (isObject(value)) rule(value, path, evaluation);
  };
}

function checkProperty(
  check: CheckSchema,
  fields: Fields,
  name: string,
  path: string,
  evaluation: Evaluation,
): void {
  evaluation.evaluatedNames.add(name);
  evaluation.addIssuesOf(check(fields[name], childPath(path, name)));
}
