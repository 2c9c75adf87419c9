/** A copy of a value as JSON carries it, so that nothing of the caller's is shared. */
export function jsonCopy<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}
