import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import * as mini from "zod/mini";
import { type HawserError, isHawserError } from "../../src/base/index.js";
import type { JsonSchema, StandardSchema } from "../../src/schema/index.js";
import { compileOutputSchema } from "../../src/schema/output-schema.js";

const NOTE = "Must also be valid by this JSON Schema: ";

async function refusal(schema: StandardSchema | JsonSchema): Promise<HawserError> {
  try {
    await compileOutputSchema(schema);
  } catch (error) {
    if (isHawserError(error, "invalid_options")) return error;
  }
  throw new Error("not refused");
}

/** The schema of an object with the property `a`. */
function withA(a: JsonSchema): JsonSchema {
  return { type: "object", properties: { a } };
}

describe("the schema that compileOutputSchema() sends", () => {
  it.each<[string, JsonSchema, JsonSchema]>([
    [
      "has a note instead of a format",
      { type: "string", format: "email", description: "Whose." },
      {
        type: "string",
        description: `Whose.\n${NOTE}{"format":"email"}`,
      },
    ],
    [
      "has a note instead of a pattern that is invalid with the u flag",
      { pattern: "^\\-$" },
      {
        description: `${NOTE}{"pattern":"^\\\\-$"}`,
      },
    ],
    ["has other patterns unchanged", { pattern: "^a$" }, { pattern: "^a$" }],
    [
      "has no unknown keywords",
      { type: "string", "x-foo": 1, $comment: "c", deprecated: true },
      {
        type: "string",
      },
    ],
    [
      "has a note instead of a tuple",
      { type: "array", items: [{ type: "string" }], minItems: 1 },
      {
        type: "array",
        minItems: 1,
        description: `${NOTE}{"items":[{"type":"string"}]}`,
      },
    ],
    [
      "has the type null instead of nullable",
      { type: "string", nullable: true },
      { type: ["string", "null"] },
    ],
    ["has no duplicates in enum", { enum: ["k", "k"] }, { enum: ["k"] }],
    [
      "has anyOf instead of oneOf",
      { oneOf: [{ type: "string" }] },
      { anyOf: [{ type: "string" }] },
    ],
    [
      "has a note instead of a `not` that would have to change",
      { not: { type: "string", format: "date" } },
      {
        description: `${NOTE}{"not":{"type":"string","format":"date"}}`,
      },
    ],
    [
      "has a note instead of a multipleOf with a fraction",
      { multipleOf: 0.01 },
      {
        description: `${NOTE}{"multipleOf":0.01}`,
      },
    ],
    [
      "has a note for an unusual property name, and then forbids no names",
      {
        type: "object",
        properties: { "ä b": { type: "string" }, c: true },
        required: ["ä b"],
        additionalProperties: false,
      },
      {
        type: "object",
        properties: { c: true },
        required: ["ä b"],
        description: `${NOTE}{"additionalProperties":false,"properties":{"ä b":{"type":"string"}}}`,
      },
    ],
    ["has no note that would be too long", { dependentRequired: { a: ["b".repeat(1000)] } }, {}],
  ])("%s", async (_, schema, sent) => {
    expect((await compileOutputSchema(withA(schema))).sent).toEqual(withA(sent));
  });

  it("keeps its references valid", async () => {
    const { sent } = await compileOutputSchema({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "http://x.y/root",
      type: "object",
      properties: {
        self: { $ref: "#" },
        one: { $ref: "#/$defs/a%20b", description: "One." },
        two: { $ref: "#anchored" },
      },
      $defs: {
        "a b": { type: "array", items: { $ref: "#/$defs/a%20b" } },
        unused: {},
        c: { $anchor: "anchored" },
      },
    });
    expect(sent).toEqual({
      type: "object",
      properties: {
        self: { $ref: "#" },
        one: { $ref: "#/$defs/a_20b", description: "One." },
        two: { $ref: "#/$defs/anchored" },
      },
      $defs: { a_20b: { type: "array", items: { $ref: "#/$defs/a_20b" } }, anchored: {} },
    });
  });

  it.each<[string, JsonSchema]>([
    ["an array", { type: "array", items: { $ref: "#" } }],
    ["a string", { type: "string" }],
    ["a union", { type: "object", anyOf: [{ required: ["a"] }] }],
    ["anything", {}],
    ["an object or null", { type: ["object", "null"] }],
  ])("is an object with the property value for %s", async (_, schema) => {
    const { sent, isWrapped } = await compileOutputSchema(schema);
    const value = JSON.parse(JSON.stringify(schema).replace('"#"', '"#/properties/value"'));
    expect(isWrapped).toBe(true);
    expect(sent).toEqual({
      type: "object",
      properties: { value },
      required: ["value"],
      additionalProperties: false,
    });
  });
});

describe("compileOutputSchema().parse()", () => {
  it("gives the value unchanged for JSON Schema, or the issues by the whole schema", async () => {
    const { parse: read } = await compileOutputSchema(
      withA({ format: "date", default: "2020-01-01" }),
    );
    expect(await read({})).toEqual({ value: {} });
    expect(await read({ a: "x" })).toEqual({
      issues: [{ path: "a", message: "must be of the format date" }],
    });
  });

  it("unwraps the value of an array schema", async () => {
    const { parse: read } = await compileOutputSchema({ type: "array", items: { type: "number" } });
    expect(await read({ value: [1] })).toEqual({ value: [1] });
    expect(await read({ value: ["x"] })).toEqual({
      issues: [{ path: "[0]", message: "must be a number, not a string" }],
    });
    expect(await read({})).toEqual({ issues: [{ message: "is missing" }] });
  });

  it("applies transforms, defaults and refinements of zod", async () => {
    const schema = z
      .object({ at: z.iso.date().transform((text) => new Date(text)), n: z.number().default(7) })
      .refine(async ({ n }) => n > 5, { message: "too small", path: ["n"] });
    const { sent, parse: read } = await compileOutputSchema(schema);
    expect(sent).toMatchObject({ properties: { at: { type: "string" } }, required: ["at"] });
    expect(JSON.stringify(Object.keys(sent))).not.toContain("$schema");
    expect(await read({ at: "2020-01-01" })).toEqual({
      value: { at: new Date("2020-01-01"), n: 7 },
    });
    expect(await read({ at: "2020-01-01", n: 1 })).toEqual({
      issues: [{ path: "n", message: "too small" }],
    });
  });

  it("gives the values of zod/mini, arktype, and valibot with its converter", async () => {
    const ofValibot = toStandardJsonSchema(v.object({ a: v.array(v.string()) }));
    for (const schema of [
      mini.object({ a: mini.array(mini.string()) }),
      type({ a: "string[]" }),
      ofValibot,
    ]) {
      const { sent, parse: read } = await compileOutputSchema(schema as StandardSchema);
      expect(sent).toMatchObject({
        type: "object",
        properties: { a: { type: "array", items: { type: "string" } } },
        required: ["a"],
      });
      expect(await read({ a: ["x"] })).toEqual({ value: { a: ["x"] } });
      expect(await read({ a: [1] })).toMatchObject({ issues: [{ path: "a[0]" }] });
    }
  });

  it("gives an issue if the schema throws", async () => {
    const { parse: read } = await compileOutputSchema(
      z.string().transform((text): unknown => JSON.parse(text)),
    );
    expect(await read({ value: "[1]" })).toEqual({ value: [1] });
    expect(await read({ value: "[" })).toEqual({
      issues: [{ message: expect.stringMatching(/^cannot be read: .*JSON/) }],
    });
  });
});

describe("compileOutputSchema() of an invalid schema", () => {
  it("lists every problem", async () => {
    expect(await refusal(withA({ pattern: "(", $ref: "http://x.y" }))).toMatchObject({
      message: "`schema.properties.a.pattern` must be a regular expression.",
      hint: expect.stringContaining("ignore it silently"),
      issues: [
        { path: "schema.properties.a.pattern", message: "must be a regular expression" },
        {
          path: "schema.properties.a.$ref",
          message: 'points to nothing in the schema: "http://x.y"',
        },
      ],
    });
  });

  it("refuses a value that is not a schema, not JSON, or infinite", async () => {
    const circular: Record<string, unknown> = {};
    circular["items"] = circular;
    let deep: JsonSchema = {};
    for (let i = 0; i < 20_000; i++) deep = { items: deep };
    for (const schema of [circular, deep, [], null, 7]) {
      expect(await refusal(schema as JsonSchema)).toMatchObject({ issues: [{ path: "schema" }] });
    }
  });

  it("refuses a schema without JSON Schema, with a hint", async () => {
    expect(await refusal(v.string())).toMatchObject({
      message: "`schema` is a valibot schema that cannot be converted to JSON Schema.",
      hint: "Wrap it in toStandardJsonSchema() of @valibot/to-json-schema.",
    });
  });
});
