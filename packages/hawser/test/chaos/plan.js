// The product of the chaos suite, and the random choices in each of its cells, which depend on the seed.
import { randomFrom } from "../soak/plan.js";

/**
 * Where the CLI stands when the fault comes, as its own side sees it. `asking`: the turn calls a tool,
 * for which the CLI asks the host three times. `heard`: the CLI reaches the step by reading something;
 * otherwise the CLI reports the step itself, when it has printed something.
 * @type {Readonly<Record<string, { readonly title: string, readonly heard?: true, readonly asking?: true }>>}
 */
export const STEPS = {
  version: { title: "asked for its version", heard: true },
  start: { title: "started, nothing read yet", heard: true },
  initialize: { title: "initialize received", heard: true },
  initialized: { title: "initialize answered" },
  settings: { title: "get_settings received", heard: true, asking: true },
  prompt: { title: "prompt received", heard: true },
  init: { title: "init printed" },
  middle: { title: "in the middle of an assistant line" },
  permission: { title: "permission asked for", asking: true },
  hook: { title: "hook called", asking: true },
  tool: { title: "in-process MCP tool called", asking: true },
  half: { title: "half of the result printed" },
  result: { title: "result printed" },
  eof: { title: "end of input received", heard: true },
  clear: { title: "`/clear` received", heard: true },
  interrupt: { title: "interrupt received", heard: true },
};

/** @type {Readonly<Record<string, { readonly title: string }>>} */
export const FAULTS = {
  kill: { title: "kill -9" },
  term: { title: "SIGTERM" },
  stall: { title: "stall" },
  garbage: { title: "garbage" },
  cut: { title: "half a line, then the end" },
  stdin: { title: "stdin closed" },
  stdout: { title: "stdout closed" },
};

export const ENTRIES = ["complete", "stream", "session", "query", "pool"];

/**
 * `only`: `step/fault/entry`, with a `*` or nothing for all. `share`: how many entry points each step
 * and fault has, in turn, so that each entry point has every step and every fault. `every`: only each
 * n-th of these cells. `scale`: the limits of a cell are this many times longer, for a machine with much
 * to do at once. `lingerMs`: how much longer a turn takes that waits for no limit, so that many cells
 * run at once.
 * @param {{ seed: number, rounds?: number, only?: string, share?: number, scale?: number,
 *   every?: number, lingerMs?: number }} how
 */
export function cellsOf({
  seed,
  rounds = 1,
  only = "",
  share = ENTRIES.length,
  every = 1,
  scale = 1,
  lingerMs = 0,
}) {
  const [steps, faults, entries] = [STEPS, FAULTS, ENTRIES].map((all, i) => {
    const names = Array.isArray(all) ? all : Object.keys(all);
    return chosen(names, only.split("/")[i]);
  });
  /** @type {Cell[]} */
  const cells = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const [i, step] of steps.entries()) {
      for (const [j, fault] of faults.entries()) {
        const inTurn = (_, k) => (i + j + k + seed) % entries.length < share;
        for (const entry of entries.filter(inTurn)) {
          cells.push({ ...cellOf(seed, round, step, fault, entry), scale, lingerMs });
        }
      }
    }
  }
  const sample = cells.filter((_, i) => (i + seed) % every === 0);
  return shuffled(sample, randomFrom(seed));
}

function chosen(names, wanted = "*") {
  if (wanted === "" || wanted === "*") return names;
  const some = wanted.split(",");
  const unknown = some.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`No such part of a cell: ${unknown} (of ${names})`);
  return some;
}

/**
 * A cell depends only on its own name and the seed, so that it is the same in a run of its own.
 * @param {number} seed
 * @param {number} round
 * @param {string} step
 * @param {string} fault
 * @param {string} entry
 */
function cellOf(seed, round, step, fault, entry) {
  const id = `${step}/${fault}/${entry}/${round}`;
  const random = randomFrom(Math.imul(seed, 65_537) + hash(id));
  const between = (least, most) => least + Math.floor(random() * (most - least + 1));
  const pick = (values) => values[between(0, values.length - 1)];
  // Each value is drawn in every cell, also where it has no effect, so that no value shifts the others.
  const drawn = {
    signalledFrom: pick(["inside", "inside", "outside"]),
    stalls: pick(["silent", "deaf", "frozen"]),
    cutEnds: pick(["SIGKILL", "1", "0"]),
    garbage: between(0, 6),
    /** Which byte of a line, between its first and its last. */
    cutAt: random(),
    /** The delay between the step and a signal from outside. */
    delayMs: between(0, 40),
    /** How long the host takes to answer a request. */
    holdMs: between(0, 300),
    /** In a pool: whether a spare was started, and how the pool is called. */
    warm: random() < 0.4,
    way: pick(["complete", "stream", "session"]),
    noise: between(0, 2 ** 31),
  };
  // The process of a session is never reset, and has no spare.
  if (step === "clear" && drawn.way === "session") drawn.way = "complete";
  if (drawn.way === "session" || entry !== "pool") drawn.warm = false;
  return { id, step, fault, entry, round, ...drawn };
}

/**
 * A cell with the notes and the executable of its CLI.
 * @typedef {ReturnType<typeof cellOf> & { scale: number, lingerMs: number, file?: string, cliPath?: string }} Cell
 */

/** The signal that comes from outside, if any. */
export function signalOf({ fault, signalledFrom, stalls }) {
  if (fault === "stall" && stalls === "frozen") return "SIGSTOP";
  if (signalledFrom !== "outside") return undefined;
  return { kill: "SIGKILL", term: "SIGTERM" }[fault];
}

/** @template T @param {readonly T[]} items @param {() => number} random */
function shuffled(items, random) {
  const mixed = [...items];
  for (let i = mixed.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * (i + 1));
    [mixed[i], mixed[j]] = [mixed[j], mixed[i]];
  }
  return mixed;
}

function hash(text) {
  let sum = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  }
  return sum >>> 0;
}
