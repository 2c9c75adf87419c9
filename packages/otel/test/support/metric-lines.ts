import type { MetricPoint } from "./metric-points.js";

/** The metrics as sorted lines. Sums of times are masked, so that the text is the same in every run. */
export function metricLines(points: readonly MetricPoint[]): string {
  const pools = new Map<unknown, number>();
  const lines = points.map(({ name, unit, attributes, value, count, sum }) => {
    const labels = Object.entries(attributes)
      .map(([key, label]) => {
        if (key !== "hawser.pool") return `${key}=${JSON.stringify(label)}`;
        if (!pools.has(label)) pools.set(label, pools.size + 1);
        return `${key}=pool-${pools.get(label)}`;
      })
      .sort();
    const amount =
      count === undefined ? `${value}` : `count ${count}, sum ${unit === "s" ? "…" : sum}`;
    return `${name} {${labels.join(", ")}} ${amount}\n`;
  });
  return lines.sort().join("");
}
