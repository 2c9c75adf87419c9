// The program under test. It runs its cells concurrently and reports their outcomes. In the end it
// looks for resources that are left, and has nothing that would keep it alive.

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
/** How many cells may be on the way to their step at once. The others have passed it, and wait. */
const STARTING = 12;
/** A cell that cannot report its step has reached it by then. */
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

// Node opens these when they are first used.
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

/** Lets `size` callers in at once. Each caller reports itself when it has passed. */
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

/** A clock that all processes share. */
function now() {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}
