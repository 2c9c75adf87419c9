import { canonicalJson } from "../canonical-json.js";
import type { SchemaDocument } from "../schema-document.js";
import type { JsonSchema } from "../standard-schema.js";
import { isRecord, mapSubschemas, type Schema, subschemasIn } from "../subschemas.js";
import { isSendableName, unsendableKeywords } from "./unsendable-keywords.js";

/** What stands for a value that is no object, since the input of a tool has to be one. */
export const WRAPPER = "value";

export interface NarrowedSchema {
  readonly sent: JsonSchema;
  /** Whether the value is in the property `value` of what the model gives. */
  readonly isWrapped: boolean;
}

/**
 * What of a schema can be sent: it never refuses a value that the schema takes. The rest is told to
 * the model in descriptions, where that is short.
 *
 * The CLI reads it by draft-07 and strictly; what it does not understand, any `format` for older
 * versions, makes it drop the whole schema without a word. The API reads it by draft 2020-12, and wants
 * an object at the root, no union there, and plain names. The two agree on the keywords below.
 */
export function narrowSchema(document: SchemaDocument): NarrowedSchema {
  const { root } = document;
  const isWrapped = !isPlainObject(root);
  const narrowing = new Narrowing(document, isWrapped ? `#/properties/${WRAPPER}` : "#");
  const inner = narrowing.narrow(root);
  const sent = isWrapped
    ? {
        type: "object",
        properties: { [WRAPPER]: inner },
        required: [WRAPPER],
        additionalProperties: false,
      }
    : (inner as JsonSchema);
  const $defs = Object.fromEntries(narrowing.definitions);
  return { sent: narrowing.definitions.size === 0 ? sent : { ...sent, $defs }, isWrapped };
}

function isPlainObject(root: Schema): boolean {
  const isUnion = (schema: JsonSchema) =>
    ["$ref", "allOf", "anyOf", "oneOf"].some((keyword) => keyword in schema);
  return isRecord(root) && root["type"] === "object" && root["nullable"] !== true && !isUnion(root);
}

/** Sent as they are. */
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

/** Sent with the schemas in them narrowed. */
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
  /** Where each schema that is referred to will stand. */
  readonly #places = new Map<Schema, string>();
  readonly definitions = new Map<string, Schema>();

  constructor(document: SchemaDocument, rootPlace: string) {
    this.#document = document;
    this.#places.set(document.root, rootPlace);
  }

  narrow(schema: Schema): Schema {
    if (typeof schema === "boolean") return schema;
    const withheld = unsendableKeywords(schema);
    const sent: [string, unknown][] = [];
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === "properties" && isRecord(value)) {
        sent.push([keyword, this.#properties(value)]);
      } else if (!Object.hasOwn(withheld, keyword)) {
        sent.push(...this.#keyword(keyword, value, schema));
      }
    }
    const description = describe(schema["description"], withheld);
    if (description !== undefined) sent.push(["description", description]);
    return Object.fromEntries(sent);
  }

  #keyword(keyword: string, value: unknown, schema: JsonSchema): [string, unknown][] {
    if (PLAIN.has(keyword)) return [[keyword, value]];
    if (NESTED.has(keyword)) return [[keyword, this.#nested(keyword, value)]];
    // A weaker branch may fit beside another; that just one does is checked on our side.
    if (keyword === "oneOf") return [["anyOf", this.#nested(keyword, value)]];
    if (keyword === "enum" || keyword === "required") return [[keyword, unique(value)]];
    if (keyword === "type") {
      const types = schema["nullable"] === true ? [value, "null"].flat() : value;
      return [[keyword, unique(types)]];
    }
    if (keyword === "$ref") return [[keyword, this.#placeOf(String(value), schema)]];
    return [];
  }

  #nested(keyword: string, value: unknown): unknown {
    return mapSubschemas(keyword, value, (inner) => this.narrow(inner));
  }

  #properties(properties: JsonSchema): unknown {
    const own = Object.entries(properties).filter(([name]) => isSendableName(name));
    return this.#nested("properties", Object.fromEntries(own));
  }

  /** What is referred to is put into `$defs`, whatever it stood in: that may not be sent. */
  #placeOf(reference: string, from: JsonSchema): string {
    const target = this.#document.resolve(reference, from) ?? true;
    const known = this.#places.get(target);
    if (known !== undefined) return known;
    const name = this.#freeName(reference);
    this.#places.set(target, `#/$defs/${name}`);
    // Its place in the order, before those it refers to itself.
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

/** Repetitions are no error for the standard, but for the CLI. */
function unique(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return [...new Map(value.map((item) => [canonicalJson(item), item])).values()];
}

/** What is withheld, in the author's own words: models read JSON Schema. */
function describe(description: unknown, withheld: JsonSchema): string | undefined {
  const said = typeof description === "string" ? description : undefined;
  const rest = JSON.stringify(withheld);
  // A reference would point to where nothing is any more.
  if (rest === "{}" || rest.length > LONGEST_NOTE || refers(withheld)) return said;
  const note = `Must also be valid by this JSON Schema: ${rest}`;
  return said === undefined || said === "" ? note : `${said}\n${note}`;
}

const LONGEST_NOTE = 600;

function refers(schema: JsonSchema): boolean {
  if (Object.hasOwn(schema, "$ref")) return true;
  const inner = Object.entries(schema).flatMap(([keyword, value]) => subschemasIn(keyword, value));
  return inner.some((each) => isRecord(each) && refers(each));
}
