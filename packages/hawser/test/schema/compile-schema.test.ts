import { describe, expect, it } from "vitest";
import type { Issue } from "../../src/base/index.js";
import { SchemaDocument } from "../../src/schema/schema-document.js";
import { compileSchema, type Validate } from "../../src/schema/validate/compile-schema.js";
import { Ajv7, addFormats } from "./ajv.helper.js";
import type { AnySchema } from "./arbitrary-schema.helper.js";

function validatorOf(schema: AnySchema): Validate {
  const made = compileSchema(new SchemaDocument(schema));
  if ("validate" in made) return made.validate;
  throw new Error(JSON.stringify(made.problems));
}

function problemsOf(schema: AnySchema): readonly Issue[] {
  const made = compileSchema(new SchemaDocument(schema));
  return "problems" in made ? made.problems : [];
}

/** An issue as "path: message". */
function told(issues: readonly Issue[]): string[] {
  return issues.map(({ path, message }) => (path === undefined ? message : `${path}: ${message}`));
}

const then = "then";

describe("compileSchema().validate() of an invalid value", () => {
  it.each<[AnySchema, unknown, string[]]>([
    [false, 1, ["is not allowed"]],
    [{ type: "string" }, 1, ["must be a string, not a number"]],
    [{ type: "object" }, [], ["must be an object, not an array"]],
    [{ type: "array" }, {}, ["must be an array, not an object"]],
    [{ type: ["integer", "null"] }, 1.5, ["must be an integer or null, not a number"]],
    [{ type: "string", nullable: true }, 1, ["must be a string or null, not a number"]],
    [{ enum: ["a", 1, null] }, "b", ['must be one of "a", 1, null']],
    [{ const: { a: [1] } }, { a: [2] }, ['must be {"a":[1]}']],
    [{ minLength: 2 }, "😀", ["must have at least 2 characters"]],
    [{ maxLength: 1 }, "ab", ["must have at most 1 character"]],
    [{ pattern: "^a+$" }, "b", ["must match the pattern ^a+$"]],
    [{ format: "email" }, "x", ["must be of the format email"]],
    [{ minimum: 2 }, 1, ["must be at least 2"]],
    [{ exclusiveMaximum: 2 }, 2, ["must be less than 2"]],
    [{ multipleOf: 0.01 }, 19.999, ["must be a multiple of 0.01"]],
    [{ minItems: 1 }, [], ["must have at least 1 item"]],
    [{ uniqueItems: true }, [{ a: 1, b: 2 }, 3, { b: 2, a: 1 }], ["[2]: must differ from [0]"]],
    [
      { contains: { const: 1 }, minContains: 2 },
      [1],
      ["must contain at least 2 items of the kind in `contains`"],
    ],
    [
      { prefixItems: [{}, { type: "null" }], items: false },
      [1, 2, 3],
      ["[1]: must be null, not a number", "[2]: is not allowed"],
    ],
    [{ items: [{}], additionalItems: false }, [1, 2], ["[1]: is not allowed"]],
    [{ prefixItems: [{}], unevaluatedItems: false }, [1, 2], ["[1]: is not allowed"]],
    [{ contains: { const: 1 }, unevaluatedItems: false }, [1, 2], ["[1]: is not allowed"]],
    [{ if: false, [then]: { items: true }, unevaluatedItems: false }, [1], ["[0]: is not allowed"]],
    [
      { required: ["a", "a", "x y"] },
      {},
      ["a: is required, but missing", '["x y"]: is required, but missing'],
    ],
    [{ required: ["constructor"] }, {}, ["constructor: is required, but missing"]],
    [{ maxProperties: 1 }, { a: 1, b: 2 }, ["must have at most 1 property"]],
    [
      { propertyNames: { pattern: "^x" } },
      { a: 1 },
      ["a: is not a name that is allowed: it must match the pattern ^x"],
    ],
    [
      { properties: { a: {} }, patternProperties: { "^x": {} }, additionalProperties: false },
      { a: 1, x1: 2, b: 3 },
      ["b: is not allowed"],
    ],
    [
      { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
      { a: 1, b: 2 },
      ["b: is not allowed"],
    ],
    [
      { dependentRequired: { a: ["b"] } },
      { a: 1 },
      ["b: is required together with a, but missing"],
    ],
    [{ dependencies: { a: { required: ["c"] } } }, { a: 1 }, ["c: is required, but missing"]],
    [
      { anyOf: [{ type: "string" }, { properties: { k: { const: "a" } } }] },
      { k: 1 },
      ['fits none of the alternatives: 1) must be a string, not an object; 2) k must be "a"'],
    ],
    [{ oneOf: [{}, true] }, 1, ["fits 2 of the alternatives, but must fit just one"]],
    [{ not: { type: "null" } }, null, ['must not fit {"type":"null"}']],
    [
      { if: { type: "string" }, [then]: { minLength: 1 }, else: false },
      "",
      ["must have at least 1 character"],
    ],
    [
      { properties: { list: { items: { $ref: "#/$defs/n" } } }, $defs: { n: { type: "number" } } },
      { list: [1, "x", { y: 1 }] },
      ["list[1]: must be a number, not a string", "list[2]: must be a number, not an object"],
    ],
    [
      { properties: { n: { type: "string" }, kid: { $ref: "#" } } },
      { kid: { kid: { n: 1 } } },
      ["kid.kid.n: must be a string, not a number"],
    ],
    [
      { properties: { a: { $ref: "#/$defs/x~1y%25~0" } }, $defs: { "x/y%~": false } },
      { a: 1 },
      ["a: is not allowed"],
    ],
    [
      { properties: { a: { $ref: "#s" } }, $defs: { s: { $anchor: "s", type: "null" } } },
      { a: 1 },
      ["a: must be null, not a number"],
    ],
    [
      {
        $id: "http://x.y/root",
        properties: { a: { $ref: "s.json#/$defs/t" } },
        $defs: { s: { $id: "s.json", $defs: { t: { type: "null" } } } },
      },
      { a: 1 },
      ["a: must be null, not a number"],
    ],
    [
      { definitions: { s: { $id: "#s", type: "null" } }, items: { $ref: "#s" } },
      [1],
      ["[0]: must be null, not a number"],
    ],
  ])("lists the issues by %j of %j", async (schema, value, issues) => {
    expect(told(await validatorOf(schema)(value))).toEqual(issues);
  });

  it("gives one issue if the value is nested too deep to check", async () => {
    const schema = { items: { $ref: "#" } };
    const value: unknown = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
    expect(told(await validatorOf(schema)(value))).toEqual(["is nested too deeply to be checked"]);
  });
});

describe("compileSchema().validate() of a valid value", () => {
  it.each<[AnySchema, unknown]>([
    [{ multipleOf: 0.01 }, 19.99],
    [{ anyOf: [{ items: true }], unevaluatedItems: false }, [1, 2]],
    [{ if: { properties: { a: true } }, unevaluatedProperties: false }, { a: 1 }],
    [
      { $ref: "#/$defs/a", unevaluatedProperties: false, $defs: { a: { properties: { a: {} } } } },
      { a: 1 },
    ],
    [{ type: "integer" }, 3.0],
    [{ maxLength: 1 }, "😀"],
    [{ type: "string", nullable: true }, null],
    [{ pattern: "^\\-\\_$" }, "-_"],
    [{ format: "no-such-format" }, "x"],
    [{ "x-unknown": { type: 7 } }, 1],
    [{ properties: { constructor: { type: "string" } } }, {}],
    [
      { $comment: "x", const: { a: 1, b: 2 } },
      { b: 2, a: 1 },
    ],
  ])("gives no issue by %j of %j", async (schema, value) => {
    expect(await validatorOf(schema)(value)).toEqual([]);
  });
});

describe("compileSchema() of an invalid schema", () => {
  it.each<[AnySchema, string[]]>([
    [
      { type: "strnig" },
      [
        "schema.type: must be one of null, boolean, integer, number, string, array, object, or several of them",
      ],
    ],
    [
      { properties: { a: { pattern: "(" } } },
      ["schema.properties.a.pattern: must be a regular expression"],
    ],
    [
      { patternProperties: { "(": {} } },
      ['schema.patternProperties["("]: is not a regular expression'],
    ],
    [
      { items: { $ref: "#/$defs/none" } },
      ['schema.items.$ref: points to nothing in the schema: "#/$defs/none"'],
    ],
    [
      { $ref: "http://example.com/x.json" },
      ['schema.$ref: points to nothing in the schema: "http://example.com/x.json"'],
    ],
    [{ $ref: "#" }, ["schema: refers to itself without end"]],
    [
      {
        $defs: { a: { anyOf: [{ type: "null" }, { $ref: "#/$defs/a" }] } },
        items: { $ref: "#/$defs/a" },
      },
      ["schema.items.$ref: refers to itself without end"],
    ],
    [{ $dynamicRef: "#x" }, ["schema.$dynamicRef: is not supported; use $ref"]],
    [{ required: true }, ["schema.required: must be an array of names"]],
    [{ enum: [] }, ["schema.enum: must be an array of at least one value"]],
    [{ anyOf: [] }, ["schema.anyOf: must be an array of at least one schema"]],
    [
      { minLength: -1, exclusiveMinimum: true },
      [
        "schema.minLength: must be an integer of at least 0",
        "schema.exclusiveMinimum: must be a number",
      ],
    ],
    [{ multipleOf: 0 }, ["schema.multipleOf: must be a number greater than 0"]],
    [{ properties: { a: 1 } }, ["schema.properties.a: must be a JSON Schema"]],
  ])("lists the problems of %j", (schema, problems) => {
    expect(told(problemsOf(schema))).toEqual(problems);
  });
});

describe("compileSchema() with format", () => {
  const ajv = new Ajv7({ strict: false });
  addFormats(ajv);

  it.each<[string, string[]]>([
    [
      "date-time",
      [
        "2020-02-29T23:59:59Z",
        "2021-02-29T00:00:00Z",
        "2020-01-01T00:00:00",
        "2020-01-01t00:00:00.5+02:00",
        "2020-01-01T24:00:00Z",
        "x",
      ],
    ],
    [
      "date",
      [
        "2020-12-31",
        "2020-13-01",
        "2020-00-10",
        "2020-04-31",
        "20-01-01",
        "1900-02-29",
        "2000-02-29",
      ],
    ],
    ["time", ["10:00:00Z", "10:00:00", "25:00:00Z", "10:60:00Z", "10:00:00-05:30"]],
    ["duration", ["P1D", "P", "PT", "PT5M", "P1W", "P1Y2M3DT4H5M6S", "1D"]],
    ["email", ["a@b.co", "a.b+c@d-e.org", "a@b", "a b@c.d", "@b.c", "a@", "a@-b.c", "a@b..c"]],
    ["hostname", ["a.b", "a", "-a.b", "a_b", `${"a".repeat(64)}.b`, "a..b", ""]],
    ["ipv4", ["1.2.3.4", "1.2.3", "256.1.1.1", "1.2.3.4.5"]],
    ["ipv6", ["::1", "1:2:3:4:5:6:7:8", "1:2", "::ffff:1.2.3.4", "x::"]],
    [
      "uri",
      [
        "http://a.b/c?d#e",
        "urn:isbn:1",
        "mailto:a@b.c",
        "/a",
        "a b",
        "http://a b",
        "//a",
        "http://a/%zz",
      ],
    ],
    [
      "uuid",
      ["00000000-0000-4000-8000-000000000000", "0000", "g0000000-0000-4000-8000-000000000000"],
    ],
  ])("%s validates as ajv-formats does", async (format, texts) => {
    const validate = validatorOf({ format });
    const expected = ajv.compile({ format });
    const verdicts: [string, boolean][] = [];
    for (const text of texts) verdicts.push([text, (await validate(text)).length === 0]);
    expect(verdicts).toEqual(texts.map((text) => [text, expected(text)]));
    expect(new Set(verdicts.map(([, verdict]) => verdict)).size).toBe(2);
  });
});
