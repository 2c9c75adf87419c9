// Measures the cost of a call for the calling program, with hawser and with the official SDK: the CPU time
// for each streamed event, and the time from the result line on the pipe until the caller has the result.
// The CLI is a program that only prints, so that nothing else is measured.
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
    // The pace of a real model. Most of the time is the system's own work for each read.
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
    // So that no other work is left when the result arrives.
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

/** The cost of one call in a fresh process. */
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
