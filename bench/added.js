// Measures the time that a library adds to a call, where the CLI's own time cannot hide it: from the call
// until the CLI has read the prompt, and from the CLI's result line until the caller has the result. The
// instant CLI notes both moments. What the system needs to carry the bytes is in the raw loop too, and is
// subtracted.
import { rounded, valueFigure } from "./figures.js";
import { COMPETITORS } from "./hosts/competitors.js";
import { measureCalls } from "./hosts/measure-calls.js";
import { instantPlace } from "./hosts/places.js";
import { median } from "./statistics.js";

const ROUNDS = 30;
const WARM_UPS = 3;

/** Each way to call, with the raw loop on a process in the same state: new, or in use for long. */
const BASES = { startup: "rawSpare", warmed: "rawSpare", generic: "rawSpare", recycled: "raw" };

const PARTS = {
  before: { about: "before the prompt", of: ({ beforeMs }) => beforeMs },
  after: { about: "after the result", of: ({ afterMs }) => afterMs },
  sum: { about: "in all", of: ({ beforeMs, afterMs }) => beforeMs + afterMs },
};

const ROWS = [
  { way: "warmed", part: "sum", atMost: 1.5 },
  { way: "warmed", part: "before", atMost: 1 },
  { way: "warmed", part: "after", atMost: 0.5 },
  { way: "recycled", part: "before", atMost: 1 },
  { way: "recycled", part: "after", atMost: 0.5 },
  { way: "recycled", part: "sum" },
  { way: "generic", part: "sum" },
];

export async function run(rounds = ROUNDS) {
  const names = [...Object.keys(BASES), ...new Set(Object.values(BASES))];
  const { times } = await measureCalls(names, {
    rounds,
    warmUps: Math.min(WARM_UPS, rounds),
    openPlace: instantPlace,
  });
  const ways = Object.keys(BASES).map((way) => [
    way,
    {
      label: COMPETITORS[way].label,
      ...Object.fromEntries(
        Object.keys(PARTS).map((part) => [part, rounded(added(...columnsOf(times, way, part)))]),
      ),
    },
  ]);
  return {
    added: { rounds, ways: Object.fromEntries(ways) },
    figures: ROWS.map(({ way, part, ...target }) =>
      valueFigure({
        id: `added-${way}${part === "sum" ? "" : `-${part}`}`,
        figure: `added ${PARTS[part].about}, ${COMPETITORS[way].label.replace("hawser ", "")}, ms`,
        columns: columnsOf(times, way, part),
        statistic: added,
        ...target,
      }),
    ),
  };
}

function columnsOf(times, way, part) {
  return [way, BASES[way]].map((name) => times[name].map(PARTS[part].of));
}

function added(values, base) {
  return median(values) - median(base);
}
