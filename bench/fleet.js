// Measures the queue of `@hawser/fleet` on a private Postgres in a folder: how soon an idle worker claims a run, how
// long a claim takes among a hundred thousand queued runs, and how fair the order is when one tenant comes first with
// half of all runs. The programs run on Node 22, which the fleet needs.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { node22 } from "../tools/node-22.js";
import { valueFigure } from "./figures.js";
import { atRest } from "./hosts/at-rest.js";
import { instantPlace } from "./hosts/places.js";

const HOST = fileURLToPath(new URL("./fleet/host.mjs", import.meta.url));
const ROUNDS = 40;
const WARM_UPS = 5;
/** Each has a thousand runs of its own. */
const FAIR_ROUNDS = 6;

const PICK_UP_MS = 50;
const CLAIM_MS = 10;
const JAIN = 0.98;

export async function run(rounds = ROUNDS) {
  // A program in place of the CLI ends each run at once, so that the worker is idle again.
  const place = await instantPlace();
  try {
    const { cli, cwd, env } = place;
    const host = await openHost({ cli, cwd, env });
    try {
      return { figures: await figuresOf(host, rounds) };
    } finally {
      await host.close();
    }
  } finally {
    await place.close();
  }
}

async function figuresOf(host, rounds) {
  const pickUps = await repeated(rounds, WARM_UPS, () => host.ask("pickUp"));
  const jains = await repeated(Math.min(rounds, FAIR_ROUNDS), 0, () => host.ask("fairness"));
  await host.ask("fill");
  const claims = await repeated(rounds, WARM_UPS, () => host.ask("claim"));
  return [
    valueFigure({
      id: "fleet-pick-up",
      figure: "from submit() to the claim of an idle worker, ms",
      columns: [pickUps],
      atMost: PICK_UP_MS,
    }),
    valueFigure({
      id: "fleet-claim-of-100000",
      figure: "a claim from 100,000 queued runs of 2,000 tenants, ms",
      columns: [claims],
      atMost: CLAIM_MS,
    }),
    valueFigure({
      id: "fleet-fairness",
      figure: "Jain index of the first 200 of 1,000 runs of 50 tenants, one with half of them",
      columns: [jains],
      atLeast: JAIN,
    }),
  ];
}

async function repeated(rounds, warmUps, measure) {
  const values = [];
  for (let round = -warmUps; round < rounds; round += 1) {
    await atRest();
    const value = await measure();
    if (round >= 0) values.push(value);
  }
  return values;
}

/** Starts the program that uses the fleet. */
async function openHost(facts) {
  const child = fork(HOST, [JSON.stringify(facts)], { execPath: node22(), execArgv: [] });
  const ended = once(child, "exit");
  const told = async () => {
    const [message] = await Promise.race([once(child, "message"), ended]);
    if (message?.done) return message.value;
    throw new Error(message?.error ?? `The host of the fleet has ended (${child.exitCode}).`);
  };
  const ask = (what) => {
    child.send({ what });
    return told();
  };
  const close = async () => {
    if (child.connected) await ask("close").catch(() => child.kill("SIGKILL"));
    if (child.connected) child.disconnect();
    await ended;
  };
  try {
    await told();
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  return { ask, close };
}
