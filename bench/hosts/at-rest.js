import { cpus } from "node:os";

const WINDOW_MS = 100;
const IDLE_SHARE = 0.9;
export const REST_LIMIT_MS = 3_000;

/** Waits until the machine is idle. Resolves to false if that does not happen in time. */
export async function atRest(limitMs = REST_LIMIT_MS) {
  const limit = performance.now() + limitMs;
  let before = times();
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, WINDOW_MS));
    const now = times();
    if (now.idle - before.idle >= IDLE_SHARE * (now.all - before.all)) return true;
    if (performance.now() > limit) return false;
    before = now;
  }
}

function times() {
  let [idle, all] = [0, 0];
  for (const { times } of cpus()) {
    idle += times.idle;
    for (const ms of Object.values(times)) all += ms;
  }
  return { idle, all };
}
