import { fc } from "../support/fc.js";

type Record = { readonly [keyword: string]: unknown };
export type AnySchema = Record | boolean;

const NAMES = ["a", "b", "c1"];
const PATTERNS = ["^a", "b", "\\d$", "^\\p{L}+$"];

const name = fc.constantFrom(...NAMES);
const scalar = fc.constantFrom<unknown>(
  null,
  true,
  false,
  0,
  1,
  2,
  -1,
  0.5,
  "",
  "a",
  "ab",
  "c1",
  "😀b",
);
const count = fc.nat({ max: 3 });
const type = fc.constantFrom("null", "boolean", "integer", "number", "string", "array", "object");

/** Few names and few values, so that random schemas often apply to random values. */
export const value: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

function some(keywords: {
  readonly [keyword: string]: fc.Arbitrary<unknown>;
}): fc.Arbitrary<Record> {
  return fc.record(keywords, { requiredKeys: [], noNullPrototype: true });
}

const typed = some({ type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })) });
const fixed = fc.oneof(
  fc.record({ const: value }, { noNullPrototype: true }),
  fc.record({ enum: fc.array(scalar, { minLength: 1, maxLength: 3 }) }, { noNullPrototype: true }),
);
const scalars = some({
  minLength: count,
  maxLength: count,
  pattern: fc.constantFrom(...PATTERNS),
  minimum: fc.integer({ min: -2, max: 3 }),
  maximum: fc.integer({ min: -2, max: 3 }),
  exclusiveMinimum: fc.integer({ min: -2, max: 3 }),
  exclusiveMaximum: fc.integer({ min: -2, max: 3 }),
  multipleOf: fc.integer({ min: 1, max: 3 }),
});

/**
 * Schemas of the keywords of both drafts and of this draft. `unevaluatedItems` is not among them, because
 * ajv deviates from the standard if it is used beside `contains`, `if` and `anyOf`.
 */
export function schemaOf(draft: "draft-07" | "2020-12"): fc.Arbitrary<AnySchema> {
  return fc.letrec<{ schema: AnySchema }>((tie) => {
    const schema = tie("schema");
    const list = fc.array(schema, { minLength: 1, maxLength: 3 });
    const map = fc.dictionary(name, schema, { maxKeys: 3, noNullPrototype: true });
    const names = fc.uniqueArray(name, { maxLength: 2 });
    const pattern = fc.constantFrom(...PATTERNS);
    // ajv accepts an empty array for `contains: false`, so that boolean schemas are left out.
    const item = schema.map((each) => (typeof each === "boolean" ? { type: "string" } : each));
    const arrays = {
      minItems: count,
      maxItems: count,
      uniqueItems: fc.boolean(),
      contains: item,
    };
    const objects = {
      required: names,
      minProperties: count,
      maxProperties: count,
      properties: map,
      patternProperties: fc.dictionary(pattern, schema, { maxKeys: 2, noNullPrototype: true }),
      additionalProperties: schema,
      propertyNames: schema,
    };
    const both = [
      typed,
      fixed,
      scalars,
      some(arrays),
      some(objects),
      some(Object.fromEntries(["if", "then", "else"].map((keyword) => [keyword, schema]))),
      fc.record({ allOf: list }, { noNullPrototype: true }),
      fc.record({ anyOf: list }, { noNullPrototype: true }),
      fc.record({ oneOf: list }, { noNullPrototype: true }),
      fc.record({ not: schema }, { noNullPrototype: true }),
      fc.record(
        { properties: fc.constant({ a: { $ref: "#" }, b: { $ref: "#/definitions/d" } }) },
        { noNullPrototype: true },
      ),
      fc.constant<Record>({ items: { $ref: "#/definitions/d" } }),
    ];
    const older = [
      some({ items: fc.oneof(schema, list), additionalItems: schema }),
      some({
        dependencies: fc.dictionary(name, fc.oneof(schema, names), {
          maxKeys: 2,
          noNullPrototype: true,
        }),
      }),
    ];
    const newer = [
      some({ prefixItems: list, items: schema }),
      some({ ...objects, unevaluatedProperties: schema }),
      some({ contains: item, minContains: count, maxContains: count }),
      some({
        dependentRequired: fc.dictionary(name, names, { maxKeys: 2, noNullPrototype: true }),
        dependentSchemas: fc.dictionary(name, schema, { maxKeys: 2, noNullPrototype: true }),
      }),
      fc.record({ allOf: list, unevaluatedProperties: schema }, { noNullPrototype: true }),
      fc.record({ anyOf: list, unevaluatedProperties: schema }, { noNullPrototype: true }),
    ];
    const parts = fc.oneof(...both, ...(draft === "draft-07" ? older : newer));
    return {
      schema: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        { weight: 1, arbitrary: fc.boolean() },
        { weight: 3, arbitrary: typed },
        { weight: 6, arbitrary: fc.tuple(parts, parts).map(([one, two]) => ({ ...one, ...two })) },
      ),
    };
  }).schema;
}

/** A whole document with a definition to which its schemas refer. */
export function documentOf(draft: "draft-07" | "2020-12"): fc.Arbitrary<Record> {
  const documents = fc.tuple(schemaOf(draft), schemaOf(draft)).map(([schema, d]) => ({
    ...(typeof schema === "boolean" ? { allOf: [schema] } : schema),
    definitions: { d },
  }));
  return documents.filter((document) => {
    const text = JSON.stringify(document);
    return !BEYOND_AJV.some((pair) => pair.every((words) => text.includes(words)));
  });
}

/**
 * Pairs of keywords for which ajv deviates from the standard: an `if` alone evaluates no properties for it,
 * the second pair crashes it, and `contains` beside a tuple accepts an empty array.
 */
const BEYOND_AJV = [
  ['"if":', '"unevaluatedProperties":'],
  ['"patternProperties":', '"unevaluatedProperties":'],
  ['"contains":', '"prefixItems":'],
  ['"contains":', '"items":['],
];
