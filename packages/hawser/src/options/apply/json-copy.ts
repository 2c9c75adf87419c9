/** Copies a value through JSON, so that nothing is shared with the caller. */
export function jsonCopy<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}
