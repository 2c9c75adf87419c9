import { holdsHeaders, looksSecret, secretsInHeaders } from "./secret-names.js";
import { replaceWebTokens } from "./web-tokens.js";

/**
 * Replaces secrets in a text by `***`: those that it knows, and those that it recognises by shape.
 */
export type Mask = (text: string) => string;

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A mask for one process. It hides texts with the shape of a known credential, the values of
 * variables in `env` whose names look secret, and `secrets`.
 */
export function createMask(env: Environment, secrets: Iterable<string> = []): Mask {
  return maskOf([...secretsIn(env), ...secrets]);
}

/**
 * Like `createMask()`, but made when it masks the first text, because most processes never need it.
 * In `envs` a later value of a variable wins. The environments must not change afterwards. `known.secrets` is read
 * then, too.
 */
export function createLazyMask(
  envs: readonly Environment[],
  known: { readonly secrets: readonly string[] },
): Mask {
  let mask: Mask | undefined;
  return (text) => {
    mask ??= createMask(Object.assign({}, ...envs), known.secrets);
    return mask(text);
  };
}

/**
 * The mask for texts that belong to no process: shapes, and this program's current environment.
 * Every error asks for it. So only variables with secret names are read, and the mask is made again
 * only if one of them has changed.
 */
export function hostMask(): Mask {
  const secrets = secretsIn(process.env);
  const isKnown =
    secrets.length === known.secrets.length &&
    secrets.every((secret, at) => secret === known.secrets[at]);
  if (!isKnown) known = { secrets, mask: maskOf(secrets) };
  return known.mask;
}

/**
 * Replaces the secrets in a text, or in every text inside a value, by `***`: texts with the shape of a known
 * credential, the values of this program's environment variables with names such as `API_KEY`, and fields with such
 * names. A value without secrets is returned itself, any other value as a copy.
 *
 * @example
 * ```ts
 * import { maskSecrets } from "hawser";
 *
 * console.log(maskSecrets("Authorization: Bearer 0123456789")); //=> Authorization: Bearer ***
 * ```
 */
export function maskSecrets<T>(value: T): T {
  return maskDeep(value, hostMask()) as T;
}

function secretsIn(env: Environment): string[] {
  return Object.keys(env).flatMap((name) => {
    const value = env[name];
    if (value === undefined || !looksSecret(name, value)) return [];
    return holdsHeaders(name) ? [value, ...secretsInHeaders(value)] : [value];
  });
}

function maskOf(secrets: readonly string[]): Mask {
  const values = new Set<string>();
  for (const value of secrets) add(values, value);
  // Longest first, so that a secret that contains another secret is replaced as a whole.
  const ordered = [...values].sort((a, b) => b.length - a.length);

  return (text) => {
    let masked = text;
    for (const value of ordered) {
      if (masked.includes(value)) masked = masked.replaceAll(value, MASKED);
    }
    for (const shape of SHAPES) masked = masked.replace(shape, `$1${MASKED}`);
    return replaceWebTokens(masked, MASKED);
  };
}

/**
 * Masks every string inside a value. A value without secrets is returned itself, so that its
 * identity survives. Other values are copied, an Error as an Error.
 */
export function maskDeep(value: unknown, mask: Mask): unknown {
  return maskValue(value, mask, new Set());
}

const MASKED = "***";
const SHORTEST_SECRET = 6;
const DEEPEST = 64;

/** Bounded, because a regular expression fails on a run of some megabytes. */
const SHAPES: readonly RegExp[] = [
  /(\b)sk-[A-Za-z0-9_-]{8,65536}/g,
  /(\b)gh[a-z]_[A-Za-z0-9]{16,65536}/g,
  /(\b)github_pat_[A-Za-z0-9_]{16,65536}/g,
  /(\b)xox[a-z]-[A-Za-z0-9-]{10,65536}/g,
  /(\b)A[KS]IA[A-Z0-9]{16}\b/g,
  /(\b)AIza[A-Za-z0-9_-]{30,256}/g,
  /(\b)(?:glpat-|npm_|hf_|[rs]k_live_)[A-Za-z0-9_-]{16,65536}/g,
  /(\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{6,65536}/gi,
  /(\b(?:authorization|proxy-authorization|x-api-key|api-key|cookie)\\?["']?\s*[:=]\s*\\?["']?(?:(?:bearer|basic|token|negotiate|digest)\s+)?)(?!\*\*\*|(?:bearer|basic|token|negotiate|digest)\s)[^\s"'\\,;}]{4,65536}/gi,
  // Searches for the colon first: a lookbehind at every character takes a second for six megabytes.
  /(:(?<=\b[a-z][a-z0-9+.-]{0,20}:)\/\/[^\s:/@]{0,256}:)[^\s@/]{1,256}(?=@)/gi,
];

let known: { readonly secrets: readonly string[]; readonly mask: Mask } = {
  secrets: [],
  mask: maskOf([]),
};

function add(values: Set<string>, value: string): void {
  if (value.length < SHORTEST_SECRET) return;
  values.add(value);
  // The secret as it appears inside a line of JSON.
  const escaped = JSON.stringify(value).slice(1, -1);
  values.add(escaped);
  const trimmed = value.trim();
  if (trimmed.length >= SHORTEST_SECRET) values.add(trimmed);
  // Output is masked line by line, so each line of a PEM key counts. The lines around it are no
  // secret.
  for (const line of trimmed.split("\n").slice(1)) {
    if (line.trim().length >= SHORTEST_LINE && !line.startsWith("-----")) values.add(line.trim());
  }
}

const SHORTEST_LINE = 20;

function maskValue(value: unknown, mask: Mask, above: Set<object>): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value !== "object" || value === null) return value;
  if (above.has(value) || above.size > DEEPEST) return "[circular]";
  above.add(value);
  try {
    if (value instanceof Error) return maskError(value, mask, above);
    const entries = Object.entries(value);
    const masked = entries.map(([key, item]) => [mask(key), maskEntry(key, item, mask, above)]);
    if (masked.every(([key, item], i) => key === entries[i]?.[0] && item === entries[i]?.[1])) {
      return value;
    }
    return Array.isArray(value) ? masked.map(([, item]) => item) : Object.fromEntries(masked);
  } finally {
    above.delete(value);
  }
}

function maskEntry(key: string, item: unknown, mask: Mask, above: Set<object>): unknown {
  const secret =
    typeof item === "string" && item.length >= SHORTEST_SECRET && looksSecret(key, item);
  return secret ? MASKED : maskValue(item, mask, above);
}

function maskError(error: Error, mask: Mask, above: Set<object>): Error {
  // `errors` of an AggregateError is not enumerable.
  const facts = error instanceof AggregateError ? { ...error, errors: error.errors } : { ...error };
  const masked = {
    message: mask(error.message),
    stack: mask(error.stack ?? ""),
    facts: maskValue(facts, mask, above) as object,
    cause: maskValue(error.cause, mask, above),
  };
  const clean =
    masked.message === error.message &&
    masked.stack === (error.stack ?? "") &&
    masked.facts === facts &&
    masked.cause === error.cause;
  if (clean) return error;
  const copy = new Error(masked.message, "cause" in error ? { cause: masked.cause } : undefined);
  return Object.assign(copy, masked.facts, { name: error.name, stack: masked.stack });
}
