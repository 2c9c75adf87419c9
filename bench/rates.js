// Measures how many calls a second a number of callers get: from a pool with as many processes, with its
// resets, and from the official SDK, which starts a process for each call.
import { ratioFigure, rounded } from "./figures.js";
import { atRest } from "./hosts/at-rest.js";
import { COMPETITORS } from "./hosts/competitors.js";
import { withHost } from "./hosts/open-host.js";
import { ANSWER, realPlace } from "./hosts/places.js";
import { interleaved } from "./rounds.js";
import { median } from "./statistics.js";

const ROUNDS = 6;
const CALLERS = [2, 4];
const CALLS = 100;
/** Fewer calls, because a call of the official SDK takes so much longer that the run would take minutes. */
const OFFICIAL_CALLS = 20;
const TARGET = 8;

export async function run(rounds = ROUNDS) {
  const byCallers = {};
  const figures = [];
  for (const callers of CALLERS) {
    const values = await interleaved(
      ["official", "pool"],
      // Nothing to warm up: every round starts its own processes.
      { rounds, warmUps: 0 },
      (name) => MEASURED[name](callers),
    );
    const { official } = values;
    const warm = values.pool.map((it) => it.warm);
    const empty = values.pool.map((it) => it.empty);
    figures.push(figureFor(callers, warm, official));
    byCallers[callers] = {
      official: rounded(median(official)),
      warm: rounded(median(warm)),
      ratio: rounded(median(warm) / median(official)),
      empty: rounded(median(empty)),
    };
  }
  return { rates: { rounds, calls: CALLS, officialCalls: OFFICIAL_CALLS, byCallers }, figures };
}

function figureFor(callers, hawser, other) {
  return ratioFigure({
    id: `rate-${callers}`,
    figure: `calls a second, ${callers} at once, recycled`,
    against: COMPETITORS.query.label,
    hawser,
    other,
    atLeast: TARGET,
  });
}

const MEASURED = {
  official: (callers) =>
    withHost("query", {}, realPlace, async (host) => {
      const value = await rate(host, OFFICIAL_CALLS, callers);
      await host.gone();
      return value;
    }),

  /** `empty`: from a pool without a process. `warm`: from the same pool afterwards. */
  pool: (callers) =>
    withHost("crowd", { processes: callers }, realPlace, async (host) => {
      const empty = await rate(host, CALLS, callers);
      await host.ask("after");
      return { empty, warm: await rate(host, CALLS, callers) };
    }),
};

async function rate(host, calls, callers) {
  await atRest();
  const { ms } = await host.ask("burst", {
    calls,
    callers,
    prompt: "Where is it?",
    answer: ANSWER,
  });
  const asked = host.requests().length;
  if (asked !== calls) throw new Error(`${asked} requests for ${calls} calls`);
  return (calls / ms) * 1000;
}
