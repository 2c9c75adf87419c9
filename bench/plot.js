// Draws the distribution of measurements as an SVG: a row for each series, a dot for each value, its
// median and its 90th percentile, on a logarithmic scale.
import { escaped, frame, logScale, round, short, TOP, WIDTH } from "./plot-frame.js";

const ROW = 48;
const LEFT = 226;
const RIGHT = 150;
const BOTTOM = 74;
const JITTER = 13;

/**
 * `rows`: `{ label, tone: "ours" | "theirs" | "limit", values, median, p90 }`, from top to bottom. `dot`
 * says what one value is.
 */
export function plot({ title, subtitle, unit, dot, rows }) {
  const floor = TOP + rows.length * ROW;
  const values = rows.flatMap((row) => row.values);
  const { at, ticks } = logScale(values, [LEFT, WIDTH - RIGHT]);
  const medians = rows.map(({ label, median }) => `${label}: median ${short(median)}`);
  const summary = `In ${unit}. ${medians.join("; ")}.`;
  return frame({ title, subtitle, summary, height: floor + BOTTOM }, [
    `<text class="soft" x="${WIDTH - RIGHT + 24}" y="${TOP - 4}">median</text>`,
    ...ticks.map((tick) => axisTick(tick, at(tick), floor)),
    ...rows.map((row, index) => seriesOf(row, TOP + (index + 0.5) * ROW, at)),
    `<text class="soft" x="${(LEFT + WIDTH - RIGHT) / 2}" y="${floor + 38}" text-anchor="middle">${escaped(unit)}, logarithmic</text>`,
    legend(dot, floor + 60),
  ]);
}

function axisTick(value, x, floor) {
  return `<line class="grid" x1="${x}" x2="${x}" y1="${TOP}" y2="${floor}"/><text class="soft" x="${x}" y="${floor + 18}" text-anchor="middle">${value}</text>`;
}

function seriesOf({ label, tone, values, median, p90 }, y, x) {
  const dots = values.map(
    (value, index) => `<circle cx="${x(value)}" cy="${round(y + offset(index))}" r="3"/>`,
  );
  return `<g class="${tone}">
<text x="20" y="${y + 4}">${escaped(label)}</text>
${dots.join("")}
${mark("median", x(median), y)}${mark("p90", x(p90), y)}
<text class="value" x="${WIDTH - RIGHT + 24}" y="${y - 3}">${short(median)}</text>
<text class="soft" x="${WIDTH - RIGHT + 24}" y="${y + 13}">p90 ${short(p90)}</text>
</g>`;
}

function mark(kind, x, y) {
  return `<line class="${kind}" x1="${x}" x2="${x}" y1="${y - 18}" y2="${y + 18}"/>`;
}

function legend(dot, y) {
  return `<g class="key"><circle cx="${LEFT + 4}" cy="${y - 4}" r="3"/><text class="soft" x="${LEFT + 14}" y="${y}">${escaped(dot)}</text>
<line class="median" x1="${LEFT + 104}" x2="${LEFT + 104}" y1="${y - 12}" y2="${y + 4}"/><text class="soft" x="${LEFT + 114}" y="${y}">median</text>
<line class="p90" x1="${LEFT + 184}" x2="${LEFT + 184}" y1="${y - 12}" y2="${y + 4}"/><text class="soft" x="${LEFT + 194}" y="${y}">90th percentile</text></g>`;
}

/** Moves dots up and down in a fixed pattern, so that close values stay visible. */
function offset(index) {
  return ((index * 0.618_034) % 1) * 2 * JITTER - JITTER;
}
