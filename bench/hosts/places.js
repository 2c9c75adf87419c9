// Where a competitor makes its calls: a CLI, a home and a folder of its own.
import { fileURLToPath } from "node:url";
import { always, isolatedEnv } from "hawser/testing";
import { openPlace } from "../../tools/place.js";

export const ANSWER = "Here it is.";
const INSTANT_CLI = fileURLToPath(new URL("../instant-cli.mjs", import.meta.url));

/** The real CLI, with a simulated model that answers at once. */
export async function realPlace() {
  const place = await openPlace();
  place.model.add(always(ANSWER));
  return place;
}

/**
 * A program that only prints takes the place of the CLI, so that nothing but the caller is measured.
 * @param {{ events?: number, gapMs?: number }} [answer] How many pieces it has, and the pause after each.
 */
export async function instantPlace({ events = 1, gapMs } = {}) {
  const gap = gapMs === undefined ? {} : { BENCH_GAP_MS: String(gapMs) };
  const world = await isolatedEnv({ extra: { BENCH_EVENTS: String(events), ...gap } });
  return {
    root: world.cwd,
    cli: INSTANT_CLI,
    cwd: world.cwd,
    env: world.env,
    requests: () => [],
    gone: async () => 0,
    close: () => world.dispose(),
  };
}
