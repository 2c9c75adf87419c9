import type { StandardIssue } from "./standard-schema.js";

/** The path of a field or item in the notation of JavaScript. The whole value has the path "". */
export function childPath(path: string, key: PropertyKey): string {
  if (typeof key === "number") return `${path}[${key}]`;
  const name = String(key);
  if (!IDENTIFIER.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === "" ? name : `${path}.${name}`;
}

/** The path of an issue that a Standard Schema reports. */
export function pathFromKeys(keys: StandardIssue["path"]): string {
  const plain = (keys ?? []).map((key) => (typeof key === "object" ? key.key : key));
  return plain.reduce<string>(childPath, "");
}

/**
 * The property that holds a value that is no object, because the input of a tool must be an object.
 */
export const WRAPPER_PROPERTY = "value";

/** The path of a value inside of `outer`. */
export function prefixPath(outer: string, path: string): string {
  return path === "" || path.startsWith("[") ? outer + path : `${outer}.${path}`;
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
