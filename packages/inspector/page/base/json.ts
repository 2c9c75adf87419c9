export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object, or an empty one for any other value. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function textField(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === "string" ? value : undefined;
}

export function numberField(object: JsonObject, name: string): number | undefined {
  const value = object[name];
  return typeof value === "number" ? value : undefined;
}

/** JSON for people. A text stands without quotation marks. */
export function shownJson(value: unknown): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value, undefined, 2) ?? "";
}

/** The object that a text has, or why the text has none. */
export function parseObject(
  text: string,
): { readonly value: JsonObject } | { readonly problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { value } : { problem: "This is JSON, but not an object." };
  } catch (error) {
    return {
      problem: `This is not JSON: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}
