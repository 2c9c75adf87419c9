import { closestName, HawserError, type Kind, kind, type Problem } from "../base/index.js";

/**
 * Throws `invalid_options` with all problems, if there are any. The first one alone gives the sentence,
 * which is shorter than the sentence of `throwIfInvalid()`.
 */
export function throwFirstProblem(problems: Iterable<Problem>): void {
  const all = [...problems];
  const [first] = all;
  if (first === undefined) return;
  const text = `${first.path} ${first.message}`;
  throw new HawserError("invalid_options", text.endsWith("?") ? text : `${text}.`, {
    hint: kind.hintOf(first),
    issues: all.map(({ path, message }) => ({ path, message })),
  });
}

/** The problems of the fields that are given, each by its kind. */
export function* fieldProblems(
  value: object,
  kinds: Readonly<Record<string, Kind>>,
): Iterable<Problem> {
  for (const [name, each] of Object.entries(kinds)) {
    const field: unknown = Reflect.get(value, name);
    if (field !== undefined) yield* each.problems(field, name);
  }
}

/** The keys that an object may have, and the hints for other keys. */
export interface AllowedKeys {
  /** What a key of the object is, for example "an option of the provider". */
  readonly what: string;
  readonly names: readonly string[];
  /** The hint for a key that is no other spelling of a name. It gets the key as `plainKey()` writes it. */
  readonly hintFor: (plain: string) => string | undefined;
}

/** A problem for each key that is not allowed. A key whose value is undefined counts as absent. */
export function* unknownKeyProblems(
  value: object,
  allowed: AllowedKeys,
  prefix = "",
): Iterable<Problem> {
  for (const [key, field] of Object.entries(value)) {
    if (field !== undefined && !allowed.names.includes(key)) yield unknownKey(key, allowed, prefix);
  }
}

function unknownKey(key: string, { what, names, hintFor }: AllowedKeys, prefix: string): Problem {
  const path = `${prefix}${key}`;
  const message = `is not ${what}`;
  const plain = plainKey(key);
  const same = sameName(plain, names);
  const hint = same === undefined ? hintFor(plain) : undefined;
  if (hint !== undefined) return { path, message, hint };
  const near = same ?? closestName(key, names);
  if (near === undefined) return { path, message, hint: "Leave it out." };
  return kind.renamed(path, message, near);
}

/** The key in lower case without `-` and `_`, so that snake_case, kebab-case and camelCase are equal. */
export function plainKey(key: string): string {
  return key.replace(/[-_]/g, "").toLowerCase();
}

/** The name that differs from a key only by its spelling. */
export function sameName(plain: string, names: readonly string[]): string | undefined {
  return names.find((name) => plainKey(name) === plain);
}
