// The plots of docs, made from the results of a run.
import { linePlot } from "./line-plot.js";
import { plot } from "./plot.js";

/** By the name of the file. */
export const PLOTS = {
  "docs/benchmarks.svg": ({ calls }) =>
    plot({
      title: "One lean call, from the call to its value",
      subtitle: `${calls.rounds} interleaved rounds, the same executable, a simulated model that answers at once.`,
      unit: "milliseconds",
      dot: "one call",
      rows: Object.values(calls.ways),
    }),

  "docs/benchmarks-events.svg": ({ events }) =>
    plot({
      title: "Processor time of the host for one streamed event",
      subtitle:
        "A program that only prints takes the place of the CLI. Each round is a new process.",
      unit: "microseconds",
      dot: "one round",
      rows: events,
    }),

  "docs/benchmarks-ending.svg": ({ ending }) =>
    plot({
      title: "Processor time of the host for the end of one CLI",
      subtitle:
        "Beside other processes on the machine. The sessions are closed one after the other.",
      unit: "milliseconds",
      dot: "one end",
      rows: ending,
    }),

  "docs/benchmarks-callers.svg": ({ growth }) =>
    linePlot({
      title: "Calls a second of one pool, by the number of callers",
      subtitle: "Medians and 95 % intervals. Each caller waits for an answer before its next call.",
      sizes: "callers at once",
      unit: "Calls a second",
      series: [
        { label: "instant CLI", tone: "ours", points: pointsOf(growth.instant, "rate") },
        { label: "real CLI", tone: "limit", points: pointsOf(growth.real, "rate") },
      ],
    }),
};

function pointsOf({ byCallers }, measure) {
  return Object.entries(byCallers).map(([callers, row]) => ({
    size: Number(callers),
    ...row[measure],
  }));
}
