import { isObject } from "../../base/index.js";
import { canonicalJson } from "../canonical-json.js";
import { isObjectSchema } from "../is-object-schema.js";
import type { SchemaDocument } from "../schema-document.js";
import type { JsonSchema } from "../standard-schema.js";
import { mapSubschemas, type Schema, subschemasIn } from "../subschemas.js";
import { WRAPPER_PROPERTY } from "../value-path.js";
import { isSendableName, unsendableKeywords } from "./unsendable-keywords.js";

export interface NarrowedSchema {
  readonly sent: JsonSchema;
  /** Whether `sent` wraps the value into the property `value` of an object. */
  readonly isWrapped: boolean;
}

/**
 * The part of a schema that can be sent. It never refuses a value that the whole schema accepts.
 * The descriptions tell the model the rest, if the rest is short.
 *
 * The CLI reads the schema strictly by draft-07. A keyword that it does not know (in older versions
 * any `format`) makes it drop the whole schema without an error. The API reads the schema by draft
 * 2020-12. It wants an object at the root, no union there, and plain names. Both agree on the
 * keywords below.
 */
export function narrowSchema(document: SchemaDocument): NarrowedSchema {
  const { root } = document;
  const isWrapped = !isObjectSchema(root);
  const narrowing = new Narrowing(document, isWrapped ? `#/properties/${WRAPPER_PROPERTY}` : "#");
  const inner = narrowing.narrow(root);
  const sent = isWrapped
    ? {
        type: "object",
        properties: { [WRAPPER_PROPERTY]: inner },
        required: [WRAPPER_PROPERTY],
        additionalProperties: false,
      }
    : (inner as JsonSchema);
  const $defs = Object.fromEntries(narrowing.definitions);
  return { sent: narrowing.definitions.size === 0 ? sent : { ...sent, $defs }, isWrapped };
}

/** Keywords that are sent unchanged. */
const PLAIN = new Set([
  "const",
  "contentEncoding",
  "contentMediaType",
  "default",
  "examples",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "maxItems",
  "maxLength",
  "maxProperties",
  "maximum",
  "minItems",
  "minLength",
  "minProperties",
  "minimum",
  "multipleOf",
  "pattern",
  "title",
  "uniqueItems",
]);

/** Keywords whose subschemas are narrowed before they are sent. */
const NESTED = new Set([
  "additionalProperties",
  "allOf",
  "anyOf",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "patternProperties",
  "propertyNames",
  "then",
]);

class Narrowing {
  readonly #document: SchemaDocument;
  /** The pointer to each referenced schema in the narrowed document. */
  readonly #pointers = new Map<Schema, string>();
  readonly definitions = new Map<string, Schema>();

  constructor(document: SchemaDocument, rootPointer: string) {
    this.#document = document;
    this.#pointers.set(document.root, rootPointer);
  }

  narrow(schema: Schema): Schema {
    if (typeof schema === "boolean") return schema;
    const unsendable = unsendableKeywords(schema);
    const sent: [string, unknown][] = [];
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === "properties" && isObject(value)) {
        sent.push([keyword, this.#properties(value)]);
      } else if (!Object.hasOwn(unsendable, keyword)) {
        sent.push(...this.#keyword(keyword, value, schema));
      }
    }
    const description = describe(schema["description"], unsendable);
    if (description !== undefined) sent.push(["description", description]);
    return Object.fromEntries(sent);
  }

  #keyword(keyword: string, value: unknown, schema: JsonSchema): [string, unknown][] {
    if (PLAIN.has(keyword)) return [[keyword, value]];
    if (NESTED.has(keyword)) return [[keyword, this.#nested(keyword, value)]];
    // Narrowed branches may overlap. Our own validation checks that exactly one branch fits.
    if (keyword === "oneOf") return [["anyOf", this.#nested(keyword, value)]];
    if (keyword === "enum" || keyword === "required") return [[keyword, unique(value)]];
    if (keyword === "type") {
      const types = schema["nullable"] === true ? [value, "null"].flat() : value;
      return [[keyword, unique(types)]];
    }
    if (keyword === "$ref") return [[keyword, this.#pointerTo(String(value), schema)]];
    return [];
  }

  #nested(keyword: string, value: unknown): unknown {
    return mapSubschemas(keyword, value, (inner) => this.narrow(inner));
  }

  #properties(properties: JsonSchema): unknown {
    const own = Object.entries(properties).filter(([name]) => isSendableName(name));
    return this.#nested("properties", Object.fromEntries(own));
  }

  /**
   * Copies the referenced schema into `$defs`, because the keyword that contained it may not be
   * sent.
   */
  #pointerTo(reference: string, from: JsonSchema): string {
    const target = this.#document.resolve(reference, from) ?? true;
    const known = this.#pointers.get(target);
    if (known !== undefined) return known;
    const name = this.#freeName(reference);
    this.#pointers.set(target, `#/$defs/${name}`);
    // Reserves its place in the order before the schemas to which it refers.
    this.definitions.set(name, true);
    this.definitions.set(name, this.narrow(target));
    return `#/$defs/${name}`;
  }

  #freeName(reference: string): string {
    const last = reference.split(/[/#]/).at(-1) ?? "";
    const plain = last.replace(/[^\w.-]/g, "_").slice(0, 40) || "schema";
    for (let name = plain, i = 2; ; name = `${plain}_${i++}`) {
      if (!this.definitions.has(name)) return name;
    }
  }
}

/** Removes repeated items: the standard allows them, but the CLI does not. */
function unique(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return [...new Map(value.map((item) => [canonicalJson(item), item])).values()];
}

/** The description with the unsendable keywords as JSON Schema, which models can read. */
function describe(description: unknown, unsendable: JsonSchema): string | undefined {
  const said = typeof description === "string" ? description : undefined;
  const rest = JSON.stringify(unsendable);
  // A reference in the note would point to a schema that is not sent.
  if (rest === "{}" || rest.length > MAX_NOTE_LENGTH || hasReference(unsendable)) return said;
  const note = `Must also be valid by this JSON Schema: ${rest}`;
  return said === undefined || said === "" ? note : `${said}\n${note}`;
}

const MAX_NOTE_LENGTH = 600;

function hasReference(schema: JsonSchema): boolean {
  if (Object.hasOwn(schema, "$ref")) return true;
  const inner = Object.entries(schema).flatMap(([keyword, value]) => subschemasIn(keyword, value));
  return inner.some((each) => isObject(each) && hasReference(each));
}
