// The values that a page may quote from bench/results.json, by name.

/**
 * The text of a quote:
 *
 * - `call.recycled`: the median of one call in milliseconds, by the names in `calls.ways`;
 * - `import.hawser`, `import.other`, `import.ratio`, `import.target`: a row of `figures`, by its id;
 * - `growth.real.64.rate`: the calls a second of 64 callers on the real CLI; also `p50`, `p99`, `cpuMs`,
 *   and on the `instant` CLI;
 * - `observed.spareMb`: a value that was observed once, and that the bench does not measure;
 * - `behind`: the rows in which the official SDK is better, with both values.
 */
export function quote(name, { calls, growth, figures, observed }) {
  if (name === "behind") return behind(figures).join("; ");
  const [id, field] = name.split(".");
  if (id === "call") return number(calls.ways[field]?.median, name);
  if (id === "growth") return growthQuote(name, growth);
  if (id === "observed") return number(observed[field], name);
  const row = figures.find((it) => it.id === id);
  if (field === "ratio") return row?.ratio.toFixed(2) ?? unknown(name);
  if (field === "target") return String(row?.atMost ?? row?.atLeast ?? unknown(name));
  return number(["hawser", "other"].includes(field) ? row?.[field] : undefined, name);
}

function growthQuote(name, growth) {
  const [, cli, callers, measure] = name.split(".");
  return number(growth[cli]?.byCallers[callers]?.[measure]?.median, name);
}

/** The rows in which the official SDK is better, each as one line with both values. */
export function behind(figures) {
  const rows = figures.filter(
    ({ against, ratio, atMost }) =>
      against?.startsWith("official") && (atMost === undefined ? ratio < 1 : ratio > 1),
  );
  return rows.length === 0 ? ["none"] : rows.map(sentenceOf);
}

/** `figure` ends with the unit. */
function sentenceOf({ id, figure, hawser, against, other }) {
  const [, what, unit] = /^(.*), (\S+)$/.exec(figure) ?? [];
  const rival = against.replace(/\S+\(\)/, "`$&`");
  return `${WORDS[id] ?? what}: ${number(hawser)} ${unit} (${rival}: ${number(other)} ${unit})`;
}

/** What a figure measures, for a reader who has not read docs/benchmarks.md. */
const WORDS = {
  "generic-to-startup":
    "the first call of a pool's process that was started in advance without the call's options",
  "warmed-to-startup":
    "the first call of a pool's process that was started in advance with the call's options",
  "event-cpu-slow": "processor time of one streamed event, at one event per millisecond",
  "result-line": "the time from the CLI's result message to the caller",
  "first-answer":
    "the first call of a new Node process, with a new process of the CLI, without the import of the library",
};

/** Two digits below a hundred, so that a page shows no more than can be measured again. */
function number(value, name = "") {
  if (value === undefined) return unknown(name);
  return value.toFixed(value < 1 ? 2 : value < 10 ? 1 : 0);
}

function unknown(name) {
  throw new Error(`bench/results.json has nothing that is called "${name}".`);
}
