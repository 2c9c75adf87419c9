import { atRest } from "./at-rest.js";
import { COMPETITORS } from "./competitors.js";
import { ANSWER, openHost } from "./open-host.js";
import { sameCall } from "./same-call.js";

/** Warm-up rounds, so that files are in the disk cache and code is compiled. */
const WARM_UP_ROUNDS = 3;

/** The milliseconds of one call for each competitor. Each round has another order. */
export async function measureLatency(names, rounds) {
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  const hosts = {};
  let restless = 0;
  try {
    for (const name of names) hosts[name] = await openHost(name);
    for (const host of Object.values(hosts)) host.requests();
    for (let round = 0; round < WARM_UP_ROUNDS + rounds; round += 1) {
      const check = sameCall();
      for (const name of rotated(names, round)) {
        const { ms, rested } = await measure(name, hosts[name], `Where is it? ${round}`, check);
        if (round < WARM_UP_ROUNDS) continue;
        samples[name].push(ms);
        if (!rested) restless += 1;
      }
    }
  } finally {
    await Promise.allSettled(Object.values(hosts).map((host) => host.close()));
  }
  return { samples, rounds, restless };
}

async function measure(name, host, prompt, check) {
  const { label, endsProcess } = COMPETITORS[name];
  await host.ask("before");
  const rested = await atRest();
  const { ms, text } = await host.ask("call", prompt);
  if (text !== ANSWER) throw new Error(`${label} answered: ${text}`);
  check(label, host.requests());
  // Processes that are still ending, being reset or starting would slow the next call down.
  await host.ask("after");
  if (endsProcess) await host.gone();
  return { ms, rested };
}

function rotated(names, by) {
  const at = by % names.length;
  return [...names.slice(at), ...names.slice(0, at)];
}
