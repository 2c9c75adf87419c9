// Measures a cold call on the real CLI in a fresh program, until the caller has the result: from the start of the program,
// with the import of the library, and from the call alone. The model is simulated and answers at once. Both sides make
// the same lean call.
import { ratioFigure } from "./figures.js";
import { realPlace } from "./hosts/places.js";
import { callAlone, LIBRARIES } from "./one-call/call-alone.js";
import { interleaved } from "./rounds.js";

const ROUNDS = 25;
const FIGURES = [
  {
    id: "first-answer-program",
    figure: "first answer of the real CLI, from the start of the program, ms",
    timeOf: ({ programMs }) => programMs,
  },
  {
    id: "first-answer",
    figure: "first answer of the real CLI, ms",
    timeOf: ({ callMs }) => callMs,
  },
];

export async function run(rounds = ROUNDS) {
  const place = await realPlace();
  try {
    const { hawser, official } = await interleaved(LIBRARIES, { rounds }, async (library) => {
      const times = await callAlone(library, "result", place);
      // Processes that are still ending would slow the next call down.
      await place.gone();
      return times;
    });
    return {
      figures: FIGURES.map(({ timeOf, ...figure }) =>
        ratioFigure({
          ...figure,
          against: "official SDK",
          hawser: hawser.map(timeOf),
          other: official.map(timeOf),
          atMost: 1.03,
        }),
      ),
    };
  } finally {
    await place.close();
  }
}
