// Runs one competitor in a process of its own, so that it shares no heap and no timers with the others:
// `node host.js <competitor> <place>`. Messages from the parent tell it what to do.
import { COMPETITORS, CROWD } from "./competitors.js";

const [name, place] = process.argv.slice(2);
/**
 * @typedef {{ call(prompt: string): Promise<string>, before?(): unknown, after?(): unknown,
 *   close?(): unknown }} Competitor
 */
/** @type {Record<string, { open(place: any): Promise<Competitor> }>} */
const competitors = { ...COMPETITORS, crowd: CROWD };
const competitor = await competitors[name].open(JSON.parse(place));

const ASKED = {
  before: () => competitor.before?.(),
  after: () => competitor.after?.(),
  close: () => competitor.close?.(),

  async call(prompt) {
    const calledAt = performance.now();
    const text = await competitor.call(prompt);
    return { ms: performance.now() - calledAt, text };
  },

  /** Makes a number of calls with a number of callers. Each caller waits for an answer before its next call. */
  async burst({ calls, callers, prompt, answer }) {
    const startedAt = performance.now();
    let left = calls;
    const caller = async () => {
      while (left > 0) {
        left -= 1;
        const text = await competitor.call(prompt);
        if (text !== answer) throw new Error(`Answered: ${text}`);
      }
    };
    await Promise.all(Array.from({ length: callers }, caller));
    return performance.now() - startedAt;
  },
};

process.on("message", async ({ what, about }) => {
  try {
    process.send?.({ done: true, value: await ASKED[what](about) });
  } catch (error) {
    process.send?.({ error: `${name}: ${error.stack}` });
  }
});
// A bench that is stopped leaves nothing behind either, because the CLIs end with their input.
process.on("disconnect", () => process.exit());
process.send?.({ done: true });
