// Measures what subscribers to the events cost the calling program: the CPU time for each streamed event with
// a subscriber on every channel, against that without one.
import { ratioFigure } from "./figures.js";
import { instantPlace } from "./hosts/places.js";
import { callAlone } from "./one-call/call-alone.js";
import { interleaved } from "./rounds.js";

const EVENTS = 50_000;
const ROUNDS = 15;

const FIGURES = [
  {
    id: "event-cpu-subscribed",
    figure: "CPU for a streamed event with a subscriber on every channel, µs",
    library: "subscribed",
    atMost: 1.25,
  },
  {
    // One channel of tools needs the observer too, but no list of messages.
    id: "event-cpu-tools",
    figure: "CPU for a streamed event with a subscriber on the channels of tools, µs",
    library: "tools",
    atMost: 1.25,
  },
];

export async function run(rounds) {
  const place = await instantPlace({ events: EVENTS });
  try {
    const names = ["hawser", ...FIGURES.map(({ library }) => library)];
    const values = await interleaved(names, { rounds: rounds ?? ROUNDS }, async (library) => {
      const { cpuUs, events } = await callAlone(library, "messages", place);
      return cpuUs / events;
    });
    const against = "hawser without a subscriber";
    const figures = FIGURES.map(({ library, ...figure }) =>
      ratioFigure({ ...figure, against, hawser: values[library], other: values["hawser"] }),
    );
    return { figures };
  } finally {
    await place.close();
  }
}
