// Measures the cost of a call for the calling program, with hawser and with the official SDK: the CPU time
// for each streamed event, and the time from the result line on the pipe until the caller has the result.
import { ratioFigure, seriesOf } from "./figures.js";
import { instantPlace } from "./hosts/places.js";
import { callAlone, LIBRARIES } from "./one-call/call-alone.js";
import { interleaved } from "./rounds.js";

const EVENTS = 50_000;
const SLOW_EVENTS = 1_000;

const FIGURES = [
  {
    id: "event-cpu",
    figure: "CPU for a streamed event, µs",
    series: "all events",
    way: "messages",
    events: EVENTS,
    value: ({ cpuUs, events }) => cpuUs / expected(events, EVENTS + FRAME_EVENTS),
    atMost: 0.45,
  },
  {
    id: "event-cpu-text",
    figure: "CPU for a streamed event, text alone, µs",
    series: "text alone",
    way: "texts",
    events: EVENTS,
    value: ({ cpuUs, characters }) => cpuUs / expected(characters / PIECE_LENGTH, EVENTS),
    atMost: 0.35,
  },
  {
    // The pace of a real model. Most of the time is the system's own work for each read.
    id: "event-cpu-slow",
    figure: "CPU for a streamed event, one a millisecond, µs",
    series: "one a millisecond",
    way: "messages",
    events: SLOW_EVENTS,
    gapMs: 1,
    rounds: 25,
    value: ({ cpuUs, events }) => cpuUs / expected(events, SLOW_EVENTS + FRAME_EVENTS),
    atMost: 0.65,
    withHandWritten: true,
  },
  {
    id: "result-line",
    figure: "result line to the caller, ms",
    way: "result",
    events: 5,
    // So that no other work is left when the result arrives.
    gapMs: 10,
    rounds: 25,
    value: ({ lineMs }) => lineMs,
    atMost: 0.8,
  },
];
const ROUNDS = 15;

/** Around the pieces of one answer: its start and its end, those of its block, its last numbers. */
const FRAME_EVENTS = 5;
const PIECE_LENGTH = 34;

export async function run(rounds) {
  const figures = [];
  const events = [];
  for (const row of FIGURES) {
    const {
      series,
      way,
      value,
      events: count,
      gapMs,
      rounds: own,
      withHandWritten,
      ...figure
    } = row;
    const place = await instantPlace({ events: count, gapMs });
    try {
      const { hawser, official, handWritten } = await interleaved(
        withHandWritten ? [...LIBRARIES, "handWritten"] : LIBRARIES,
        { rounds: rounds ?? own ?? ROUNDS },
        async (library) => value(await callAlone(library, way, place)),
      );
      figures.push(ratioFigure({ ...figure, against: "official SDK", hawser, other: official }));
      if (handWritten !== undefined) {
        const { id, atMost: _, ...rest } = figure;
        const against = "lines read by hand";
        const other = { id: `${id}-by-hand`, against, hawser, other: handWritten, atMost: 1 };
        figures.push(ratioFigure({ ...rest, ...other }));
      }
      if (series === undefined) continue;
      events.push(seriesOf({ label: `hawser, ${series}`, tone: "ours" }, hawser));
      events.push(seriesOf({ label: `official, ${series}`, tone: "theirs" }, official));
    } finally {
      await place.close();
    }
  }
  return { events, figures };
}

function expected(count, wanted) {
  if (count !== wanted) throw new Error(`${count} instead of ${wanted}`);
  return count;
}
