// Generates docs/benchmarks.md and its plot from the results of a run. Measures nothing.
import { plot } from "./plot.js";
import { behind } from "./quotes.js";

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

This page compares Hawser with the official SDK: the time of one call, the rate of many calls, and the cost of smaller steps. The model is simulated and answers at once, so the times are overhead: add the time of the real model. All figures are from one run on one machine. On another machine, only the ratios are meaningful.

${facts.map(([name, value]) => `- ${name}: ${value}`).join("\n")}

## One call

![The distribution of the time of one lean call, for each way to make it](benchmarks.svg)

${latencyTable(latency)}

${competitors(latency)}

The time is from the call to its value. The start of a spare, the reset of a process and the warm-up of \`startup()\` are not in the time, because they happen before the call. A call that comes before they are done waits for them, or for a cold start.

How it is measured:

- Every row of the table makes the same call: one answer, no tools, no settings files, no session on disk. The bench compares the requests that reach the model. Only ids, a number in the system prompt and [the traces of a reset](#what-a-recycled-conversation-carries) may differ.
- There are ${latency.rounds} rounds, after some that are not counted. Each round has another order.
- Each row has its own Node process, simulated model, home and folder.
- Before each call, the bench waits until no process is being started, reset or ended, and the machine is idle${restlessness(latency)}

## Many calls

${throughputTable(throughput, latency)}

The figures are calls a second, as medians of ${throughput.runs} runs. Each caller waits for an answer before it makes the next call. Resets are in the time, because a process must be reset before it serves the next call. The pool answers ${throughput.calls} calls. The official SDK answers ${throughput.officialCalls}, which is enough for a rate. "From an empty pool" includes the start of the pool's processes, so this rate depends on the number of calls. The official SDK starts a process for each call, and the machine's cores limit how many processes can start at once.

## Where the official SDK is ahead

${behind(figures)
  .map((row) => `- ${row}`)
  .join("\n")}

## Targets

A target is a limit for the ratio of Hawser's figure to another figure of the same run.

${figureTable(figures)}

${verdict(figures)}

What the figures are:

- **one call, calls a second:** the figures of the tables above.
- **MB/s:** the rate at which the CLI's lines are read. It is compared with \`node:readline\`, and with a loop of \`JSON.parse\` over lines that are strings already. A reader of bytes cannot reach the rate of that loop.
- **import of the root:** the import of the package's root in a new process.
- **CPU for a streamed event, result line to the caller:** a program that only prints takes the place of the CLI, so that only the libraries are measured.
- **first answer of the real CLI:** one call in a new Node process, so the code has not run before. Another program than that of the table above measures it. Compare it only with the official SDK's figure in the same row.

## What is not measured

- **A real network and a real model.** A real answer takes a second or more. Hawser saves time only before the answer, so the ratios of whole calls are smaller.
- **Calls with tools, settings, servers or hooks.** Their processes are never recycled. Spares serve these calls, too.
- **The memory of waiting processes.** Observed: about ${observed.spareMb} MB for a spare, and up to about ${observed.resetMb} MB for a process that has been reset a thousand times. \`maxRssMb\` and \`maxJobs\` limit it.
- **Other machines.** The processor limits the start of the CLI. With more cores than two, the official SDK gains more from several callers at once.

## What a recycled conversation carries

A pool resets a process with the CLI's own \`/clear\`. Nothing of the earlier conversation is left. However, the first message of the next conversation begins with about 400 characters of tags, which say that the command was run: \`<local-command-caveat>\`, \`<command-name>/clear</command-name>\` and an empty \`<local-command-stdout>\`. The model sees them, and you pay for them.

A pool with \`isolation: "process"\` never recycles a process. Each call has its own process, which was started in advance, and sends the same request as a cold call.

## Run it yourself

\`npm run bench\` measures, and writes \`bench/results.json\`, this page and its plot. \`npm run figures\` writes the page from the file without measuring.
`;

function latencyTable({ calls }) {
  const rows = Object.values(calls).map(({ label, median, p90 }) => [
    label,
    median.toFixed(1),
    p90.toFixed(1),
    (median / calls.query.median).toFixed(2),
  ]);
  return table(["", "median, ms", "p90, ms", `ratio to ${calls.query.label}`], rows);
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
  return `, for at most ten seconds. Before ${restless} of the ${all} calls of this run, the machine was not idle in that time.`;
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
    (row) =>
      `- ${row.figure.replace(/, \S+$/, "")}: ratio ${row.ratio.toFixed(2)} to ${row.against}, target ${targetOf(row)}`,
  );
  return [
    `Of ${figures.length} targets, ${missed.length} were missed in this run:`,
    "",
    ...names,
  ].join("\n");
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, index) => (index === 0 ? "---" : "--:"));
  return [head, rule, ...rows].map(line).join("\n");
}
