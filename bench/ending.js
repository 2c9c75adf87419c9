// Measures what the end of a CLI costs the calling program beside 100 and beside 1,000 other processes: its
// CPU time, and the longest time that its event loop stands still while 40 CLIs end at once.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { isolatedEnv } from "hawser/testing";
import { figureOf, median, runAlone } from "./figures.js";

const CLI = fileURLToPath(new URL("./overhead/cli.mjs", import.meta.url));
const HOST = fileURLToPath(new URL("./ending/host.js", import.meta.url));
const ROUNDS = 5;
const ONE_BY_ONE = 15;
const AT_ONCE = 40;
const TARGET_MS = 2;
const STALL_TARGET_MS = 10;

export async function run() {
  const few = await measureEnding(100);
  const many = await measureEnding(1000);
  const figures = [];
  for (const [count, { singleMs, eachMs, stallMs }] of /** @type {const} */ ([
    ["100", few],
    ["1,000", many],
  ])) {
    const id = `ending-${count.replace(",", "")}`;
    const beside = `beside ${count} processes, ms`;
    const target = { against: "target", other: TARGET_MS, atMost: 1 };
    figures.push(
      figureOf({ id, figure: `CPU for the end of a CLI ${beside}`, hawser: singleMs, ...target }),
      figureOf({
        id: `${id}-at-once`,
        figure: `CPU for each of ${AT_ONCE} ends at once ${beside}`,
        hawser: eachMs,
        ...target,
      }),
      figureOf({
        id: `${id}-stall`,
        figure: `longest stall while ${AT_ONCE} CLIs end ${beside}`,
        hawser: stallMs,
        ...target,
        other: STALL_TARGET_MS,
      }),
    );
  }
  return figures;
}

/** The medians of several programs beside as many other processes. */
export async function measureEnding(count, rounds = ROUNDS) {
  const place = await isolatedEnv();
  const others = await startOthers(count);
  try {
    const found = [];
    for (let round = 0; round < rounds; round += 1) found.push(await endMany(place));
    const of = (name) => median(found.map((each) => each[name]));
    return { singleMs: of("singleMs"), eachMs: of("eachMs"), stallMs: of("stallMs") };
  } finally {
    await others.end();
    await place.dispose();
  }
}

async function endMany({ env, cwd }) {
  const args = [HOST, CLI, String(ONE_BY_ONE), String(AT_ONCE)];
  const { PATH, HAWSER_DIST } = process.env;
  const dist = HAWSER_DIST === undefined ? {} : { HAWSER_DIST };
  const options = { cwd, env: { PATH, ...env, ...dist, BENCH_EVENTS: "1" } };
  const { stdout } = await promisify(execFile)(process.execPath, args, options);
  return JSON.parse(stdout);
}

/** Processes that only sleep, all in one group. */
async function startOthers(count) {
  const text = `i=0; while [ $i -lt ${count} ]; do sleep 3600 & i=$((i + 1)); done; echo; wait`;
  const shell = spawn("/bin/sh", ["-c", text], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  await once(shell.stdout, "data");
  return {
    async end() {
      const exit = once(shell, "exit");
      if (shell.pid !== undefined) process.kill(-shell.pid, "SIGKILL");
      await exit;
    },
  };
}

await runAlone(fileURLToPath(import.meta.url), run);
