/** JSON text with sorted keys: equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value).map(
    ([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner)}`,
  );
  return `{${fields.sort().join()}}`;
}

/** JSON text for a message, cut off after `longest` characters. */
export function shortJson(value: unknown, longest = 200): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}
