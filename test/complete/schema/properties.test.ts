import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SchemaDocument } from "../../../src/complete/schema/document.js";
import { narrow } from "../../../src/complete/schema/narrow.js";
import { compileSchema, type Validate } from "../../../src/complete/schema/validator.js";
import { Ajv7, Ajv2020 } from "./ajv.js";
import { type AnySchema, documentOf, value } from "./arbitrary.js";

function compiled(schema: AnySchema): Validate {
  const made = compileSchema(new SchemaDocument(schema));
  if ("validate" in made) return made.validate;
  throw new Error(JSON.stringify(made.problems));
}

const values = fc.array(value, { minLength: 5, maxLength: 10 });

/** How the CLI reads a schema: by draft-07, strictly. And the API: by the metaschema of 2020-12. */
const CLI = new Ajv7({ allErrors: true, logger: false });
const API = new Ajv2020({ strict: false });

const DRAFTS = [
  { draft: "draft-07", Ajv: Ajv7 },
  { draft: "2020-12", Ajv: Ajv2020 },
] as const;

describe.each(DRAFTS)("a random schema of $draft", ({ draft, Ajv }) => {
  const documents = documentOf(draft);
  const ajv = new Ajv({ allErrors: true, strict: false, validateSchema: false, logger: false });

  it("gets the verdict of ajv for every value", () => {
    fc.assert(
      fc.property(documents, values, (schema, given) => {
        const validate = compiled(schema);
        const expected = ajv.compile(schema);
        for (const each of given) {
          expect([each, validate(each).length === 0]).toEqual([each, expected(each)]);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("is sent in a form that the CLI and the API take, and that refuses nothing valid", () => {
    fc.assert(
      fc.property(documents, values, (schema, given) => {
        const document = new SchemaDocument(schema);
        const { sent, isWrapped } = narrow(document);
        const accepts = CLI.compile(sent);
        expect(API.validateSchema(sent)).toBe(true);
        expect(sent).toMatchObject({ type: "object" });
        for (const union of ["anyOf", "oneOf", "allOf", "$ref"])
          expect(sent).not.toHaveProperty(union);
        const validate = compiled(schema);
        for (const each of given) {
          if (validate(each).length === 0) {
            expect(accepts(isWrapped ? { value: each } : each)).toBe(true);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
