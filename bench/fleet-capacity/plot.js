// The plot of docs/capacity.md.
import { linePlot } from "../line-plot.js";

/** A line ends at the last size that the fleet can carry. */
export function plotOf({ sizes }) {
  return linePlot({
    title: "From the submission of a run to its start, by the number of hosts",
    subtitle: "Simulated, 95th percentile. A line ends where work arrives faster than it begins.",
    sizes: "hosts with eight slots each, 70 % of them busy",
    unit: "Milliseconds",
    series: [
      { label: "with LISTEN", tone: "ours", points: pointsOf(sizes.listen) },
      { label: "without LISTEN", tone: "theirs", points: pointsOf(sizes.poll) },
    ],
  });
}

function pointsOf(rows) {
  return rows
    .filter(({ isOverloaded }) => !isOverloaded)
    .map(({ hosts, pickUpMs: [, p95] }) => ({ size: hosts, median: p95, interval: [p95, p95] }));
}
