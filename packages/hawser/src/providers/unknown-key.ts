import { closestName, HawserError, type Issue } from "../base/index.js";

/** One thing that is wrong with what a provider was given, and what to do about it. */
export interface Problem extends Issue {
  readonly path: string;
  readonly hint?: string;
}

/** Throws `invalid_options` with all problems, in the words of the first. */
export function refuse(problems: Iterable<Problem>): void {
  const all = [...problems];
  const [first] = all;
  if (first === undefined) return;
  const text = `${first.path} ${first.message}`;
  throw new HawserError("invalid_options", text.endsWith("?") ? text : `${text}.`, {
    hint: first.hint ?? `Correct \`${first.path}\`.`,
    issues: all.map(({ path, message }) => ({ path, message })),
  });
}

/** The keys that an object may have, and what to say about those that it may not. */
export interface KnownKeys {
  /** What a key of the object is, for example "an option of the provider". */
  readonly what: string;
  readonly names: readonly string[];
  /** What to do about a key that is no name in another writing; it is given as `plainKey()` writes it. */
  readonly hintFor: (plain: string) => string | undefined;
}

/** A problem for each key that is not known. A key whose value is undefined was not given. */
export function* unknownKeys(value: object, known: KnownKeys, prefix = ""): Iterable<Problem> {
  for (const [key, field] of Object.entries(value)) {
    if (field !== undefined && !known.names.includes(key)) yield unknownKey(key, known, prefix);
  }
}

function unknownKey(key: string, { what, names, hintFor }: KnownKeys, prefix: string): Problem {
  const path = `${prefix}${key}`;
  const message = `is not ${what}`;
  const plain = plainKey(key);
  const same = sameName(plain, names);
  const hint = same === undefined ? hintFor(plain) : undefined;
  if (hint !== undefined) return { path, message, hint };
  const near = same ?? closestName(key, names);
  if (near === undefined) return { path, message, hint: "Leave it out." };
  return { path, message: `${message}; did you mean ${near}?`, hint: `Use \`${near}\`.` };
}

/** A key without the marks by which snake_case, kebab-case and camelCase differ. */
export function plainKey(key: string): string {
  return key.replace(/[-_]/g, "").toLowerCase();
}

/** The name that differs from a key only by its writing. */
export function sameName(plain: string, names: readonly string[]): string | undefined {
  return names.find((name) => plainKey(name) === plain);
}
