// What is submitted, and which faults come when. Both depend on the seed alone.
import { randomFrom } from "../../../hawser/test/soak/plan.js";

/** The faults, with their frequencies. */
export const FAULTS = {
  /** SIGKILL of a worker, with its whole process group or without. */
  worker_kill: 20,
  /** SIGKILL of a CLI. */
  cli_kill: 30,
  /** SIGSTOP of a worker for longer than the lease, with its CLIs or without, then SIGCONT. */
  worker_stop: 12,
  /** The database ends at once, as if it had been killed, and starts again. */
  database_restart: 6,
  /** Some connections to the database are ended by the database. */
  database_terminate: 20,
  /** SIGTERM of a worker. */
  worker_drain: 12,
};

/** The prompts by the calls that the model makes: `tool` is allowed, `ask` must be decided by a person. */
const KINDS = [[], ["tool"], ["tool", "tool"], ["ask"], ["tool", "ask", "tool"], ["ask", "ask"]];

/**
 * @typedef {object} PlannedRun
 * @property {number} number
 * @property {string} tenant
 * @property {readonly string[]} steps
 * @property {number} attempts How many hosts may die of it.
 * @property {number} [continues] The run whose session it continues.
 * @property {number} atMs When it is submitted.
 */

/**
 * The runs, spread over most of the time in which faults come.
 * @param {{ seed: number, runs: number, tenants: number, seconds: number }} options
 * @returns {PlannedRun[]}
 */
export function planRuns({ seed, runs, tenants, seconds }) {
  const random = randomFrom(Math.imul(seed, 65_537) + 1);
  return Array.from({ length: runs }, (_, number) => ({
    number,
    tenant: `tenant-${number % tenants}`,
    steps: pick(random, KINDS),
    // Most runs outlive all of it. A few may die of it, so that this end is seen, too.
    attempts: random() < 0.1 ? 2 : 20,
    ...(random() < 0.15 && number >= tenants ? { continues: number - tenants } : {}),
    atMs: Math.round((number / runs) * seconds * 600),
  }));
}

/**
 * One fault for each second. `draws` are the random choices within the fault.
 * @param {{ seed: number, seconds: number }} options
 */
export function planFaults({ seed, seconds }) {
  const random = randomFrom(Math.imul(seed, 65_537) + 2);
  return Array.from({ length: seconds }, () => ({
    fault: pickWeighted(random, FAULTS),
    draws: [random(), random(), random()],
  }));
}

/** Whether a person allows a call, and how the answer is given. Depends on the seed and the question alone. */
export function planAnswer(seed, run, mark) {
  const random = randomFrom(Math.imul(seed, 65_537) + hash(`${run} ${mark}`));
  return {
    behavior: random() < 0.75 ? "allow" : "deny",
    delayMs: Math.round(random() * 4_000),
    atOnce: random() < 0.3 ? 5 : 1,
  };
}

export function pick(random, values) {
  return values[Math.floor(random() * values.length)];
}

function pickWeighted(random, weights) {
  let left = random() * Object.values(weights).reduce((sum, weight) => sum + weight, 0);
  for (const [name, weight] of Object.entries(weights)) {
    left -= weight;
    if (left < 0) return name;
  }
  return Object.keys(weights)[0];
}

export function hash(text) {
  let value = 0;
  for (const letter of text) value = (Math.imul(value, 31) + letter.charCodeAt(0)) | 0;
  return value >>> 0;
}
