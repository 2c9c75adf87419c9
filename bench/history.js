// Measures a call with earlier messages on a recycled process, beside a call without them, and beside the
// resume of a transcript that holds the same messages.
import { ratioFigure, valueFigure } from "./figures.js";
import { HISTORIES } from "./hosts/histories.js";
import { measureCalls } from "./hosts/measure-calls.js";
import { realPlace } from "./hosts/places.js";

const ROUNDS = 20;
const WARM_UPS = 3;

export async function run(rounds = ROUNDS) {
  const { times } = await measureCalls(["recycled", ...Object.keys(HISTORIES)], {
    rounds,
    warmUps: Math.min(WARM_UPS, rounds),
    openPlace: realPlace,
  });
  const samples = (name) => times[name].map(({ ms }) => ms);
  return {
    figures: [
      ratioFigure({
        id: "history-4",
        figure: "one call, recycled process, 4 earlier messages, ms",
        against: "without earlier messages",
        hawser: samples("history4"),
        other: samples("recycled"),
        atMost: 1.5,
      }),
      valueFigure({
        id: "history-50",
        figure: "one call, recycled process, 50 earlier messages, ms",
        columns: [samples("history50")],
        atMost: 1000,
      }),
      ratioFigure({
        id: "history-4-to-resume",
        figure: "one call, recycled process, 4 earlier messages, ms",
        against: "`resume` of a transcript",
        hawser: samples("history4"),
        other: samples("resumed4"),
      }),
      ratioFigure({
        id: "history-50-to-resume",
        figure: "one call, recycled process, 50 earlier messages, ms",
        against: "`resume` of a transcript",
        hawser: samples("history50"),
        other: samples("resumed50"),
      }),
    ],
  };
}
