// Measures one lean call through a warm pool, through the official SDK, and at the limit of the CLI itself:
// the same executable, a simulated model that answers at once, each competitor in a process of its own.
import { fileURLToPath } from "node:url";
import { figureOf, median, runAlone } from "./figures.js";
import { COMPETITORS } from "./pool/competitors.js";
import { measureLatency } from "./pool/latency.js";
import { measureThroughput } from "./pool/throughput.js";

const ROUNDS = 30;
const CALLERS = [2, 4];

const LATENCY_TARGETS = [
  { of: "recycled", to: "query", target: 1 / 10 },
  { of: "recycled", to: "startup", target: 1 / 2 },
  { of: "recycled", to: "raw", target: 1.15 },
  { of: "generic", to: "startup", target: 1.3 },
  { of: "warmed", to: "startup", target: 1.05 },
  { of: "cold", to: "query", target: 1.05 },
];
const THROUGHPUT_TARGET = 8;

/** All measurements, for the page. `figures` has those with a target. */
export async function measurePool(rounds = ROUNDS) {
  const latency = await measureLatency(Object.keys(COMPETITORS), rounds);
  const throughput = [];
  for (const callers of CALLERS) throughput.push(await measureThroughput(callers));
  const figures = [
    ...LATENCY_TARGETS.map((row) => latencyFigure(latency.samples, row)),
    ...throughput.map(throughputFigure),
  ];
  return { latency, throughput, figures };
}

function latencyFigure(samples, { of, to, target }) {
  const [ours, theirs] = [median(samples[of]), median(samples[to])];
  return figureOf({
    id: `${of}-to-${to}`,
    figure: `one call, ${COMPETITORS[of].label.replace("hawser ", "")}, ms`,
    against: COMPETITORS[to].label,
    hawser: ours,
    other: theirs,
    atMost: target,
  });
}

function throughputFigure({ callers, rates }) {
  const [ours, theirs] = [median(rates.warm), median(rates.official)];
  return figureOf({
    id: `rate-${callers}`,
    figure: `calls a second, ${callers} at once, recycled`,
    against: COMPETITORS.query.label,
    hawser: ours,
    other: theirs,
    atLeast: THROUGHPUT_TARGET,
  });
}

await runAlone(fileURLToPath(import.meta.url), async () => (await measurePool()).figures);
