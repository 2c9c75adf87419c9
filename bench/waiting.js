// Measures 10,000 callers that wait for a pool of eight processes, on the instant CLI: the memory that each
// of them takes in the host, and the time until all are served.
import { valueFigure } from "./figures.js";
import { withHost } from "./hosts/open-host.js";
import { instantPlace } from "./hosts/places.js";
import { interleaved } from "./rounds.js";

const ROUNDS = 6;
const CALLERS = 10_000;
/** Enough to start the processes and to compile the code. */
const FIRST_CALLERS = 500;
const POOL = { processes: 8, queueLimit: CALLERS };

export async function run(rounds = ROUNDS) {
  const { crowd } = await withHost("crowd", POOL, instantPlace, (host) =>
    interleaved(["crowd"], { rounds }, (_, round) =>
      host.ask("crowd", round < 0 ? FIRST_CALLERS : CALLERS),
    ),
  );
  return {
    figures: [
      valueFigure({
        id: "waiting-memory",
        figure: "memory of a waiting caller, 10,000 of them, KB",
        columns: [crowd.map(({ bytes }) => bytes / 1e3)],
      }),
      valueFigure({
        id: "waiting-time",
        figure: "10,000 waiting callers, all served after, s",
        columns: [crowd.map(({ ms }) => ms / 1e3)],
      }),
    ],
  };
}
