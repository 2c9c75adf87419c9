// Measures one `streamText()` of the AI SDK on @hawser/ai-sdk beside the same program on ai-sdk-provider-claude-code,
// on the same executable and with the same simulated model: the first piece of the text, and the whole answer.
import { ratioFigure } from "./figures.js";
import { AI_SDKS } from "./hosts/ai-sdks.js";
import { atRest } from "./hosts/at-rest.js";
import { openHost } from "./hosts/open-host.js";
import { ANSWER, realPlace } from "./hosts/places.js";
import { interleaved } from "./rounds.js";

const ROUNDS = 20;
const WARM_UPS = 3;
const AT_MOST = 1 / 5;

export async function run(rounds = ROUNDS) {
  const hosts = {};
  const names = Object.keys(AI_SDKS);
  try {
    for (const name of names) hosts[name] = await openHost(name, {}, realPlace);
    const warmUps = Math.min(WARM_UPS, rounds);
    const times = await interleaved(names, { rounds, warmUps }, async (name) => {
      await atRest();
      const { text, ...measured } = await hosts[name].ask("stream");
      if (text !== ANSWER) throw new Error(`${name} answered: ${text}`);
      await hosts[name].ask("after");
      if (AI_SDKS[name].endsProcess) await hosts[name].gone();
      return measured;
    });
    return { figures: figuresOf(times) };
  } finally {
    await Promise.allSettled(Object.values(hosts).map((host) => host.close()));
  }
}

/** @param {Record<string, any[]>} times */
function figuresOf({ aiSdk = [], aiSdkClaudeCode = [] }) {
  const figures = [
    {
      id: "ai-sdk-first-token",
      figure: "first token of streamText() of the AI SDK, ms",
      of: "firstMs",
    },
    {
      id: "ai-sdk-answer",
      figure: "whole answer of streamText() of the AI SDK, ms",
      of: "wholeMs",
    },
  ];
  return figures.map(({ id, figure, of }) =>
    ratioFigure({
      id,
      figure,
      against: AI_SDKS.aiSdkClaudeCode.label,
      hawser: aiSdk.map((each) => each[of]),
      other: aiSdkClaudeCode.map((each) => each[of]),
      atMost: AT_MOST,
    }),
  );
}
