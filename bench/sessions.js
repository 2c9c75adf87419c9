// Measures the memory that an open, idle session takes in the host.
import { valueFigure } from "./figures.js";
import { withHost } from "./hosts/open-host.js";
import { instantPlace } from "./hosts/places.js";
import { interleaved } from "./rounds.js";

const ROUNDS = 6;
const SESSIONS = { first: 5, further: 40 };

export async function run(rounds = ROUNDS) {
  // In a new process each time, because memory that was freed once is used again.
  const { host } = await interleaved(["host"], { rounds, warmUps: 0 }, () =>
    withHost("sessions", {}, instantPlace, (each) => each.ask("memory", SESSIONS)),
  );
  return {
    figures: [
      valueFigure({
        id: "session-heap",
        figure: "memory of an open session, objects and buffers, KB",
        columns: [host.map(({ heap }) => heap / 1e3)],
      }),
      valueFigure({
        id: "session-rss",
        figure: "memory of an open session, resident, KB",
        columns: [host.map(({ rss }) => rss / 1e3)],
      }),
    ],
  };
}
