/**
 * Makes a function that replaces secrets in a text by `***`: texts with the shape of a known credential, the
 * values of environment variables whose names look secret, and `secrets`.
 */
export function secretMask(
  env: Readonly<Record<string, string | undefined>>,
  secrets: Iterable<string> = [],
): (text: string) => string {
  const values = new Set(secrets);
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && SECRET_NAME.test(name)) values.add(value);
  }
  const known = [...values].filter((value) => value.length >= SHORTEST_SECRET);
  // Longest first, so that a secret that contains another secret is replaced as a whole.
  known.sort((a, b) => b.length - a.length);
  return (text) => {
    let masked = text;
    for (const value of known) {
      if (masked.includes(value)) masked = masked.replaceAll(value, "***");
    }
    for (const shape of SHAPES) masked = masked.replace(shape, "$1***");
    return masked;
  };
}

const SHORTEST_SECRET = 8;

const SECRET_NAME = /(?:key|token|secret|password|passwd|credential|authorization)s?$/i;

/** The length is bounded, because a regular expression fails on a run of some megabytes. */
const SHAPES: readonly RegExp[] = [
  /(\b)sk-[A-Za-z0-9_-]{8,4096}/g,
  /(\b)(?:gh[a-z]_|github_pat_)[A-Za-z0-9_]{16,4096}/g,
  /(\b)xox[a-z]-[A-Za-z0-9-]{10,4096}/g,
  /(\b)A[KS]IA[A-Z0-9]{16}\b/g,
  /(\b)(?:AIza|glpat-|npm_|hf_|[rs]k_live_)[A-Za-z0-9_-]{16,4096}/g,
  /(\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{16,4096}/gi,
  /(\beyJ)[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{8,4096}/g,
];
