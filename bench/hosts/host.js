// Runs one competitor in a process of its own, so that it shares no heap and no timers with the others:
// `node host.js <competitor> <place>`. Messages from the parent tell it what to do.
import { AI_SDKS } from "./ai-sdks.js";
import { COMPETITORS, RAW_SPARE } from "./competitors.js";
import { CROWD, SESSIONS } from "./crowds.js";
import { GATEWAYS } from "./gateways.js";
import { HISTORIES } from "./histories.js";

const [name, place] = process.argv.slice(2);
/** @type {Record<string, { open(place: any): Promise<Record<string, any>> }>} */
const competitors = {
  ...COMPETITORS,
  ...HISTORIES,
  ...GATEWAYS,
  ...AI_SDKS,
  rawSpare: RAW_SPARE,
  crowd: CROWD,
  sessions: SESSIONS,
};
const competitor = await competitors[name].open(JSON.parse(place));

/** What is asked of every competitor. Anything else is a method of the competitor itself. */
const ASKED = {
  /** One call. If the result tells the times of the CLI, also the time before the prompt and after the result. */
  async call(prompt) {
    const calledAt = process.hrtime.bigint();
    const { result, readAt, writtenAt } = await competitor.call(prompt);
    const resolvedAt = process.hrtime.bigint();
    const ms = msBetween(calledAt, resolvedAt);
    if (readAt === undefined) return { ms, text: result };
    return {
      ms,
      text: result,
      beforeMs: msBetween(calledAt, BigInt(readAt)),
      afterMs: msBetween(BigInt(writtenAt), resolvedAt),
    };
  },

  /** Makes a number of calls with a number of callers. Each caller waits for an answer before its next call. */
  async burst({ calls, callers, prompt, answer }) {
    const times = [];
    let left = calls;
    const caller = async () => {
      while (left > 0) {
        left -= 1;
        const calledAt = performance.now();
        const { result } = await competitor.call(prompt);
        times.push(performance.now() - calledAt);
        if (result !== answer) throw new Error(`Answered: ${result}`);
      }
    };
    const startedAt = performance.now();
    const spentBefore = process.cpuUsage();
    await Promise.all(Array.from({ length: callers }, caller));
    const { user, system } = process.cpuUsage(spentBefore);
    return { ms: performance.now() - startedAt, cpuMs: (user + system) / 1e3, times };
  },
};

function msBetween(from, to) {
  return Number(to - from) / 1e6;
}

process.on("message", async ({ what, about }) => {
  try {
    const value = await (ASKED[what] ?? competitor[what])?.(about);
    process.send?.({ done: true, value });
  } catch (error) {
    process.send?.({ error: `${name}: ${error.stack}` });
  }
});
// A bench that is stopped leaves nothing behind either, because the CLIs end with their input.
process.on("disconnect", () => process.exit());
process.send?.({ done: true });
