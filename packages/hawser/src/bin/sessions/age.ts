/** The age in its largest unit, such as "3 h ago". */
export function ageOf(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms >= each) ?? UNITS[UNITS.length - 1] ?? ["s", 1];
  return `${Math.max(0, Math.floor(ms / size))} ${unit} ago`;
}

const UNITS: readonly (readonly [string, number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
];
