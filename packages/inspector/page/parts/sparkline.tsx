import type { JSX } from "preact";

/** Values over time as a small line. */
export function Sparkline({
  values,
  label,
}: {
  readonly values: readonly number[];
  readonly label: string;
}): JSX.Element {
  const [first = 0] = values;
  // One value is a line too.
  const shown = values.length < 2 ? [first, first] : values;
  const most = Math.max(1, ...shown);
  const step = 100 / (shown.length - 1);
  const points = shown.map((value, index) => `${index * step},${24 - (value / most) * 22}`);
  return (
    <svg
      class="sparkline"
      viewBox="0 0 100 25"
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <polyline points={points.join(" ")} />
    </svg>
  );
}
