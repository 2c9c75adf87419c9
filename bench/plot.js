// Draws the distribution of measurements as an SVG: a row for each series, a dot for each value, its
// median and its 90th percentile, on a logarithmic scale.

const WIDTH = 860;
const ROW = 48;
const TOP = 66;
const LEFT = 226;
const RIGHT = 150;
const BOTTOM = 74;
const JITTER = 13;

const LIGHT = { paper: "#ffffff", ink: "#1f2328", soft: "#59636e", grid: "#d9dee3" };
const DARK = { paper: "#0d1117", ink: "#f0f6fc", soft: "#9ba6b2", grid: "#30363d" };
const LIGHT_TONES = { ours: "#0b62d6", theirs: "#c2560c", limit: "#6b7280" };
const DARK_TONES = { ours: "#58a6ff", theirs: "#f0883e", limit: "#a3acb8" };

/** Plain CSS rules without variables, because programs other than browsers draw the SVG, too. */
const STYLE = `
text { font: 13px system-ui, -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; }
.title { font-size: 16px; font-weight: 600; }
.soft { font-size: 12px; }
.value { font-weight: 600; }
circle { fill-opacity: 0.5; }
.median { stroke-width: 3; }
.p90 { stroke-width: 2; stroke-dasharray: 3 3; }
${colours(LIGHT, LIGHT_TONES)}
@media (prefers-color-scheme: dark) {
${colours(DARK, DARK_TONES)}
}
`;

/** The plot has its own background, because a page may be dark while the system is light. */
function colours({ paper, ink, soft, grid }, tones) {
  const rows = Object.entries({ key: soft, ...tones }).map(
    ([tone, colour]) => `.${tone} circle { fill: ${colour}; } .${tone} line { stroke: ${colour}; }`,
  );
  return `.paper { fill: ${paper}; } .grid { stroke: ${grid}; }
text { fill: ${ink}; } .soft { fill: ${soft}; }
${rows.join("\n")}`;
}

/** `rows`: `{ label, tone: "ours" | "theirs" | "limit", values, median, p90 }`, from top to bottom. */
export function plot({ title, subtitle, unit, rows }) {
  const height = TOP + rows.length * ROW + BOTTOM;
  const { x, ticks } = logScale(rows.flatMap(({ values }) => values));
  const floor = TOP + rows.length * ROW;
  const summary = rows.map(({ label, median }) => `${label}: median ${short(median)}`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title desc">
<title id="title">${escaped(title)}</title>
<desc id="desc">${escaped(`${subtitle} In ${unit}. ${summary.join("; ")}.`)}</desc>
<style>${STYLE}</style>
<rect class="paper" width="${WIDTH}" height="${height}" rx="8"/>
<text class="title" x="20" y="30">${escaped(title)}</text>
<text class="soft" x="20" y="50">${escaped(subtitle)}</text>
<text class="soft" x="${WIDTH - RIGHT + 24}" y="${TOP - 4}">median</text>
${ticks.map((tick) => axisTick(tick, x(tick), floor)).join("\n")}
${rows.map((row, index) => seriesOf(row, TOP + (index + 0.5) * ROW, x)).join("\n")}
<text class="soft" x="${(LEFT + WIDTH - RIGHT) / 2}" y="${floor + 38}" text-anchor="middle">${escaped(unit)}, logarithmic</text>
${legend(floor + 60)}
</svg>
`;
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

function legend(y) {
  return `<g class="key"><circle cx="${LEFT + 4}" cy="${y - 4}" r="3"/><text class="soft" x="${LEFT + 14}" y="${y}">one call</text>
<line class="median" x1="${LEFT + 94}" x2="${LEFT + 94}" y1="${y - 12}" y2="${y + 4}"/><text class="soft" x="${LEFT + 104}" y="${y}">median</text>
<line class="p90" x1="${LEFT + 174}" x2="${LEFT + 174}" y1="${y - 12}" y2="${y + 4}"/><text class="soft" x="${LEFT + 184}" y="${y}">90th percentile</text></g>`;
}

/** The ticks from the last one below all values to the first one above them. */
function logScale(values) {
  const steps = [1, 2, 5];
  const all = [-1, 0, 1, 2, 3, 4, 5].flatMap((power) => steps.map((step) => step * 10 ** power));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const first = all.findLastIndex((tick) => tick <= low);
  const last = all.findIndex((tick) => tick >= high);
  const ticks = all.slice(Math.max(first, 0), last + 1);
  const [from, to] = [Math.log(ticks[0]), Math.log(ticks[ticks.length - 1])];
  const width = WIDTH - LEFT - RIGHT;
  return { ticks, x: (value) => round(LEFT + (width * (Math.log(value) - from)) / (to - from)) };
}

/** Moves dots up and down in a fixed pattern, so that close values stay visible. */
function offset(index) {
  return ((index * 0.618_034) % 1) * 2 * JITTER - JITTER;
}

function short(value) {
  return value < 100 ? value.toFixed(1) : value.toFixed(0);
}

function round(value) {
  return Math.round(value * 10) / 10;
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
