// Generates docs/benchmarks.md from the results of a run. Measures nothing.
import { targetOf } from "./figures.js";
import { behind } from "./quotes.js";
import {
  addedTable,
  callTable,
  figureTable,
  growthTable,
  intervalIn,
  rateTable,
} from "./tables.js";

/** The text of docs/benchmarks.md. */
export const pageOf = ({ facts, calls, rates, added, growth, figures, observed }) => `# Benchmarks

This page compares Hawser with the official SDK: the time of one call, the rate of many calls, and the cost of smaller steps. The model is simulated and answers at once, so the times are overhead: add the time of the real model. All figures are from one run on one machine, except those that the list names as measured later. On another machine, only the ratios are meaningful. What the figures mean for your program: [performance.md](performance.md).

${listed(facts.map(([name, value]) => `${name}: ${value}`))}

## One call

![The distribution of the time of one lean call, for each way to make it](benchmarks.svg)

${callTable(calls)}

${competitors(calls)}

The time is from the call to its value. The start of a spare, the reset of a process and the warm-up of \`startup()\` are not in the time, because they happen before the call. A call that comes before they are done waits for them, or for a cold start.

How it is measured:

- Every row of the table makes the same call: one answer, no tools, no settings files, no session on disk. The bench compares the requests that reach the model. Only ids, a number in the system prompt and [the traces of a reset](#what-a-recycled-conversation-carries) may differ.
- There are ${calls.rounds} rounds, after some that are not counted. Each round has another order.
- Each row has its own Node process, simulated model, home and folder.
- Before each call, the bench waits until no process is being started, reset or ended, and the machine is idle${restlessness(calls)}

## What the library adds to a call

${addedTable(added)}

Most of the time of a call is the CLI's own, and varies by more than any library adds. This table shows the library's part alone. A program that answers at once takes the place of the CLI and notes two moments: when it has read the prompt, and when it writes its result. "Before the prompt" is from the call to the first moment, "after the result" is from the second moment until the caller has the value. What the raw limit needs for the same on a process in the same state is subtracted. The figures are differences of medians of ${added.rounds} rounds, with a pause before each call, so the code is as cold as in a program that makes a call now and then.

## Many calls

${rateTable(rates)}

The figures are calls a second, as medians of ${rates.rounds} rounds. Each caller waits for an answer before it makes the next call. Resets are in the time, because a process must be reset before it serves the next call. The pool has as many processes as callers, and answers ${rates.calls} calls. The official SDK answers ${rates.officialCalls}, which is enough for a rate. "From an empty pool" includes the start of the pool's processes, so this rate depends on the number of calls. The official SDK starts a process for each call, and the machine's cores limit how many processes can start at once.

## As work grows

![Calls a second of one pool with 1 to 64 callers, on the instant CLI and on the real CLI](benchmarks-callers.svg)

On the instant CLI, a program that answers at once takes the place of the CLI, so that only Hawser's work and the system's are seen:

${growthTable(growth.instant)}

On the real CLI, with the number of processes that a pool chooses by itself:

${growthTable(growth.real)}

The figures are medians of ${growth.rounds} rounds, with the 95 % interval in brackets. A round makes at least ${growth.instant.calls} calls on the instant CLI and ${growth.real.calls} on the real CLI. p50 and p99 are from the call to its value, with the time in the queue. "Host CPU" is the processor time of the calling program for one call; the CLI's own is not in it.

![The processor time of the host for the end of one CLI, beside 100 and beside 1,000 other processes](benchmarks-ending.svg)

To end a CLI with all the processes that it started, Hawser looks for these processes among all processes of the machine. The plot shows what this costs the calling program if the machine has many.

The memory of 10,000 waiting callers and of open sessions are rows of the [table of targets](#targets).

## Streamed events

![The processor time of the host for one streamed event, of Hawser and of the official SDK](benchmarks-events.svg)

All events are alike here, and most come in large blocks. An event that comes alone, as in the last two rows, costs far more, because the system works for each read.

## Where the official SDK is ahead

${listed(behind(figures))}

## Targets

A target is a limit for the ratio of Hawser's figure to another figure of the same run, or for the figure itself where there is no other. The 95 % interval is about the same number as the target, by a bootstrap over the rounds. A target is missed only if the whole interval misses it, and met only if the whole interval meets it. Otherwise, or with fewer than six rounds, this run does not decide.

${figureTable(figures)}

${verdicts(figures)}

What the figures are:

- **one call, calls a second, added:** the figures of the tables above. A recycled process and the raw limit differ by less than calls vary, so this pair is compared in four times as many rounds of its own.
- **CPU of the host for a pooled call:** a figure of the table of the instant CLI above.
- **4 or 50 earlier messages:** a call with the option \`history\` on a recycled process. It is compared with a call without earlier messages, and with a call in a new process that resumes a transcript with the same messages.
- **MB/s:** the rate at which the CLI's lines are read. Small lines are compared with \`node:readline\`, and with a loop of \`JSON.parse\` over lines that are strings already; a reader of bytes cannot reach the rate of that loop. A single huge line is compared with \`node:readline\`, and with \`JSON.parse(Buffer.concat(chunks).toString())\`.
- **import of the root:** the import of the package's root in a new process.
- **CPU for a streamed event, result line to the caller:** a program that only prints takes the place of the CLI, so that only the libraries are measured.
- **first answer of the real CLI:** one call in a new Node process, so the code has not run before. Another program than that of the first table measures it. Compare it only with the official SDK's figure in the same row.
- **CPU for the end of a CLI, longest stall:** \`session.close()\` of idle sessions, one after the other or many at once. The stall is the longest time for which the event loop of the calling program did nothing else.
- **memory of a waiting caller, of an open session:** in the calling program. The processes of the CLI are not in it.${gatewayNote(figures)}${aiSdkNote(figures)}${councilNote(figures)}

## What is not measured

- **A real network and a real model.** A real answer takes a second or more. Hawser saves time only before the answer, so the ratios of whole calls are smaller.
- **Calls with tools, settings, servers or hooks.** Their processes are never recycled, except with \`clientTools\`. Spares serve these calls, too.
- **The memory of waiting processes.** Observed: about ${observed.spareMb} MB for a spare, and up to about ${observed.resetMb} MB for a process that has been reset a thousand times. \`maxRssMb\` and \`maxJobs\` limit it.
- **Other machines.** The processor limits the start of the CLI. With more cores than two, the official SDK gains more from several callers at once.

## What a recycled conversation carries

A pool resets a process with the CLI's own \`/clear\`. Nothing of the earlier conversation is left. However, the first message of the next conversation begins with about 400 characters of tags, which say that the command was run: \`<local-command-caveat>\`, \`<command-name>/clear</command-name>\` and an empty \`<local-command-stdout>\`. The model sees them, and you pay for them.

A pool with \`isolation: "process"\` never recycles a process. Each call has its own process, which was started in advance, and sends the same request as a cold call.

## Run it yourself

\`npm run bench\` measures, and writes \`bench/results.json\`, this page and its plots. Its exit code is 1 if a target is missed. \`node bench/run.js import framing\` measures only some groups and prints their figures. \`npm run figures\` writes the pages from the file without measuring.
`;

/** The rows of the gateway are there after the first run that measures them. */
function gatewayNote(figures) {
  if (!figures.some(({ id }) => id.startsWith("gateway-"))) return "";
  return `
- **through the gateway:** requests of the Messages API to \`hawser serve\`, from a client in another process that keeps its connections. Beside it, a short \`node:http\` handler answers the same requests with the official SDK, in the same format, and checks nothing. With \`query()\`, it starts a process for each request. With \`startup()\`, a process was started in advance for each request.
- **added by the gateway:** the difference to \`pool.stream()\` in the program of the gateway, with the same options. HTTP and the client are in it. A program that answers at once takes the place of the CLI.`;
}

/** The rows of the AI SDK are there after the first run that measures them. */
function aiSdkNote(figures) {
  if (!figures.some(({ id }) => id.startsWith("ai-sdk-"))) return "";
  return `
- **streamText() of the AI SDK:** one call with a model of @hawser/ai-sdk and a pool of one process. Beside it, the same call with a model of ai-sdk-provider-claude-code, which starts a process for each call.`;
}

/** The row of the council is there after the first run that measures it. */
function councilNote(figures) {
  if (!figures.some(({ id }) => id === "council")) return "";
  return `
- **council of three:** the time of a council of the three default reviewers, beside that of a council of one of them. Both run over one pool of three processes, on the real CLI with a simulated model that takes two seconds for a vote.`;
}

function competitors({ ways }) {
  return listed(
    Object.values(ways).map(
      ({ label, about }) => `**${label.replace(/^hawser |, by hand$/g, "")}**: ${about}`,
    ),
  );
}

function restlessness({ ways, restless }) {
  const all = Object.values(ways).flatMap(({ values }) => values).length;
  if (restless === 0) return ".";
  return `, for at most three seconds. Before ${restless} of the ${all} calls of this run, the machine was not idle in that time.`;
}

function verdicts(figures) {
  const withVerdict = (verdict) => figures.filter((row) => row.verdict === verdict);
  const [met, missed, open] = ["met", "missed", "not_decided"].map(withVerdict);
  const count = met.length + missed.length + open.length;
  const sentence = `Of ${count} targets, ${met.length} were met in this run, ${missed.length} were missed, and ${open.length} were not decided.`;
  const lists = [
    missed.length === 0 ? "" : `Missed:\n\n${listed(missed.map(inWords))}`,
    open.length === 0 ? "" : `Not decided:\n\n${listed(open.map(inWords))}`,
  ];
  return [sentence, ...lists.filter((list) => list !== "")].join("\n\n");
}

function inWords(row) {
  const what = row.figure.replace(/, \S+$/, "");
  const value = row.ratio === undefined ? "" : `ratio to ${row.against} `;
  return `${what}: ${value}${intervalIn(row)}, target ${targetOf(row)}`;
}

function listed(items) {
  return items.map((item) => `- ${item}`).join("\n");
}
