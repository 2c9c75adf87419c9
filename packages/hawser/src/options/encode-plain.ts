/**
 * Writes plain data as a text: two values have the same text exactly if they have the same contents in the
 * same order. Undefined if the value holds a function or an object of a class, because their contents
 * cannot be compared.
 */
export function encodePlain(value: unknown): string | undefined {
  const parts: string[] = [];
  return append(value, parts, 0) ? parts.join("") : undefined;
}

/** Writes the fields of an object, whatever its class, without those that are left out. */
export function encodeFields(
  fields: object,
  leftOut: ReadonlySet<string> = NONE,
): string | undefined {
  const parts: string[] = [];
  const names = Object.keys(fields);
  return appendFields(
    fields as Fields,
    names.filter((name) => !leftOut.has(name)),
    parts,
    0,
  )
    ? parts.join("")
    : undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const NONE: ReadonlySet<string> = new Set();

/** Each part shows where it ends, so that no two lists of parts give the same text. */
function append(value: unknown, parts: string[], depth: number): boolean {
  switch (typeof value) {
    case "string":
      parts.push(`"${value.length}:`, value);
      return true;
    case "number":
    case "boolean":
    case "undefined":
      parts.push(`${value};`);
      return true;
    case "object":
      if (value === null) parts.push("null;");
      return value === null || (depth < DEEPEST && appendObject(value, parts, depth + 1));
    default:
      return false;
  }
}

function appendObject(value: object, parts: string[], depth: number): boolean {
  if (Array.isArray(value)) {
    parts.push(`[${value.length}:`);
    return value.every((item) => append(item, parts, depth));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return appendFields(value as Fields, Object.keys(value), parts, depth);
}

function appendFields(
  fields: Fields,
  names: readonly string[],
  parts: string[],
  depth: number,
): boolean {
  parts.push(`{${names.length}:`);
  for (const name of names) {
    parts.push(`${name.length}:`, name);
    if (!append(fields[name], parts, depth)) return false;
  }
  return true;
}

/** Options are never so deep; a structure that holds itself is. */
const DEEPEST = 50;
