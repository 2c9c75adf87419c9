// Measures a pool with 1 to 64 callers: on the instant CLI, where only Hawser's own work is seen, and on
// the real CLI, where the CLI's work limits the rate.
import { summaryOf, valueFigure } from "./figures.js";
import { openHost } from "./hosts/open-host.js";
import { ANSWER, instantPlace, realPlace } from "./hosts/places.js";
import { interleaved } from "./rounds.js";
import { quantile } from "./statistics.js";

const ROUNDS = 6;
const CALLERS = [1, 2, 4, 8, 16, 64];
const MOST_PROCESSES = 8;

/** `processes` is undefined where the pool decides. */
const CLIS = {
  instant: {
    openPlace: instantPlace,
    calls: 400,
    processesFor: (callers) => Math.min(callers, MOST_PROCESSES),
  },
  real: { openPlace: realPlace, calls: 80, processesFor: () => undefined },
};

const MEASURES = {
  rate: ({ calls, ms }) => (calls / ms) * 1000,
  p50: ({ times }) => quantile(times, 0.5),
  p99: ({ times }) => quantile(times, 0.99),
  cpuMs: ({ calls, cpuMs }) => cpuMs / calls,
};

export async function run(rounds = ROUNDS) {
  const growth = { rounds };
  const figures = [];
  for (const [cli, settings] of Object.entries(CLIS)) {
    const bursts = await measureBursts(settings, rounds);
    growth[cli] = { calls: settings.calls, byCallers: rowsOf(bursts) };
    if (cli === "instant") figures.push(figureFor(bursts[MOST_PROCESSES]));
  }
  return { growth, figures };
}

function figureFor(bursts) {
  return valueFigure({
    id: "pooled-call-cpu",
    figure: `CPU of the host for a pooled call on the instant CLI, ${MOST_PROCESSES} callers, ms`,
    columns: [bursts.map(MEASURES.cpuMs)],
    atMost: 0.8,
  });
}

/** Callers that need equally many processes share a pool. */
async function measureBursts({ openPlace, calls: fewest, processesFor }, rounds) {
  const hosts = new Map();
  const hostFor = async (callers) => {
    const processes = processesFor(callers);
    if (!hosts.has(processes)) {
      hosts.set(processes, await openHost("crowd", { processes }, openPlace));
    }
    return hosts.get(processes);
  };
  try {
    return await interleaved(CALLERS.map(String), { rounds }, async (name) => {
      const callers = Number(name);
      const host = await hostFor(callers);
      const calls = Math.max(fewest, 2 * callers);
      const burst = { calls, callers, prompt: "Where is it?", answer: ANSWER };
      const measured = await host.ask("burst", burst);
      await host.ask("after");
      return { calls, processes: await host.ask("processes"), ...measured };
    });
  } finally {
    await Promise.allSettled(Array.from(hosts.values(), (host) => host.close()));
  }
}

function rowsOf(bursts) {
  return mapped(bursts, (rounds) => ({
    processes: Math.max(...rounds.map(({ processes }) => processes)),
    ...mapped(MEASURES, (measure) => summaryOf(rounds.map(measure))),
  }));
}

function mapped(object, change) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}
