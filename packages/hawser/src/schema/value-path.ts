import type { StandardIssue } from "./standard-schema.js";

/** The path of a field or item, as one would write it in code; the whole value has the path "". */
export function childPath(path: string, key: PropertyKey): string {
  if (typeof key === "number") return `${path}[${key}]`;
  const name = String(key);
  if (!IDENTIFIER.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === "" ? name : `${path}.${name}`;
}

/** The path that a Standard Schema gives with an issue. */
export function pathFromKeys(keys: StandardIssue["path"]): string {
  const plain = (keys ?? []).map((key) => (typeof key === "object" ? key.key : key));
  return plain.reduce<string>(childPath, "");
}

/** A path that is seen from further outside. */
export function prefixPath(outer: string, path: string): string {
  return path === "" || path.startsWith("[") ? outer + path : `${outer}.${path}`;
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
