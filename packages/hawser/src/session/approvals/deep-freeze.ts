/**
 * Makes plain data unchangeable. Several readers share a question, and none of them may change what the
 * answer of another allows.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const each of Object.values(value)) deepFreeze(each);
    Object.freeze(value);
  }
  return value;
}
