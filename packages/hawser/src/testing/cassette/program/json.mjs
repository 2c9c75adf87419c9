// Helpers for JSON values and for text that contains JSON.

/** A copy of the value with every string replaced, including keys. */
export function mapStrings(value, replace, key = "", above = "") {
  if (typeof value === "string") return replace(value, key, above);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, replace, key, above));
  const entries = Object.entries(value).map(([name, item]) => [
    replace(name, "", ""),
    mapStrings(item, replace, name, key),
  ]);
  return Object.fromEntries(entries);
}

/** The CLI escapes U+2028 and U+2029, which JSON allows unescaped. */
export function stringify(value) {
  return JSON.stringify(value).replace(/[\u2028\u2029]/g, (end) =>
    end === "\u2028" ? "\\u2028" : "\\u2029",
  );
}

/** Undefined if the text is not JSON. */
export function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
