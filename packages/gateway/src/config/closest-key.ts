/** The known name that a mistyped one most likely stands for; `undefined` if none is close. */
export function closestKey(name: string, known: readonly string[]): string | undefined {
  const typed = plain(name);
  let closest: string | undefined;
  let least = Math.max(2, Math.floor(typed.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(typed, plain(candidate));
    if (distance < least) [closest, least] = [candidate, distance];
  }
  return closest;
}

/** `body_limit` and `BodyLimit` equal `bodyLimit`. Long names are cut, because they are no typing mistakes. */
function plain(name: string): string {
  return name
    .replace(/[-_\s]/g, "")
    .toLowerCase()
    .slice(0, 64);
}

function editDistance(a: string, b: string): number {
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replaced));
    }
    last = row;
  }
  return last[b.length] ?? 0;
}
