/** A copy in which what is given as `undefined` is not given. */
export function given<T extends object>(values: T): { -readonly [Name in keyof T]?: T[Name] } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof T]?: T[Name] };
}
