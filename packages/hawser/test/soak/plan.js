// What happens to each call of a soak. It depends on the seed alone.

/** Numbers in [0, 1) that are the same for the same seed. */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The behaviours of the model, with their frequencies in percent. */
const MODEL = {
  answers: 67,
  isSlow: 16,
  hangs: 4,
  stalls: 3,
  500: 6,
  401: 2,
  529: 1,
  429: 1,
};

const WAY = { complete: 68, stream: 26, session: 6 };

/** What ends a call early, if anything. */
const END = { nobody: 86, abort: 8, timeout: 6 };

/** `lean`: the process is reused after a reset. The others need a process of their own. */
const KIND = { lean: 80, other: 14, tools: 4, alone: 2 };

export function planOf(seed, number) {
  const random = randomFrom(Math.imul(seed, 65_537) + number);
  const pick = (weights) => {
    let left = random() * Object.values(weights).reduce((sum, each) => sum + each, 0);
    for (const [name, weight] of Object.entries(weights)) {
      left -= weight;
      if (left < 0) return name;
    }
    return Object.keys(weights)[0];
  };
  const model = pick(MODEL);
  // A call without an answer must be ended by an abort or a timeout.
  const neverEnds = model === "hangs" || model === "stalls";
  const ended = neverEnds ? pick({ abort: 1, timeout: 1 }) : pick(END);
  const afterMs = Math.round(600 ** random());
  return {
    number,
    word: `soak-${seed}-${number}-end`,
    model,
    way: pick(WAY),
    kind: pick(KIND),
    ended,
    afterMs: neverEnds ? 100 + afterMs : afterMs,
    retries: random() < 0.1 ? 1 : 0,
    /** One of the pool's processes is killed after this many milliseconds. */
    killAfterMs: random() < 0.05 ? Math.round(random() * 400) : undefined,
    which: random(),
    priority: Math.floor(random() * 3),
    tenant: random() < 0.5 ? "one" : undefined,
  };
}

/** The outcomes that a plan may have; `process_exited` only if something was killed. */
export function allowed(plan, hasKilled) {
  const { model, ended } = plan;
  const codes = new Set(CODES[model] ?? ["ok"]);
  if (ended === "abort") codes.add("aborted");
  if (ended === "timeout") codes.add("timeout");
  if (hasKilled) codes.add("process_exited");
  return codes;
}

const CODES = {
  hangs: [],
  stalls: [],
  500: ["api_error"],
  401: ["auth"],
  529: ["overloaded"],
  429: ["rate_limited"],
};
