// From one host to a thousand, by simulation: writes docs/capacity.md and its plot from the measured service times, and
// prints the tables. The same times and the same seed give the same page.
//
//   node bench/fleet-capacity.js          writes the page and the plot
//   node bench/fleet-capacity.js --check  writes nothing; fails if the page or the plot would change
import { readFileSync, writeFileSync } from "node:fs";
import { pageOf } from "./fleet-capacity/page.js";
import { plotOf } from "./fleet-capacity/plot.js";
import { simulateFleet } from "./fleet-capacity/simulate-fleet.js";

/**
 * The measured figures, by bench/fleet-service-times.js, which says on which machine:
 *
 * | name | what was measured |
 * |---|---|
 * | `flushMs` | how long a commit waits for the disk |
 * | `signalMs` | processor time of one listening connection for one NOTIFY |
 * | `operations.<name>.hostMs` | processor time of the program that does the operation |
 * | `operations.<name>.databaseMs` | processor time of Postgres for it |
 * | `operations.<name>.databaseMsPerRun` | how much more for each run that is running in the fleet |
 * | `operations.<name>.roundTrips` | how often the program waits for an answer of Postgres |
 * | `operations.<name>.walBytes` | what Postgres writes to its log |
 * | `operations.<name>.commit` | `none`, `plain`, `notify` or `notify_after` |
 * | `trial` | runs that only wait, worked off by one program: the simulation must show the same rate |
 */
const times = JSON.parse(
  readFileSync(new URL("./fleet-service-times.json", import.meta.url), "utf8"),
);

/** What an agent does all day. The page says the same in words. */
const AGENT = {
  runMs: 120_000,
  load: 0.7,
  slots: 8,
  /** A round with the model every 10 s: 3 s of text in pieces of 200 ms, two messages, and one tool call. */
  writesPerSecond: { event: 1.7, append: 0.3, intent: 0.2 },
};

/** A server in the same data centre. */
const SERVER = { cores: 8, roundTripMs: 0.3 };

const SIZES = [1, 3, 10, 30, 100, 300, 1_000];
const WAYS = { listen: { wake: "listen" }, poll: { wake: "poll" } };
const SEED = 1;

/** So many seconds of one host are simulated at each size, so that small fleets have enough runs for a percentile. */
const HOST_SECONDS = 20_000;

const results = {
  times,
  agent: AGENT,
  server: SERVER,
  trial: simulatedTrial(),
  sizes: Object.fromEntries(Object.entries(WAYS).map(([name, way]) => [name, bySize(way)])),
};
const isCheck = process.argv.includes("--check");
const changed = [
  ["docs/capacity.md", pageOf(results)],
  ["docs/capacity.svg", plotOf(results)],
].filter(([path, text]) => isChanged(path, text));
for (const [path, text] of changed) {
  if (isCheck) process.stdout.write(`${path}\n`);
  else writeFileSync(new URL(`../${path}`, import.meta.url), text);
}
if (isCheck && changed.length > 0) process.exitCode = 1;

function bySize(way) {
  return SIZES.map((hosts) => {
    const seconds = HOST_SECONDS / hosts;
    const situation = { ...AGENT, ...SERVER, ...way, hosts, seconds, seed: SEED };
    return { hosts, ...simulateFleet(situation, times) };
  });
}

/** The situation that was also measured: everything on one machine. */
function simulatedTrial() {
  const { runs, slots, runMs } = times.trial;
  return simulateFleet(
    {
      ...{ hosts: 1, slots, runMs, backlog: runs, writesPerSecond: {} },
      ...{ wake: "listen", isOneMachine: true, cores: times.facts.cores, roundTripMs: 0 },
      ...{ seconds: Number.POSITIVE_INFINITY, seed: SEED },
    },
    times,
  );
}

function isChanged(path, text) {
  try {
    return readFileSync(new URL(`../${path}`, import.meta.url), "utf8") !== text;
  } catch (error) {
    if (error.code === "ENOENT") return true;
    throw error;
  }
}
