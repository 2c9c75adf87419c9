import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { JsonSchema, StandardSchema } from "../../src/options/index.js";
import { compileOutputSchema } from "../../src/schema/output-schema.js";
import { always, type RecordedRequest, toolUse } from "../../src/testing/index.js";
import { clisInTurn, FULL } from "../support/cli.js";
import { open } from "../support/open-session.js";

const DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema";

interface Answer {
  /** The input schema of StructuredOutput, if the model was offered that tool. */
  readonly offered: unknown;
  readonly output: unknown;
}

/** Sends a schema. The model calls StructuredOutput with `input` and then answers with text. */
async function answer(path: string, schema: JsonSchema, input: JsonSchema): Promise<Answer> {
  const replies = [toolUse("StructuredOutput", input), always("Text.")];
  const outputFormat = { type: "json_schema", schema } as const;
  const { model, session } = await open(path, replies, { tools: [], maxTurns: 3, outputFormat });
  const result = await session.send("go").result;
  return { offered: offeredIn(model.calls[0]), output: result["structured_output"] };
}

function offeredIn(request: RecordedRequest | undefined): unknown {
  const { tools = [] } = (request?.body ?? {}) as { readonly tools?: readonly Tool[] };
  return tools.find(({ name }) => name === "StructuredOutput")?.input_schema;
}

interface Tool {
  readonly name: string;
  readonly input_schema: unknown;
}

/** In each case a CLI would drop the original schema, or the API would refuse the request. */
const CASES: readonly [string, StandardSchema | JsonSchema, JsonSchema][] = [
  [
    "an object of everything that a CLI does not take",
    {
      $schema: DRAFT_2020,
      $id: "http://x.y/z",
      type: "object",
      properties: {
        format: { type: "string", format: "email", "x-foo": 1 },
        tuple: { type: "array", prefixItems: [{ type: "string" }], items: false },
        old: { type: "string", pattern: "^\\-\\_$" },
        step: { type: "number", multipleOf: 0.01 },
        twice: { enum: ["k", "k"] },
        anchored: { $ref: "#there" },
        list: { type: "array", contains: { type: "string" }, minContains: 1 },
        when: { if: { type: "string" } },
        constructor: { type: "string" },
      },
      patternProperties: { "^st": true },
      dependentRequired: { format: ["tuple"] },
      unevaluatedProperties: false,
      $defs: { there: { $anchor: "there", type: "null", nullable: true } },
    },
    {
      format: "a@b.co",
      tuple: ["x"],
      old: "-_",
      step: 19.99,
      twice: "k",
      anchored: null,
      list: ["x"],
    },
  ],
  [
    "a recursive array",
    { type: "array", items: { anyOf: [{ $ref: "#" }, { type: "string" }] } },
    { value: [["a"], "b"] },
  ],
  ["anything", {}, { value: 7 }],
  [
    "a union of zod",
    z.discriminatedUnion("kind", [
      z.object({
        kind: z.literal("a"),
        at: z.iso.datetime(),
        pair: z.tuple([z.string(), z.int()]),
      }),
      z.object({ kind: z.literal("b"), to: z.url().nullable() }),
    ]),
    { value: { kind: "a", at: "2020-01-01T00:00:00Z", pair: ["x", 1] } },
  ],
];

describe.each(clisInTurn())("compileOutputSchema() on the real CLI $name", ({ path }) => {
  it.each(FULL ? CASES : CASES.slice(0, 2))(
    "sends a schema that the CLI takes for %s",
    async (_, schema, input) => {
      const { sent, isWrapped, parse: read } = await compileOutputSchema(schema);
      expect(await answer(path, sent, input)).toEqual({ offered: sent, output: input });
      expect(await read(input)).toEqual({ value: isWrapped ? input["value"] : input });
    },
  );

  it("is needed, because the CLI silently drops a schema with an unknown keyword", async () => {
    const schema = { type: "object", "x-foo": 1 };
    expect(await answer(path, schema, {})).toEqual({ offered: undefined, output: undefined });
  });
});
