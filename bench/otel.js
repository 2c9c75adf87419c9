// Measures what `@hawser/otel` costs the calling program: the CPU time for each streamed event and for each call, with
// `instrument()` and the SDK of OpenTelemetry, and with the package loaded but not started.
import { ratioFigure } from "./figures.js";
import { openHost } from "./hosts/open-host.js";
import { ANSWER, instantPlace } from "./hosts/places.js";
import { callAlone } from "./one-call/call-alone.js";
import { interleaved } from "./rounds.js";

const ROUNDS = 15;
const EVENTS = 50_000;
const CALLS = 400;
const CALLERS = 2;

/** By the name of the telemetry: how much the ratio may be. */
const MODES = {
  on: { library: "otel", words: "with `instrument()`", event: 1.25, call: 1.5 },
  off: {
    library: "otelOff",
    words: "with `@hawser/otel` loaded but not started",
    event: 1.05,
    call: 1.05,
  },
};

export async function run(rounds = ROUNDS) {
  // The instant CLI, so that the CLI's own work is not in the figures.
  const figures = [...(await eventFigures(rounds)), ...(await callFigures(rounds, instantPlace))];
  return { figures };
}

async function eventFigures(rounds) {
  const place = await instantPlace({ events: EVENTS });
  try {
    const names = ["hawser", ...Object.values(MODES).map(({ library }) => library)];
    const values = await interleaved(names, { rounds }, async (library) => {
      const { cpuUs, events } = await callAlone(library, "messages", place);
      return cpuUs / events;
    });
    return Object.entries(MODES).map(([mode, { library, words, event }]) =>
      ratioFigure({
        id: `otel-${mode}-event-cpu`,
        figure: `CPU for a streamed event ${words}, µs`,
        against: "hawser without it",
        hawser: values[library],
        other: values["hawser"],
        atMost: event,
      }),
    );
  } finally {
    await place.close();
  }
}

/** Calls of a pool. Each kind of telemetry has a pool in a process of its own. */
async function callFigures(rounds, openPlace) {
  const hosts = {};
  const names = ["none", ...Object.keys(MODES)];
  try {
    for (const telemetry of names) {
      hosts[telemetry] = await openHost("crowd", { processes: CALLERS, telemetry }, openPlace);
    }
    const values = await interleaved(names, { rounds }, async (telemetry) => {
      const host = hosts[telemetry];
      const burst = { calls: CALLS, callers: CALLERS, prompt: "Where is it?", answer: ANSWER };
      const { cpuMs } = await host.ask("burst", burst);
      await host.ask("after");
      return cpuMs / CALLS;
    });
    return Object.entries(MODES).map(([mode, { words, call }]) =>
      ratioFigure({
        id: `otel-${mode}-call-cpu`,
        figure: `CPU for a pooled call on the instant CLI ${words}, ms`,
        against: "hawser without it",
        hawser: values[mode],
        other: values["none"],
        atMost: call,
      }),
    );
  } finally {
    await Promise.allSettled(Object.values(hosts).map((host) => host.close()));
  }
}
