/** A copy without the properties whose value is `undefined`. */
export function omitUndefined<T extends object>(values: T): Defined<T> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<T>;
}

type Defined<T> = { -readonly [Name in keyof T]?: Exclude<T[Name], undefined> };
