/** What stands at a path of names inside an answer of the CLI, if it is there. */
export function getPath(payload: unknown, ...names: readonly string[]): unknown {
  let value = payload;
  for (const name of names) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Reflect.get(value, name);
  }
  return value;
}
