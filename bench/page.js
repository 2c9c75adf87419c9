// Generates docs/benchmarks.md and its plot from the results of a run. Measures nothing.
import { plot } from "./plot.js";

/** The text of docs/benchmarks.svg. */
export function plotOf({ latency }) {
  return plot({
    title: "One lean call, from the call to its value",
    subtitle: `${latency.rounds} interleaved rounds, the same executable, a simulated model that answers at once.`,
    unit: "milliseconds",
    rows: Object.values(latency.calls),
  });
}

/** The text of docs/benchmarks.md. */
export const pageOf = ({ facts, latency, throughput, figures, observed }) => `# Benchmarks

This page and its plot are written by \`npm run bench\`, from the file \`bench/results.json\`. All numbers are of one run on one machine; only ratios mean something elsewhere.

${facts.map(([name, value]) => `- ${name}: ${value}`).join("\n")}

## One call

![The distribution of the time of one lean call, for each competitor](benchmarks.svg)

${latencyTable(latency)}

Every competitor asks for the same: one answer, no tools, no settings files, no session on disk. The bench checks this at the model: what it is asked has to be the same for all, but for ids, a number in the system prompt, and what a reset leaves behind (see below). The time is from the call to its value, ${latency.rounds} rounds after some that are not counted, each in another order. Each competitor runs in a Node process of its own, with a model, a home and a folder of its own. Before each call the bench waits until nothing is started, reset or ended any more and the machine is idle${restlessness(latency)}

${competitors(latency)}

Not timed are the start of a spare, the reset of a process and the warm-up of \`startup()\`: they happen before the call comes. A caller who comes before they are done waits for them, or for a cold start.

## Many calls

${throughputTable(throughput, latency)}

Calls a second, medians of ${throughput.runs} runs. Each caller waits for an answer before asking again. Here resets are in the time: a process has to be reset before it serves the next call. The pool answers ${throughput.calls} calls, the official SDK ${throughput.officialCalls}, which is enough for a rate. "From an empty pool" includes the start of its processes, and so depends on the number of calls.

## What was aimed at

${figureTable(figures)}

${verdict(figures)}

The first rows are those above. "MB/s" is the reading of the CLI's lines, against a loop of \`JSON.parse\` over lines that are strings already (which no reader of bytes can reach) and against \`node:readline\`. "import" is the import of the package's root in a fresh process. "CPU for a streamed event" and "result line to the caller" are measured with a program in the CLI's place that only prints, so that nothing but the libraries is seen. "First answer of the real CLI" is one call in a fresh Node process, that is, with code that has not run before.

## What is not measured

- A real network and a real model. The simulated one answers at once, from the same machine. A real answer takes a second or many; what is saved here is saved in front of it, and the ratios of whole calls are smaller.
- Calls with tools, settings, servers or hooks. They are never recycled; spares serve them, too.
- The memory of the processes that wait: about ${observed.spareMb} MB for a spare, up to some ${observed.resetMb} MB for one that has been reset a thousand times. \`maxRssMb\` and \`maxJobs\` limit it.
- Other machines. The start of the CLI is bound by the processor: with more cores the official SDK gains more from callers at once than with two.

## What a recycled conversation carries

The reset is the CLI's own \`/clear\`. Nothing of the earlier conversation is left, but the first message of the next one begins with some 400 characters of tags that say that the command was run: \`<local-command-caveat>\`, \`<command-name>/clear</command-name>\` and an empty \`<local-command-stdout>\`. The model sees them, and they are paid for. A pool with \`isolation: "process"\` never recycles: each call has a process of its own, started ahead, and the request is that of a cold call.
`;

function latencyTable({ calls }) {
  const rows = Object.values(calls).map(({ label, median, p90 }) => [
    label,
    median.toFixed(1),
    p90.toFixed(1),
    (median / calls.query.median).toFixed(2),
  ]);
  return table(["", "median, ms", "p90, ms", `of ${calls.query.label}`], rows);
}

function competitors({ calls }) {
  const bullets = Object.values(calls).map(
    ({ label, about }) => `- **${label.replace(/^hawser |, by hand$/g, "")}**: ${about}`,
  );
  return bullets.join("\n");
}

function restlessness({ calls, restless }) {
  const all = Object.values(calls).flatMap(({ values }) => values).length;
  if (restless === 0) return ".";
  return `; before ${restless} of the ${all} calls of this run it was not, for ten seconds.`;
}

function throughputTable({ rates }, { calls }) {
  const rows = rates.map(({ callers, official, warm, ratio, empty }) => [
    callers,
    official.toFixed(1),
    warm.toFixed(1),
    ratio.toFixed(1),
    empty.toFixed(1),
  ]);
  const ours = "hawser pool, recycled";
  return table(["callers", calls.query.label, ours, "ratio", "from an empty pool"], rows);
}

function figureTable(figures) {
  return table(
    ["figure", "hawser", "against", "ratio", "target", "met"],
    figures.map((row) => [
      row.figure,
      shown(row, row.hawser),
      `${row.against} ${shown(row, row.other)}`,
      row.ratio.toFixed(2),
      targetOf(row),
      row.met ? "yes" : "**no**",
    ]),
  );
}

/** Byte rates are whole numbers; times have one decimal. */
function shown({ figure }, value) {
  return value.toFixed(figure.endsWith("MB/s") ? 0 : 1);
}

function targetOf({ atMost, atLeast }) {
  return atMost === undefined ? `≥ ${atLeast}` : `≤ ${atMost}`;
}

function verdict(figures) {
  const missed = figures.filter(({ met }) => !met);
  if (missed.length === 0) return `All ${figures.length} targets were met in this run.`;
  const names = missed.map(
    (row) => `"${row.figure}" against ${row.against} ${shown(row, row.other)}`,
  );
  return `Of ${figures.length} targets ${missed.length} were missed in this run: ${names.join("; ")}.`;
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, index) => (index === 0 ? "---" : "--:"));
  return [head, rule, ...rows].map(line).join("\n");
}
