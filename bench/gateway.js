// Measures `hawser serve` beside the official SDK behind a bare HTTP handler, on the same executable and with the
// same simulated model: the first byte, the whole answer, and the rate. Also measures what the gateway adds to a
// call of a pool in the same program, HTTP included, on a program that answers at once in place of the CLI.
import { ratioFigure, valueFigure } from "./figures.js";
import { atRest } from "./hosts/at-rest.js";
import { GATEWAYS } from "./hosts/gateways.js";
import { openHost, withHost } from "./hosts/open-host.js";
import { ANSWER, instantPlace, realPlace } from "./hosts/places.js";
import { postMessage } from "./post-message.js";
import { interleaved } from "./rounds.js";
import { median } from "./statistics.js";

const ROUNDS = 20;
const WARM_UPS = 3;
const RATE_ROUNDS = 6;
const CALLERS = 2;
const REQUESTS = 100;
/** Fewer, because each takes so much longer that the run would take minutes. */
const OFFICIAL_REQUESTS = 10;

/** The servers with the official SDK, and the limit for the ratio to each. */
const RIVALS = { httpQuery: 1 / 5, httpStartup: 1 };
const ADDED_MS = 10;
const RATE = 5;

export async function run(rounds = ROUNDS) {
  const times = await latencies(Object.keys(GATEWAYS), ["streamed", "whole"], realPlace, rounds);
  // The CLI's own time varies by more than the gateway adds.
  const instant = await latencies(
    ["gateway"],
    ["streamed", "whole", "direct"],
    instantPlace,
    rounds,
  );
  const rates = await interleaved(
    ["gateway", "httpQuery"],
    { rounds: Math.min(rounds, RATE_ROUNDS), warmUps: 0 },
    (name) => ratesOf(name),
  );
  return { figures: [...latencyFigures(times), ...addedFigures(instant), ...rateFigures(rates)] };
}

/** Each server answers one request of each kind in each round. Returns the times by `<server>.<kind>`. */
async function latencies(names, kinds, openPlace, rounds) {
  const hosts = {};
  const ways = names.flatMap((name) => kinds.map((kind) => `${name}.${kind}`));
  const warmUps = Math.min(WARM_UPS, rounds);
  try {
    for (const name of names) hosts[name] = await openHost(name, {}, openPlace);
    return await interleaved(ways, { rounds, warmUps }, async (way) => {
      const [name, kind] = way.split(".");
      await atRest();
      const { text, ...times } = await measured(name, kind, hosts[name]);
      if (openPlace === realPlace) expectAnswer(name, text);
      return times;
    });
  } finally {
    await Promise.allSettled(Object.values(hosts).map((host) => host.close()));
  }
}

async function measured(name, kind, host) {
  if (kind === "direct") {
    const times = await host.ask("direct");
    await host.ask("afterDirect");
    return times;
  }
  const times = await postMessage(await host.ask("port"), kind === "streamed");
  await host.ask("after");
  if (GATEWAYS[name].endsProcess) await host.gone();
  return times;
}

function expectAnswer(name, text) {
  if (text !== ANSWER) throw new Error(`${name} answered: ${text}`);
}

/** Requests a second, of several clients at once. */
function ratesOf(name) {
  return withHost(name, { processes: CALLERS }, realPlace, async (host) => {
    const port = await host.ask("port");
    const requests = name === "gateway" ? REQUESTS : OFFICIAL_REQUESTS;
    // The processes of the pool start before, because a server runs for long.
    if (name === "gateway") await rate(name, port, 2 * CALLERS, false);
    const values = {};
    for (const what of ["whole", "streamed"]) {
      await atRest();
      values[what] = await rate(name, port, requests, what === "streamed");
      await host.ask("after");
      if (GATEWAYS[name].endsProcess) await host.gone();
    }
    return values;
  });
}

async function rate(name, port, requests, isStreamed) {
  let left = requests;
  const client = async () => {
    while (left > 0) {
      left -= 1;
      expectAnswer(name, (await postMessage(port, isStreamed)).text);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: CALLERS }, client));
  return (requests / (performance.now() - startedAt)) * 1000;
}

function latencyFigures(times) {
  return Object.entries(RIVALS).flatMap(([rival, atMost]) => [
    ratioFigure({
      id: `gateway-first-byte-to-${nameOf(rival)}`,
      figure: "first byte of a streamed answer through the gateway, ms",
      against: GATEWAYS[rival].label,
      hawser: times["gateway.streamed"].map(({ firstMs }) => firstMs),
      other: times[`${rival}.streamed`].map(({ firstMs }) => firstMs),
      atMost,
    }),
    ratioFigure({
      id: `gateway-answer-to-${nameOf(rival)}`,
      figure: "whole answer through the gateway, not streamed, ms",
      against: GATEWAYS[rival].label,
      hawser: times["gateway.whole"].map(({ wholeMs }) => wholeMs),
      other: times[`${rival}.whole`].map(({ wholeMs }) => wholeMs),
      atMost,
    }),
  ]);
}

function nameOf(rival) {
  return rival.replace("http", "").toLowerCase();
}

function addedFigures(times) {
  const difference = (through, direct) => median(through) - median(direct);
  return [
    valueFigure({
      id: "gateway-added-first-byte",
      figure: "added by the gateway to the first byte of a pooled call, ms",
      columns: [
        times["gateway.streamed"].map(({ firstMs }) => firstMs),
        times["gateway.direct"].map(({ firstMs }) => firstMs),
      ],
      statistic: difference,
      atMost: ADDED_MS,
    }),
    valueFigure({
      id: "gateway-added-answer",
      figure: "added by the gateway to a whole pooled call, ms",
      columns: [
        times["gateway.whole"].map(({ wholeMs }) => wholeMs),
        times["gateway.direct"].map(({ wholeMs }) => wholeMs),
      ],
      statistic: difference,
    }),
  ];
}

/** @param {Record<string, any[]>} rates */
function rateFigures({ gateway = [], httpQuery = [] }) {
  return ["whole", "streamed"].map((what) =>
    ratioFigure({
      id: `gateway-rate-${what}`,
      figure: `answers through the gateway, ${what}, ${CALLERS} clients at once, 1/s`,
      against: GATEWAYS.httpQuery.label,
      hawser: gateway.map((values) => values[what]),
      other: httpQuery.map((values) => values[what]),
      atLeast: RATE,
    }),
  );
}
