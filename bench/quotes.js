// The figures of a run that a page may quote, by name.

/**
 * The text of a quote:
 *
 * - `call.recycled`: the median of one call in milliseconds, by the names in `latency.calls`;
 * - `import.hawser`, `import.other`, `import.ratio`, `import.target`: a row of `figures`, by its id;
 * - `observed.spareMb`: an observation that no bench measures;
 * - `behind`: the rows in which the official SDK is better, with both values.
 */
export function quote(name, { latency, figures, observed }) {
  if (name === "behind") return behind(figures);
  const [id, field] = name.split(".");
  if (id === "call") return number(latency.calls[field]?.median, name);
  if (id === "observed") return number(observed[field], name);
  const row = figures.find((it) => it.id === id);
  if (field === "ratio") return row?.ratio.toFixed(2) ?? unknown(name);
  if (field === "target") return String(row?.atMost ?? row?.atLeast ?? unknown(name));
  return number(["hawser", "other"].includes(field) ? row?.[field] : undefined, name);
}

function behind(figures) {
  const rows = figures.filter(
    ({ against, ratio, atMost }) =>
      against.startsWith("official") && (atMost === undefined ? ratio < 1 : ratio > 1),
  );
  if (rows.length === 0) return "none";
  return rows.map(sentenceOf).join("; ");
}

/** `figure` ends with the unit. */
function sentenceOf({ figure, hawser, against, other }) {
  const [, what, unit] = /^(.*), (\S+)$/.exec(figure) ?? [];
  return `${what}: ${number(hawser)} ${unit}, ${against} ${number(other)} ${unit}`;
}

/** No decimals from 10 on, so that a page shows only digits that can be measured again. */
function number(value, name) {
  if (value === undefined) return unknown(name);
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}

function unknown(name) {
  throw new Error(`bench/results.json has nothing that is called "${name}".`);
}
