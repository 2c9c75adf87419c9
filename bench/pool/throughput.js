import { atRest } from "./at-rest.js";
import { ANSWER, openHost } from "./open-host.js";

export const CALLS = 200;
/** Fewer calls, because a call of the official SDK takes so much longer that the run would take minutes. */
export const OFFICIAL_CALLS = 40;
export const RUNS = 3;

/**
 * Calls per second with a number of concurrent callers. `official` starts a process for each call. `warm`
 * is the pool with its resets; `empty` is the same pool, started without a process.
 */
export async function measureThroughput(callers) {
  const rates = { official: [], empty: [], warm: [] };
  for (let run = 0; run < RUNS; run += 1) {
    const turns = [measureOfficial, measurePool];
    for (const measure of run % 2 === 0 ? turns : turns.reverse()) await measure(callers, rates);
  }
  return { callers, rates };
}

async function measureOfficial(callers, rates) {
  await withHost("query", {}, async (host) => {
    rates.official.push(await rate(host, OFFICIAL_CALLS, callers));
    await host.gone();
  });
}

async function measurePool(callers, rates) {
  await withHost("crowd", { callers }, async (host) => {
    rates.empty.push(await rate(host, CALLS, callers));
    await host.ask("after");
    rates.warm.push(await rate(host, CALLS, callers));
  });
}

async function rate(host, calls, callers) {
  await atRest();
  const burst = { calls, callers, prompt: "Where is it?", answer: ANSWER };
  const ms = await host.ask("burst", burst);
  const asked = host.requests().length;
  if (asked !== calls) throw new Error(`${asked} requests for ${calls} calls`);
  return (calls / ms) * 1000;
}

async function withHost(name, more, work) {
  const host = await openHost(name, more);
  try {
    await work(host);
  } finally {
    await host.close();
  }
}
