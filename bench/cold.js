// Measures a cold call on the real CLI: from the start of a fresh process until the caller has the result.
// The model is simulated and answers at once. Both sides make the same lean call.
import { fileURLToPath } from "node:url";
import { always } from "hawser/testing";
import { openPlace } from "../tools/place.js";
import { pairs, runAlone } from "./figures.js";
import { call } from "./overhead.js";

const FIGURE = {
  id: "first-answer",
  figure: "first answer of the real CLI, ms",
  rounds: 21,
  target: 1.05,
};

export async function run() {
  const place = await openPlace();
  try {
    place.model.add(always("Here it is."));
    const options = { cli: place.cli, cwd: place.cwd, env: place.env };
    return [
      await pairs(FIGURE, async (library) => {
        const { callMs } = await call(library, "result", options);
        // Processes that are still ending would slow the next call down.
        await place.gone();
        return callMs;
      }),
    ];
  } finally {
    await place.close();
  }
}

await runAlone(fileURLToPath(import.meta.url), run);
