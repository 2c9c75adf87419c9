// What a call costs the program that makes it, beside the official SDK: the processor's time for each
// event that is streamed, and the time from the result line on the pipe to the caller. The CLI is a
// program that only prints, so that nothing else is measured.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { isolatedEnv } from "hawser/testing";
import { pairs, runAlone } from "./figures.js";

const CLI = fileURLToPath(new URL("./overhead/cli.mjs", import.meta.url));
const CALL = fileURLToPath(new URL("./overhead/call.js", import.meta.url));
const EVENTS = 50_000;
const SLOW_EVENTS = 1_000;

const FIGURES = [
  {
    id: "event-cpu",
    figure: "CPU for a streamed event, µs",
    way: "messages",
    events: EVENTS,
    rounds: 15,
    value: ({ cpuUs, events }) => cpuUs / expected(events, EVENTS + FRAME_EVENTS),
    target: 0.5,
  },
  {
    id: "event-cpu-text",
    figure: "CPU for a streamed event, text alone, µs",
    way: "texts",
    events: EVENTS,
    rounds: 15,
    value: ({ cpuUs, characters }) => cpuUs / expected(characters / PIECE_LENGTH, EVENTS),
    target: 0.5,
  },
  {
    // As a real model streams; most of it is the system's own work for each read.
    id: "event-cpu-slow",
    figure: "CPU for a streamed event, one a millisecond, µs",
    way: "messages",
    events: SLOW_EVENTS,
    gapMs: 1,
    rounds: 15,
    value: ({ cpuUs, events }) => cpuUs / expected(events, SLOW_EVENTS + FRAME_EVENTS),
    target: 0.5,
  },
  {
    id: "result-line",
    figure: "result line to the caller, ms",
    way: "result",
    events: 5,
    // So that nothing else is left to do when the result comes.
    gapMs: 10,
    rounds: 25,
    value: ({ lineMs }) => lineMs,
    target: 1.05,
  },
];

/** Around the pieces of one answer: its start and its end, those of its block, its last numbers. */
const FRAME_EVENTS = 5;
const PIECE_LENGTH = 34;

export async function run() {
  const place = await isolatedEnv();
  try {
    const figures = [];
    for (const { way, events, gapMs, value, ...figure } of FIGURES) {
      const gap = gapMs === undefined ? {} : { BENCH_GAP_MS: String(gapMs) };
      const env = { ...place.env, BENCH_EVENTS: String(events), ...gap };
      const options = { cli: CLI, cwd: place.cwd, env };
      figures.push(await pairs(figure, async (name) => value(await call(name, way, options))));
    }
    return figures;
  } finally {
    await place.dispose();
  }
}

/** What one call in a fresh process cost. */
export async function call(library, way, options) {
  const { stdout } = await promisify(execFile)(process.execPath, [
    CALL,
    library,
    way,
    JSON.stringify(options),
  ]);
  return JSON.parse(stdout);
}

function expected(count, wanted) {
  if (count !== wanted) throw new Error(`${count} instead of ${wanted}`);
  return count;
}

await runAlone(fileURLToPath(import.meta.url), run);
