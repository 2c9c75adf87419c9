/** A sum of money, with more digits if it is small. */
export function dollars(sum: number): string {
  return `$${sum.toFixed(sum > 0 && sum < 0.1 ? 4 : 2)}`;
}

/** The age in its largest unit, such as "3 h ago". */
export function ageOf(moment: Date, now: number = Date.now()): string {
  const ms = Math.max(0, now - moment.getTime());
  const [unit, size] = UNITS.find(([, each]) => ms >= each) ?? ["s", 1000];
  return `${Math.floor(ms / size)} ${unit} ago`;
}

const UNITS: readonly (readonly [string, number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
];

/** Such as "1 run" or "3 runs". */
export function countOf(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
