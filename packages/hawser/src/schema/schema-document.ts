import { isObject } from "../base/index.js";
import type { JsonSchema } from "./standard-schema.js";
import { isSchema, type Schema, subschemasIn } from "./subschemas.js";

/** A whole schema that resolves the references in it. It never fetches another document. */
export class SchemaDocument {
  readonly root: Schema;
  /** The schemas with an `$id` or an `$anchor`, by address. */
  readonly #named = new Map<string, Schema>();
  /** The address to which the references in a schema are relative. */
  readonly #bases = new Map<Schema, string>();

  constructor(root: Schema) {
    this.root = root;
    this.#named.set(ROOT, root);
    if (isObject(root)) this.#index(root, ROOT);
  }

  /** The schema to which a reference in the schema `from` points, if this document contains it. */
  resolve(reference: string, from: JsonSchema): Schema | undefined {
    const address = addressOf(reference, this.#bases.get(from) ?? ROOT);
    const [resource = "", fragment = ""] = address?.split("#", 2) ?? [];
    const named = this.#named.get(fragment.startsWith("/") ? resource : (address ?? ""));
    if (!fragment.startsWith("/")) return named;
    const target = decodePointer(fragment)?.split("/").slice(1).reduce<unknown>(getMember, named);
    return isSchema(target) ? target : undefined;
  }

  #index(schema: JsonSchema, outer: string): void {
    const { $id, $anchor } = schema;
    const id = typeof $id === "string" ? addressOf($id, outer) : undefined;
    if (id !== undefined) this.#named.set(id, schema);
    // In draft-07 an `$id` that is only a fragment is an anchor.
    const base = id === undefined || id.includes("#") ? outer : id;
    if (typeof $anchor === "string") this.#named.set(`${base}#${$anchor}`, schema);
    this.#bases.set(schema, base);
    for (const [keyword, value] of Object.entries(schema)) {
      for (const inner of subschemasIn(keyword, value)) {
        if (isObject(inner)) this.#index(inner, base);
      }
    }
  }
}

/** The base address of a schema without `$id`. No real `$id` equals it. */
const ROOT = "hawser://schema/root";

/** The absolute address. An empty fragment is cut off, because it points to the same schema. */
function addressOf(reference: string, base: string): string | undefined {
  if (!URL.canParse(reference, base)) return undefined;
  return new URL(reference, base).href.replace(/#$/, "");
}

function getMember(value: unknown, token: string): unknown {
  const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
  const isThere = typeof value === "object" && value !== null && Object.hasOwn(value, key);
  return isThere ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}

function decodePointer(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
