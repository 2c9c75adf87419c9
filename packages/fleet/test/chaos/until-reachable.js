import { setTimeout as sleep } from "node:timers/promises";

/**
 * Does the work again while the database cannot be reached, for a minute at most. To be used for work that may have
 * been done although its answer was lost.
 */
export async function untilReachable(work) {
  const until = Date.now() + 60_000;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (error.code !== "database_unavailable" || Date.now() > until) throw error;
    }
    await sleep(200);
  }
}
