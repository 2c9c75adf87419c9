import { describe, expect, it } from "vitest";
import { narrowSchema } from "../../src/schema/narrow/narrow-schema.js";
import { SchemaDocument } from "../../src/schema/schema-document.js";
import { compileSchema, type Validate } from "../../src/schema/validate/compile-schema.js";
import { FULL } from "../support/cli.js";
import { fc } from "../support/fc.js";
import { Ajv7, Ajv2020 } from "./ajv.helper.js";
import { type AnySchema, documentOf, value } from "./arbitrary-schema.helper.js";

function compiled(schema: AnySchema): Validate {
  const made = compileSchema(new SchemaDocument(schema));
  if ("validate" in made) return made.validate;
  throw new Error(JSON.stringify(made.problems));
}

/** The verdict of ajv; undefined if the code that ajv generates throws. */
function verdictOf(expected: (value: unknown) => unknown, value: unknown): boolean | undefined {
  try {
    return expected(value) === true;
  } catch {
    return undefined;
  }
}

const values = fc.array(value, { minLength: 5, maxLength: 10 });

/** The CLI reads a schema strictly by draft-07, the API by the metaschema of 2020-12. */
const CLI = new Ajv7({ allErrors: true, logger: false });
const API = new Ajv2020({ strict: false });

const DRAFTS = [
  { draft: "draft-07", Ajv: Ajv7 },
  { draft: "2020-12", Ajv: Ajv2020 },
] as const;

describe.each(DRAFTS)(
  "compileSchema() and narrowSchema() of a random schema, $draft",
  ({ draft, Ajv }) => {
    const documents = documentOf(draft);
    const ajv = new Ajv({ allErrors: true, strict: false, validateSchema: false, logger: false });

    it("validate every value as ajv does", async () => {
      let schemas = 0;
      let withoutVerdict = 0;
      await fc.assert(
        fc.asyncProperty(documents, values, async (schema, given) => {
          const validate = compiled(schema);
          const expected = ajv.compile(schema);
          const verdicts = given.map((each) => verdictOf(expected, each));
          schemas += 1;
          if (verdicts.includes(undefined)) withoutVerdict += 1;
          for (const [at, each] of given.entries()) {
            const valid = (await validate(each)).length === 0;
            expect([each, valid]).toEqual([each, verdicts[at] ?? valid]);
          }
        }),
        { numRuns: FULL ? 1000 : 250 },
      );
      expect(withoutVerdict / schemas).toBeLessThan(0.02);
    });

    it("give a form to send that the CLI and the API take and that refuses no valid value", async () => {
      await fc.assert(
        fc.asyncProperty(documents, values, async (schema, given) => {
          const document = new SchemaDocument(schema);
          const { sent, isWrapped } = narrowSchema(document);
          const accepts = CLI.compile(sent);
          expect(API.validateSchema(sent)).toBe(true);
          expect(sent).toMatchObject({ type: "object" });
          for (const union of ["anyOf", "oneOf", "allOf", "$ref"])
            expect(sent).not.toHaveProperty(union);
          const validate = compiled(schema);
          for (const each of given) {
            if ((await validate(each)).length === 0) {
              expect(accepts(isWrapped ? { value: each } : each)).toBe(true);
            }
          }
        }),
        { numRuns: FULL ? 300 : 75 },
      );
    });
  },
);
