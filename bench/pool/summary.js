import { median } from "../figures.js";

export function summaryOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: median(values), p90: sorted[Math.ceil(0.9 * sorted.length) - 1] };
}
