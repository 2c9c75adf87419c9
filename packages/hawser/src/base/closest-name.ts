/** The candidate that a mistyped name most likely stands for. */
export function closestName(name: string, candidates: readonly string[]): string | undefined {
  const plain = plainOf(name);
  const same = candidates.find((candidate) => plainOf(candidate) === plain);
  if (same !== undefined) return same;
  // Bounds the work: a very long name is not a typing mistake.
  if (name.length > LONGEST) return undefined;
  let best: string | undefined;
  // In a name of three letters, two different letters make another word.
  let least = Math.max(plain.length < 4 ? 1 : 2, Math.floor(plain.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = distanceBetween(plain, plainOf(candidate));
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

const LONGEST = 64;

/** Whether two names differ only by upper and lower case and by at most one letter. */
export function differsByOne(name: string, other: string): boolean {
  if (name === other || Math.abs(name.length - other.length) > 1) return false;
  if (name.length > LONGEST) return false;
  return distanceBetween(name.toLowerCase(), other.toLowerCase()) <= 1;
}

/**
 * The name without separators and capitals, so that `max_turns` and `MaxTurns` equal `maxTurns`.
 */
export function plainOf(name: string): string {
  return name.replace(/[-_\s]/g, "").toLowerCase();
}

/** How many letters must be inserted, removed, replaced or swapped with their neighbour. */
function distanceBetween(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(cell(last, j) + 1, cell(row, j - 1) + 1, cell(last, j - 1) + cost);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) least = Math.min(least, cell(before, j - 2) + 1);
      row.push(least);
    }
    [before, last] = [last, row];
  }
  return cell(last, b.length);
}

function cell(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
