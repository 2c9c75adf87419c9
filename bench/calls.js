// Measures one lean call through a warm pool, through the official SDK, and at the limit of the CLI itself.
// All competitors run the same executable with a simulated model that answers at once. Each competitor has
// a process of its own.
import { ratioFigure, seriesOf } from "./figures.js";
import { COMPETITORS } from "./hosts/competitors.js";
import { measureCalls } from "./hosts/measure-calls.js";
import { realPlace } from "./hosts/places.js";
import { sameCall } from "./hosts/same-call.js";

const ROUNDS = 30;
const WARM_UPS = 3;
/** A recycled call and the raw limit differ by less than calls vary, so they also get four times as many rounds. */
const CLOSE_PAIR = ["recycled", "raw"];
const CLOSE_PAIR_FACTOR = 4;

const TARGETS = [
  { of: "recycled", to: "query", atMost: 1 / 10 },
  { of: "recycled", to: "startup", atMost: 1 / 2 },
  { of: "recycled", to: "raw", atMost: 1.05 },
  { of: "generic", to: "startup", atMost: 1.25 },
  { of: "warmed", to: "startup", atMost: 1.05 },
  { of: "cold", to: "query", atMost: 1.05 },
];

export async function run(rounds = ROUNDS) {
  const names = Object.keys(COMPETITORS);
  const isSame = sameCall();
  const how = { warmUps: Math.min(WARM_UPS, rounds), openPlace: realPlace };
  const { times, restless } = await measureCalls(names, {
    ...how,
    rounds,
    check: (name, requests, round) => isSame(COMPETITORS[name].label, requests, round),
  });
  const samples = samplesOf(times);
  const closePair = await measureCalls(CLOSE_PAIR, {
    ...how,
    rounds: CLOSE_PAIR_FACTOR * rounds,
  });
  const samplesOfClosePair = samplesOf(closePair.times);
  const ways = names.map((name) => {
    const { label, about, tone } = COMPETITORS[name];
    return [name, { about, ...seriesOf({ label, tone }, samples[name]) }];
  });
  return {
    calls: { rounds, restless, ways: Object.fromEntries(ways) },
    figures: TARGETS.map((target) => {
      const isClose = [target.of, target.to].every((name) => CLOSE_PAIR.includes(name));
      return figureFor(target, isClose ? samplesOfClosePair : samples);
    }),
  };
}

function samplesOf(times) {
  const entries = Object.entries(times);
  return Object.fromEntries(entries.map(([name, calls]) => [name, calls.map(({ ms }) => ms)]));
}

function figureFor({ of, to, atMost }, samples) {
  return ratioFigure({
    id: `${of}-to-${to}`,
    figure: `one call, ${COMPETITORS[of].label.replace("hawser ", "")}, ms`,
    against: COMPETITORS[to].label,
    hawser: samples[of],
    other: samples[to],
    atMost,
  });
}
