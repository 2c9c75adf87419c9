import type { JsonSchema } from "./standard-schema.js";
import { isRecord, isSchema, type Schema, subschemasIn } from "./subschemas.js";

/** A whole schema, in which references are looked up. Nothing is ever fetched. */
export class SchemaDocument {
  readonly root: Schema;
  /** By address: each schema with an `$id`, each anchor. */
  readonly #named = new Map<string, Schema>();
  /** What the references in a schema are relative to. */
  readonly #bases = new Map<Schema, string>();

  constructor(root: Schema) {
    this.root = root;
    this.#named.set(ROOT, root);
    if (isRecord(root)) this.#index(root, ROOT);
  }

  /** What a reference in the schema `from` points to, if that is in the document. */
  resolve(reference: string, from: JsonSchema): Schema | undefined {
    const address = addressOf(reference, this.#bases.get(from) ?? ROOT);
    const [resource = "", fragment = ""] = address?.split("#", 2) ?? [];
    const named = this.#named.get(fragment.startsWith("/") ? resource : (address ?? ""));
    if (!fragment.startsWith("/")) return named;
    const target = decoded(fragment)?.split("/").slice(1).reduce<unknown>(step, named);
    return isSchema(target) ? target : undefined;
  }

  #index(schema: JsonSchema, outer: string): void {
    const { $id, $anchor } = schema;
    const id = typeof $id === "string" ? addressOf($id, outer) : undefined;
    if (id !== undefined) this.#named.set(id, schema);
    // In draft-07 an `$id` of a fragment only is an anchor.
    const base = id === undefined || id.includes("#") ? outer : id;
    if (typeof $anchor === "string") this.#named.set(`${base}#${$anchor}`, schema);
    this.#bases.set(schema, base);
    for (const [keyword, value] of Object.entries(schema)) {
      for (const inner of subschemasIn(keyword, value)) {
        if (isRecord(inner)) this.#index(inner, base);
      }
    }
  }
}

/** An address that no `$id` has, for what is relative to nothing else. */
const ROOT = "hawser://schema/root";

/** Without an empty fragment, which points to the same. */
function addressOf(reference: string, base: string): string | undefined {
  if (!URL.canParse(reference, base)) return undefined;
  return new URL(reference, base).href.replace(/#$/, "");
}

function step(value: unknown, token: string): unknown {
  const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
  const isThere = typeof value === "object" && value !== null && Object.hasOwn(value, key);
  return isThere ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}

function decoded(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
