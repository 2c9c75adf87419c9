import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createPool } from "../../src/pool/index.js";
import { type RecordedRequest, SimulatedModel } from "../../src/testing/index.js";
import { CLIS, clisInTurn, FULL } from "../support/cli.js";
import { world } from "../support/world.js";
import { findings, surprises } from "./isolation/check.helper.js";
import { modelFor } from "./isolation/model.helper.js";
import { plan } from "./isolation/plan.helper.js";
import { Random } from "./isolation/random.helper.js";
import { runAll } from "./isolation/run.helper.js";

/**
 * `npm run isolation` makes many more calls, with random options. A failed run is repeated by its seed.
 * The seed of `npm test` has an abort, an error, an in-process tool and a permission callback.
 */
const IS_LONG = FULL || process.env["ISOLATION_CALLS"] !== undefined;
const CALLS = Number(process.env["ISOLATION_CALLS"] ?? (FULL ? 60 : 10));
const SEED = Number(process.env["ISOLATION_SEED"] ?? (IS_LONG ? Date.now() % 1_000_000 : 1128));

/** In a long run the older CLI has the smaller share. */
const SHARES = [0.7, 0.3];
const SHARED = IS_LONG
  ? CLIS.map((cli, i) => ({ ...cli, share: SHARES[i] ?? 0 }))
  : clisInTurn().map((cli) => ({ ...cli, share: 1 }));

describe.each(SHARED)("Pool on the real CLI $name", ({ name, path, share }) => {
  it(
    "shows no call a word, a session or a permission of another call",
    async () => {
      const seed = SEED + (IS_LONG ? CLIS.findIndex((cli) => cli.name === name) : 0);
      const place = await world(path, []);
      const root = join(place.home, "folders");
      const calls = plan(seed, Math.round(CALLS * share), root, place.options);
      await using model = await SimulatedModel.start({ replies: modelFor(calls) });
      for (const { options } of calls)
        Object.assign(options.env ?? {}, { ANTHROPIC_BASE_URL: model.url });
      const atOnce = 2 + new Random(seed).below(3);
      // A short run has no spares, because each spare is one more start of the CLI.
      const size = IS_LONG ? { max: 8 } : { min: 0, max: 8 };
      await using pool = createPool({ size, concurrency: atOnce });
      const told = await runAll(pool, calls, atOnce);
      const { calls: counts, processes } = pool.stats();
      const { started, discarded } = processes;
      console.info(JSON.stringify({ cli: name, seed, atOnce, by: counts.by, started, discarded }));
      const about = `ISOLATION_SEED=${SEED} ISOLATION_CALLS=${CALLS}`;
      expect(findings(calls, model.requests, told), about).toEqual([]);
      expect(surprises(told), about).toEqual([]);
      expect(counts.by.recycled, about).toBeGreaterThan(0);
    },
    20 * 60_000,
  );
});

it("findings() reports a word, a session, an environment or a system prompt of another call", () => {
  const [one, two] = plan(1, 2, "/folders", { env: {} });
  if (one === undefined || two === undefined) throw new Error("There are too few calls.");
  const requestOf = (call: typeof one, more: string): RecordedRequest =>
    ({
      kind: "call",
      number: 1,
      headers: { "x-canary": call.home.word, "x-claude-code-session-id": "the-same" },
      body: { messages: [call.word, more], metadata: { user_id: '{"session_id":"the-same"}' } },
      system: call.system,
      model: call.kind === "session" ? "claude-sonnet-4-5" : call.options.model,
      toolResults: [],
    }) as unknown as RecordedRequest;
  const clean = requestOf(one, one.answer);
  expect(findings([one, two], [clean], [])).toEqual([]);
  const found = (request: RecordedRequest) => findings([one, two], [clean, request], []).join();
  expect(found(requestOf(one, two.answer))).toContain(`${two.answer} in request call 0`);
  expect(found(requestOf(one, two.word))).toContain("call 0 (");
  expect(found(requestOf(two, ""))).toContain("session of call 0");
  expect(found({ ...clean, headers: {} })).toContain("not its own environment");
  expect(found({ ...clean, system: "" })).toContain("not its own system prompt");
});
