/** A copy in which what is given as `undefined` is not given. */
export function omitUndefined<T extends object>(values: T): Given<T> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Given<T>;
}

type Given<T> = { -readonly [Name in keyof T]?: Exclude<T[Name], undefined> };
