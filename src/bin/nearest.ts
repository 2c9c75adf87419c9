/** The name that was probably meant, if one is near enough. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((each) => ({ each, steps: distance(name, each) }))
    .sort((a, b) => a.steps - b.steps);
  const [best] = ranked;
  if (best === undefined) return undefined;
  return best.steps <= Math.max(1, Math.floor(name.length / 3)) ? best.each : undefined;
}

/** How many letters must be changed, added, left out or swapped with their neighbour. */
function distance(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const same = from[i - 1] === to[j - 1];
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row[j] = Math.min(
        at(rows, i - 1, j) + 1,
        (row[j - 1] ?? 0) + 1,
        at(rows, i - 1, j - 1) + (same ? 0 : 1),
        swapped ? at(rows, i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    rows.push(row);
  }
  return at(rows, from.length, to.length);
}

function at(rows: readonly number[][], i: number, j: number): number {
  return rows[i]?.[j] ?? 0;
}
