// Measures what the end of a CLI costs the calling program beside 100 and beside 1,000 other processes: its
// CPU time, and the longest time that its event loop stands still while 40 CLIs end at once.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { seriesOf, valueFigure } from "./figures.js";
import { instantPlace } from "./hosts/places.js";
import { interleaved } from "./rounds.js";

const HOST = fileURLToPath(new URL("./ending/host.js", import.meta.url));
const ROUNDS = 6;
const OTHERS = [100, 1000];
const ONE_BY_ONE = 15;
const AT_ONCE = 40;

const MEASURES = [
  { suffix: "", name: "singleMs", what: "CPU for the end of a CLI", atMost: 2 },
  {
    suffix: "-at-once",
    name: "eachMs",
    what: `CPU for each of ${AT_ONCE} ends at once`,
    atMost: 2,
  },
  { suffix: "-stall", name: "stallMs", what: `longest stall while ${AT_ONCE} CLIs end` },
];

export async function run(rounds = ROUNDS) {
  const figures = [];
  const ending = [];
  for (const count of OTHERS) {
    const ends = await measureEnds(count, rounds);
    const beside = `beside ${count.toLocaleString("en")} processes`;
    for (const { suffix, name, what, ...target } of MEASURES) {
      const columns = [ends.map((each) => each[name])];
      const figure = `${what} ${beside}, ms`;
      figures.push(valueFigure({ id: `ending-${count}${suffix}`, figure, columns, ...target }));
    }
    const singles = ends.flatMap(({ singlesMs }) => singlesMs);
    ending.push(seriesOf({ label: beside, tone: "ours" }, singles));
  }
  return { ending, figures };
}

/** The costs in one program for each round, with as many other processes on the machine. */
async function measureEnds(count, rounds) {
  const place = await instantPlace();
  const others = await startOthers(count);
  try {
    const { host } = await interleaved(["host"], { rounds, warmUps: 0 }, () => endMany(place));
    return host;
  } finally {
    await others.end();
    await place.close();
  }
}

async function endMany({ cli, cwd, env }) {
  const args = [HOST, cli, String(ONE_BY_ONE), String(AT_ONCE)];
  const { HAWSER_DIST } = process.env;
  const dist = HAWSER_DIST === undefined ? {} : { HAWSER_DIST };
  const options = { cwd, env: { ...env, ...dist } };
  const { stdout } = await promisify(execFile)(process.execPath, args, options);
  return JSON.parse(stdout);
}

/** Processes that only sleep, all in one group. If the bench is killed, they end by themselves after ten minutes. */
async function startOthers(count) {
  const text = `i=0; while [ $i -lt ${count} ]; do sleep 600 & i=$((i + 1)); done; echo; wait`;
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
