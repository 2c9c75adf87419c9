import { interleaved } from "../rounds.js";
import { atRest } from "./at-rest.js";
import { COMPETITORS } from "./competitors.js";
import { HISTORIES } from "./histories.js";
import { openHost } from "./open-host.js";
import { ANSWER } from "./places.js";

/**
 * Makes one call with each competitor in each round. Returns the measured times of each, and how many calls
 * did not find the machine idle. `check(name, requests, round)` sees the requests that reached the model.
 * @param {string[]} names
 * @param {{ rounds: number, warmUps: number, openPlace: () => Promise<any>,
 *   check?: (name: string, requests: any[], round: number) => void }} how
 */
export async function measureCalls(names, { rounds, warmUps, openPlace, check = () => {} }) {
  /** @type {Record<string, any>} */
  const hosts = {};
  let restless = 0;
  try {
    for (const name of names) hosts[name] = await openHost(name, {}, openPlace);
    for (const host of Object.values(hosts)) host.requests();
    const times = await interleaved(names, { rounds, warmUps }, async (name, round) => {
      const host = hosts[name];
      await host.ask("before");
      if (!(await atRest()) && round >= 0) restless += 1;
      const { text, ...measured } = await host.ask("call", `Where is it? ${round + warmUps}`);
      if (text !== ANSWER) throw new Error(`${name} answered: ${text}`);
      check(name, host.requests(), round);
      // Processes that are still ending, being reset or starting would slow the next call down.
      await host.ask("after");
      if ((COMPETITORS[name] ?? HISTORIES[name])?.endsProcess) await host.gone();
      return measured;
    });
    return { times, restless };
  } finally {
    await Promise.allSettled(Object.values(hosts).map((host) => host.close()));
  }
}
