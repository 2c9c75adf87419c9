/** Rows in columns with two blanks between them; the last column is not padded. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>(
    (all, row) => row.map((cell, i) => Math.max(all[i] ?? 0, cell.length)),
    [],
  );
  return rows.map((row) =>
    row
      .map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}

/** The shortest beginnings, of at least eight characters, that tell the ids apart. */
export function shortIds(ids: readonly string[]): string[] {
  for (let length = 8; length < 36; length += 1) {
    const short = ids.map((id) => id.slice(0, length));
    if (new Set(short).size === ids.length) return short;
  }
  return [...ids];
}
