// Measures a cold call on the real CLI: from the start of a fresh process until the caller has the result.
// The model is simulated and answers at once. Both sides make the same lean call.
import { ratioFigure } from "./figures.js";
import { realPlace } from "./hosts/places.js";
import { callAlone, LIBRARIES } from "./one-call/call-alone.js";
import { interleaved } from "./rounds.js";

const ROUNDS = 25;

export async function run(rounds = ROUNDS) {
  const place = await realPlace();
  try {
    const times = await interleaved(LIBRARIES, { rounds }, async (library) => {
      const { callMs } = await callAlone(library, "result", place);
      // Processes that are still ending would slow the next call down.
      await place.gone();
      return callMs;
    });
    return {
      figures: [
        ratioFigure({
          id: "first-answer",
          figure: "first answer of the real CLI, ms",
          against: "official SDK",
          hawser: times.hawser,
          other: times.official,
          atMost: 1.03,
        }),
      ],
    };
  } finally {
    await place.close();
  }
}
