// Runs one scenario with one SDK, and returns what is compared, without volatile values.

import { openPlace } from "../tools/place.js";
import { mask } from "./mask.js";
import { thrown } from "./observe.js";

const LIMIT_MS = 60_000;

export async function play(scenario, sdk) {
  const raw = await playRaw(scenario, sdk);
  return mask(raw.observed, raw);
}

/** The observation before masking. */
export async function playRaw(scenario, sdk) {
  const place = await openPlace();
  const seen = await within(LIMIT_MS, scenario.run(sdk, place));
  // Values of the scenario itself win, because a scenario that stops in the middle cannot know these.
  const observed = { script: place.script(), requests: place.requests(), ...seen };
  return { observed: { ...observed, processesLeft: await place.close() }, root: place.root };
}

async function within(ms, promise) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve({ noEndWithinMs: ms }), ms);
  });
  const failed = (error) => ({ scenarioThrew: { ...thrown(error), stack: error?.stack } });
  try {
    return await Promise.race([promise.catch(failed), late]);
  } finally {
    clearTimeout(timer);
  }
}
