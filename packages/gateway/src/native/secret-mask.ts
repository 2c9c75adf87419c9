import type { Options } from "hawser";

/**
 * Replaces secrets in texts by `***`: texts with the shape of a known credential, the values of environment
 * variables whose names look secret, and texts that it was told.
 */
export class SecretMask {
  readonly #learned = new WeakSet<object>();
  /** Longest first, so that a secret that contains another secret is replaced as a whole. */
  #known: readonly string[] = [];

  constructor(env: Readonly<Record<string, string | undefined>>, secrets: Iterable<string> = []) {
    this.#add([...secretsIn(env), ...secrets]);
  }

  /** Learns the secrets in the environment of a tenant. */
  learn({ env }: Options): void {
    if (env === undefined || this.#learned.has(env)) return;
    this.#learned.add(env);
    this.#add(secretsIn(env));
  }

  /** Bound, because it is passed on as a function. */
  readonly mask = (text: string): string => {
    if (text.length < SHORTEST_SECRET) return text;
    let masked = text;
    for (const value of this.#known) {
      if (masked.includes(value)) masked = masked.replaceAll(value, "***");
    }
    // One search decides for most texts.
    if (!BEGINNINGS.test(masked)) return masked;
    for (const shape of SHAPES) masked = masked.replace(shape, "$1***");
    return masked;
  };

  #add(secrets: readonly string[]): void {
    // Also as JSON text has them, in which some characters are escaped.
    const escaped = secrets.map((value) => JSON.stringify(value).slice(1, -1));
    const all = new Set([...this.#known, ...secrets, ...escaped]);
    this.#known = [...all]
      .filter((value) => value.length >= SHORTEST_SECRET)
      .sort((a, b) => b.length - a.length);
  }
}

function secretsIn(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && SECRET_NAME.test(name) ? [value] : [],
  );
}

const SHORTEST_SECRET = 8;

const SECRET_NAME = /(?:key|token|secret|password|passwd|credential|authorization)s?$/i;

const BEGINNINGS =
  /sk-|gh[a-z]_|github_pat_|xox|A[KS]IA|AIza|glpat-|npm_|hf_|k_live_|bearer|basic|eyJ|#token=/i;

/** The length is bounded, because a regular expression fails on a run of some megabytes. */
const SHAPES: readonly RegExp[] = [
  /(\b)sk-[A-Za-z0-9_-]{8,4096}/g,
  /(\b)(?:gh[a-z]_|github_pat_)[A-Za-z0-9_]{16,4096}/g,
  /(\b)xox[a-z]-[A-Za-z0-9-]{10,4096}/g,
  /(\b)A[KS]IA[A-Z0-9]{16}\b/g,
  /(\b)(?:AIza|glpat-|npm_|hf_|[rs]k_live_)[A-Za-z0-9_-]{16,4096}/g,
  /(\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{16,4096}/gi,
  /(#token=)[\w.~-]{16,256}/g,
  /(\beyJ)[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{8,4096}/g,
];
