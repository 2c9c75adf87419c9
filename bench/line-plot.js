// Draws figures that change with the size of the work as an SVG: a line for each series, and the 95 %
// interval of each point. Both axes are logarithmic, so that equal ratios are equally far apart.
import { escaped, frame, logAxis, logScale, short, TOP, WIDTH } from "./plot-frame.js";

const HEIGHT = 400;
const LEFT = 70;
const RIGHT = 150;
const FLOOR = HEIGHT - 64;

/**
 * `series`: `{ label, tone: "ours" | "theirs" | "limit", points }`, and `points` is a list of
 * `{ size, median, interval: [low, high] }`.
 */
export function linePlot({ title, subtitle, sizes, unit, series }) {
  const points = series.flatMap((it) => it.points);
  const counts = [...new Set(points.map(({ size }) => size))].sort((a, b) => a - b);
  const x = logAxis(counts[0], counts[counts.length - 1], [LEFT, WIDTH - RIGHT]);
  const heights = points.flatMap(({ median, interval }) => [median, ...interval]);
  const { at: y, ticks } = logScale(heights, [FLOOR, TOP + 10]);
  const summary = `${unit} by ${sizes}. ${series.map(inWords).join("; ")}.`;
  return frame({ title, subtitle, summary, height: HEIGHT }, [
    ...ticks.map((tick) => tickOfHeight(tick, y(tick))),
    ...counts.map((count) => tickOfSize(count, x(count))),
    ...series.map((it) => lineOf(it, x, y)),
    `<text class="soft" x="${(LEFT + WIDTH - RIGHT) / 2}" y="${FLOOR + 40}" text-anchor="middle">${escaped(sizes)}</text>`,
  ]);
}

function inWords({ label, points }) {
  return `${label}: ${points.map(({ size, median }) => `${short(median)} at ${size}`).join(", ")}`;
}

function tickOfHeight(value, y) {
  return `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y}" y2="${y}"/><text class="soft" x="${LEFT - 10}" y="${y + 4}" text-anchor="end">${value}</text>`;
}

function tickOfSize(value, x) {
  return `<text class="soft" x="${x}" y="${FLOOR + 20}" text-anchor="middle">${value}</text>`;
}

/** The label stands behind the last point. */
function lineOf({ label, tone, points }, x, y) {
  const at = points.map(({ size, median }) => `${x(size)},${y(median)}`);
  const marks = points.map(
    ({ size, median, interval: [low, high] }) =>
      `<line x1="${x(size)}" x2="${x(size)}" y1="${y(low)}" y2="${y(high)}"/><circle cx="${x(size)}" cy="${y(median)}" r="4"/>`,
  );
  const last = points[points.length - 1];
  return `<g class="${tone}">
<polyline points="${at.join(" ")}"/>
${marks.join("\n")}
<text x="${x(last.size) + 14}" y="${y(last.median) + 4}">${escaped(label)}</text>
</g>`;
}
