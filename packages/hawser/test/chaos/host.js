// The program under test: runs its cells, so many at once, and tells what they came to. When it is
// done it looks for what is left, and has nothing that would keep it alive.

import { subscribe } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import { DIST } from "../../../../tools/dist.js";
import { holdings, leftSince } from "../soak/left.js";
import { runCell } from "./entries.js";
import { wholeLimitOf } from "./expectation.js";
import { planted } from "./plant.js";

const { processes } = await import(`${DIST}/index.js`);

const { cells, concurrency, plant, goneMs } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const faulty = planted(plant);
/** So many may be on their way to their step at once; the others are past it, and wait. */
const STARTING = 12;
/** One that says nothing of its step, since nobody hears it, is there by then. */
const SURELY_UP_MS = 3_000;
const problems = [];
const calls = new Set();

process.on("unhandledRejection", (/** @type {any} */ reason) => {
  problems.push(`unhandled rejection: ${reason?.stack ?? reason}`);
});
process.on("uncaughtException", (error) => {
  problems.push(`uncaught exception: ${error?.stack ?? error}`);
});
process.on("warning", (warning) => problems.push(`warning: ${warning.stack}`));
subscribe("hawser:call:start", (/** @type {any} */ { call }) => void calls.add(call));
subscribe("hawser:call:end", (/** @type {any} */ { call }) => {
  if (!calls.delete(call)) problems.push(`call ${call} ended twice`);
});

// Node opens these when they are first looked at, and the first timer and fetch of a program, too.
void [process.stdout, process.stderr];
const before = holdings();

const queue = [...cells];
const gate = gateOf(STARTING);
let running = 0;
let most = 0;
try {
  await Promise.all(Array.from({ length: concurrency }, work));
} catch (error) {
  problems.push(`the harness failed: ${error?.stack ?? error}`);
}
if (calls.size > 0) problems.push(`${calls.size} calls never ended`);
for (const left of await leftSince(before, goneMs)) problems.push(`left: ${left}`);
for (const { pid } of processes()) problems.push(`process ${pid} is still on the list`);
process.send?.({ kind: "done", problems, most }, () => process.disconnect?.());

async function work() {
  for (let cell = queue.shift(); cell !== undefined; cell = queue.shift()) await run(cell);
}

async function run(cell) {
  const isUp = await gate.enter();
  running += 1;
  most = Math.max(most, running);
  const onStep = () => {
    isUp();
    process.send?.({ kind: "step", id: cell.id, at: now() });
  };
  const { outcome, over, problems: found } = faulty.run(cell, runCell, onStep, isUp);
  void outcome.then((facts) => {
    process.send?.({ kind: "settled", id: cell.id, at: now(), ...faulty.report(facts) });
  });
  const limitMs = faulty.hangLimitMs ?? wholeLimitOf(cell);
  const ended = await within(Promise.all([outcome, over]), limitMs);
  isUp();
  running -= 1;
  faulty.afterCell(cell);
  process.send?.({ kind: "over", id: cell.id, at: now(), ended, problems: found });
}

async function within(promise, limitMs) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  const ended = await Promise.race([promise.then(() => true), late]);
  clearTimeout(timer);
  return ended;
}

/** Lets so many in at once; each says itself when it is through. */
function gateOf(size) {
  const waiting = [];
  let inside = 0;
  const leave = () => {
    inside -= 1;
    waiting.shift()?.();
  };
  return {
    async enter() {
      if (inside >= size) await new Promise((resolve) => waiting.push(resolve));
      inside += 1;
      let isIn = true;
      const isUp = () => {
        clearTimeout(timer);
        if (isIn) leave();
        isIn = false;
      };
      const timer = setTimeout(isUp, SURELY_UP_MS);
      return isUp;
    },
  };
}

/** The same clock in all processes. */
function now() {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}
