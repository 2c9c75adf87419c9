// Pools and sessions that the bench loads with many callers. host.js runs them, as it runs the competitors.
import { collectGarbage } from "../garbage.js";
import { instrumented } from "../instrumented.js";
import { hawser, hawserOptions, settled } from "./competitors.js";

/**
 * An empty pool: with as many processes as given, or with the pool's own limits.
 * @typedef {{ processes?: number, queueLimit?: number, telemetry?: "off" | "on", cli: string, cwd: string,
 *   env: NodeJS.ProcessEnv }} CrowdPlace
 */
export const CROWD = {
  /** @param {CrowdPlace} place */
  async open({ processes, queueLimit, telemetry, ...place }) {
    const { createPool } = await hawser();
    if (telemetry === "off") await import("@hawser/otel");
    if (telemetry === "on") await instrumented();
    const options = hawserOptions(place);
    const size = processes === undefined ? undefined : { min: processes, max: processes };
    const pool = createPool({ size, queueLimit });
    const call = async (prompt) => (await pool.complete(prompt, options)).result;
    return {
      call,
      // After the last call of a process (`maxJobs`), its successor has served none yet.
      after: () => settled(pool, "recycled", "initialized"),
      close: () => pool.close(),
      /** How many processes the pool has now. */
      processes() {
        const { generic, initialized, recycled, serving, resetting } = pool.stats().processes;
        return generic + initialized + recycled + serving + resetting;
      },
      /** Lets a number of callers wait at once: the memory of each, and the time until all are served. */
      async crowd(callers) {
        const [before, known] = [heapBytes(), callsKnownTo(pool)];
        const calledAt = performance.now();
        const calls = Array.from({ length: callers }, () => call("Where is it?"));
        while (callsKnownTo(pool) < known + callers) await turnOfLoop();
        const { queued } = pool.stats().calls;
        if (queued < callers / 2) throw new Error(`Only ${queued} of ${callers} callers wait.`);
        const bytes = (heapBytes() - before) / queued;
        await Promise.all(calls);
        return { bytes, ms: performance.now() - calledAt };
      },
    };
  },
};

/** Sessions that are open and idle. */
export const SESSIONS = {
  async open(place) {
    const { openSession } = await hawser();
    const options = hawserOptions(place);
    const sessions = [];
    const open = async (count) => {
      const opened = Array.from({ length: count }, () => openSession(options));
      sessions.push(...(await Promise.all(opened)));
    };
    return {
      /** The bytes of this program for each further session. The first sessions load and compile code. */
      async memory({ first, further }) {
        await open(first);
        const before = { heap: heapBytes(), rss: process.memoryUsage.rss() };
        await open(further);
        return {
          heap: (heapBytes() - before.heap) / further,
          rss: (process.memoryUsage.rss() - before.rss) / further,
        };
      },
      close: () => Promise.all(sessions.map((session) => session.close())),
    };
  },
};

function callsKnownTo(pool) {
  const { queued, running, succeeded, failed } = pool.stats().calls;
  return queued + running + succeeded + failed;
}

/** What the program itself holds, buffers included. */
function heapBytes() {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function turnOfLoop() {
  return new Promise((resolve) => setImmediate(resolve));
}
