/** Major, minor, patch. */
export type Version = readonly [major: number, minor: number, patch: number];

/** The version at the start of what `claude -v` prints; `undefined` if there is none. */
export function parseVersion(text: string): Version | undefined {
  const found = VERSION.exec(text.trim());
  if (found === null) return undefined;
  const [major, minor, patch] = found.slice(1).map(Number);
  if (major === undefined || minor === undefined || patch === undefined) return undefined;
  const version: Version = [major, minor, patch];
  return version.every(Number.isSafeInteger) ? version : undefined;
}

/** Negative if `a` is older than `b`, positive if it is newer, 0 if they are the same. */
export function compareVersions(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

const VERSION = /^v?(\d+)\.(\d+)\.(\d+)(?:[-+][0-9A-Za-z.+-]+)?(?=\s|$)/;
