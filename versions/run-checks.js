import { outcomeOf } from "./outcome.js";
import { Place } from "./place.js";

/** Far more than a check takes; the limit is for one that hangs. */
const LIMIT_MS = 180_000;

/**
 * Runs checks on one CLI, some of them at the same time.
 * @param {{ version: string, path: string }} cli
 * @param {readonly import("./outcome.js").Check[]} checks
 * @param {{ jobs: number, tell: (check: import("./outcome.js").Check, cell: import("./outcome.js").Cell, ms: number) => void }} options
 * @returns {Promise<Record<string, import("./outcome.js").Cell>>} the cells by the id of the check, in the order of the checks
 */
export async function runChecks(cli, checks, { jobs, tell }) {
  /** @type {Map<string, import("./outcome.js").Cell>} */
  const cells = new Map();
  const queue = [...checks];
  const lane = async () => {
    for (let check = queue.shift(); check !== undefined; check = queue.shift()) {
      const startedAt = Date.now();
      const cell = await runCheck(cli, check);
      cells.set(check.id, cell);
      tell(check, cell, Date.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: jobs }, lane));
  return Object.fromEntries(checks.map(({ id }) => [id, cells.get(id) ?? missing(id)]));
}

/**
 * @param {{ version: string, path: string }} cli
 * @param {import("./outcome.js").Check} check
 */
async function runCheck(cli, check) {
  const place = new Place(cli);
  try {
    return await outcomeOf(within(LIMIT_MS, check.run(place)));
  } finally {
    // A broken CLI may not let its session close in order.
    await within(LIMIT_MS, place.close()).catch(() => {});
  }
}

/**
 * @template T
 * @param {number} ms
 * @param {Promise<T>} promise
 * @returns {Promise<T>}
 */
async function within(ms, promise) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end within ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([promise, /** @type {Promise<never>} */ (late)]);
  } finally {
    clearTimeout(timer);
  }
}

/** @param {string} id @returns {never} */
function missing(id) {
  throw new Error(`The check ${id} has no outcome.`);
}
