/**
 * Whether a JSON value is nested deeper than this. Without recursion, because a body of some kilobytes can be nested
 * so deeply that `JSON.stringify()` fails on it.
 */
export function isDeeperThan(value: unknown, depth: number): boolean {
  let level: unknown[] = [value];
  for (let at = 0; level.length > 0; at += 1) {
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== "object" || item === null) continue;
      if (at >= depth) return true;
      for (const inner of Object.values(item)) {
        if (typeof inner === "object" && inner !== null) next.push(inner);
      }
    }
    level = next;
  }
  return false;
}

/** The deepest value that a client may send. */
export const MAX_DEPTH = 200;
