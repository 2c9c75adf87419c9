/** JSON text with sorted keys: equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value).map(
    ([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner)}`,
  );
  return `{${fields.sort().join()}}`;
}
