// What all plots share: the size, the colours, the frame with its title, and scales.

export const WIDTH = 860;
export const TOP = 66;

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
polyline { fill: none; stroke-width: 2; }
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
    ([tone, colour]) =>
      `.${tone} circle { fill: ${colour}; } .${tone} line, .${tone} polyline { stroke: ${colour}; }`,
  );
  return `.paper { fill: ${paper}; } .grid { stroke: ${grid}; }
text { fill: ${ink}; } .soft { fill: ${soft}; }
${rows.join("\n")}`;
}

/** The whole SVG. `summary` says in words what the plot shows, for readers who cannot see it. */
export function frame({ title, subtitle, summary, height }, content) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title desc">
<title id="title">${escaped(title)}</title>
<desc id="desc">${escaped(`${subtitle} ${summary}`)}</desc>
<style>${STYLE}</style>
<rect class="paper" width="${WIDTH}" height="${height}" rx="8"/>
<text class="title" x="20" y="30">${escaped(title)}</text>
<text class="soft" x="20" y="50">${escaped(subtitle)}</text>
${content.join("\n")}
</svg>
`;
}

/** A logarithmic scale from the last tick below all values to the first one above them. */
export function logScale(values, [start, end]) {
  const powers = Array.from({ length: 9 }, (_, index) => index - 2);
  const all = powers.flatMap((power) => [1, 2, 5].map((step) => Number(`${step}e${power}`)));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const first = all.findLastIndex((tick) => tick <= low);
  const last = all.findIndex((tick) => tick >= high);
  const ticks = all.slice(Math.max(first, 0), last === -1 ? all.length : last + 1);
  return { ticks, at: logAxis(ticks[0], ticks[ticks.length - 1], [start, end]) };
}

/** The position of a value between `start` and `end`. */
export function logAxis(low, high, [start, end]) {
  const [from, to] = [Math.log(low), Math.log(high)];
  const share = (value) => (to === from ? 0.5 : (Math.log(value) - from) / (to - from));
  return (value) => round(start + (end - start) * share(value));
}

/** Three digits are as much as a plot can show. */
export function short(value) {
  return value < 100 ? value.toFixed(1) : value.toFixed(0);
}

export function round(value) {
  return Math.round(value * 10) / 10;
}

export function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
