/**
 * The value at a path of names inside a value of unknown shape; undefined if the path ends early.
 */
export function getPath(root: unknown, ...names: readonly string[]): unknown {
  let value = root;
  for (const name of names) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Reflect.get(value, name);
  }
  return value;
}
