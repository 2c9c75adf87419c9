// The checks of one client, one after the other. Each prints one line, which run.js counts.
import { openWorld } from "./world.js";

const LIMIT_MS = 120_000;

/**
 * Runs the checks of a client in a world of their own. A check passes if it does not throw, and if the model
 * got exactly the requests that the check has scripted replies for.
 * @param {(world: import("./world.js").World) => Record<string, () => Promise<void>>} checksOf
 */
export async function runChecks(checksOf) {
  const only = process.env.CLIENTS_CHECK;
  const world = await openWorld();
  try {
    for (const [name, check] of Object.entries(checksOf(world))) {
      if (only !== undefined && !name.includes(only)) continue;
      world.begin();
      const from = world.log().length;
      const began = performance.now();
      try {
        await within(check());
        world.assertPlayed();
        console.log(`passed: ${name} (${Math.round(performance.now() - began)} ms)`);
      } catch (error) {
        console.log(`failed: ${name}`);
        console.log(indented(error?.stack ?? error));
        if (error?.cause) console.log(indented(`cause: ${error.cause?.stack ?? error.cause}`));
        console.log(indented(`gateway: ${world.log().slice(from).trim()}`));
        if (process.env.CLIENTS_VERBOSE) console.log(indented(bodies(world)));
      }
    }
  } finally {
    await world.close();
  }
  // A client may leave timers or sockets behind.
  process.exit();
}

/**
 * Resolves when the condition holds. Rejects after a long time.
 * @param {() => boolean | Promise<boolean>} condition
 * @param {string} what
 */
export async function comesTrue(condition, what) {
  const limit = Date.now() + LIMIT_MS / 2;
  while (!(await condition())) {
    if (Date.now() > limit) throw new Error(`It did not come true that ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** @param {Promise<void>} promise */
async function within(promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end after ${LIMIT_MS} ms`)), LIMIT_MS);
  });
  try {
    await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function bodies(world) {
  return world
    .calls()
    .map(({ body }) => JSON.stringify(body).slice(0, 4000))
    .join("\n");
}

function indented(text) {
  return String(text).replace(/^/gm, "    ");
}
