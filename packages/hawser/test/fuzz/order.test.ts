import { describe, expect, it } from "vitest";
import { isHawserError } from "../../src/base/index.js";
import { complete, stream } from "../../src/complete/index.js";
import type { Options } from "../../src/options/index.js";
import { query } from "../../src/query/index.js";
import { openSession } from "../../src/session/index.js";
import { fc } from "../support/fc.js";
import { runs } from "../support/runs.js";
import { lineOf, placesIn, REPLACEMENTS, replaced } from "./mutate.helper.js";
import { acknowledged, Peer } from "./peer.helper.js";
import { AROUND, type Json, PROMPT_ID, REQUESTS, recorded } from "./samples.helper.js";

const asked = REQUESTS.map((request, at) => ({
  type: "control_request",
  request_id: `q${at}`,
  request,
}));
const WHOLE: readonly Json[] = [...recorded("2.1.325").slice(1), ...asked];
const OLDER: readonly Json[] = [...recorded("2.1.197").slice(1), ...asked.slice(0, 2)];

/** The recorded lines in another order, some of them twice or missing, or among other lines. */
const shuffled = fc.constantFrom(WHOLE, OLDER).chain((lines) =>
  fc.oneof(
    fc.shuffledSubarray([...lines], { minLength: lines.length }),
    fc.shuffledSubarray([...lines]),
    fc.array(fc.constantFrom(...lines, ...AROUND), { maxLength: 60 }),
    fc.tuple(fc.subarray([...lines]), fc.subarray([...lines])).map(([a, b]) => [...a, ...b]),
  ),
);

/** Some lines with another value in one field. */
const spoiled = fc
  .tuple(
    shuffled,
    fc.array(fc.tuple(fc.nat(), fc.nat(), fc.constantFrom(...Object.keys(REPLACEMENTS))), {
      maxLength: 3,
    }),
  )
  .map(([lines, changes]) => {
    const result = [...lines];
    for (const [at, place, kind] of changes) {
      const index = at % Math.max(1, result.length);
      const message = result[index];
      if (message === undefined) continue;
      const places = [...placesIn(message)];
      const path = places[place % Math.max(1, places.length)] ?? [];
      if (path.length > 0) result[index] = replaced(message, path, REPLACEMENTS[kind]) as Json;
    }
    return result;
  });

const sizes = fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 4 });
const exit = fc.constantFrom<number | null>(0, 1, null);

/** Prints its lines for the first prompt, in pieces, and exits. */
function peerOf(lines: readonly Json[], cuts: readonly number[], code: number | null): Peer {
  const peer: Peer = new Peer(({ type, request_id, uuid = "" }) => {
    if (type === "control_request") return [acknowledged(request_id)];
    if (type !== "user") return [];
    const text = lines.map((line) => `${lineOf(line).replaceAll(PROMPT_ID, uuid)}\n`).join("");
    const bytes = Buffer.from(text);
    for (let at = 0, turn = 0; at < bytes.length; turn++) {
      const size = cuts[turn % cuts.length] ?? 1;
      peer.stdout.write(bytes.subarray(at, at + size));
      at += size;
    }
    setImmediate(() => peer.leave(code, code === null ? "SIGTERM" : null));
    return [];
  });
  return peer;
}

type Use = (options: Options) => Promise<unknown>;

async function drain(messages: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of messages);
}

const USES: Readonly<Record<string, Use>> = {
  session: async (options) => {
    const session = await openSession({
      ...options,
      canUseTool: async () => ({ behavior: "allow" }),
    });
    const reading = drain(session).catch(expectTyped);
    const turn = session.send("go");
    await drain(turn).catch(expectTyped);
    await turn.text().catch(expectTyped);
    await turn.messages().catch(expectTyped);
    await session.idle().catch(expectTyped);
    await session.close();
    await reading;
  },
  complete: (options) => complete("go", options),
  stream: async (options) => {
    const call = stream("go", options);
    await drain(call).catch(expectTyped);
    await call.completion;
  },
  query: (options) => drain(query({ prompt: "go", options: options as never })),
};

/** query() has the AbortError of the official SDK for an aborted query. */
function expectTyped(error: unknown): void {
  if (isHawserError(error) || (error as Error).name === "AbortError") return;
  throw new Error("not typed", { cause: error });
}

describe.each(Object.entries(USES))("%s with lines in any order", (_, use) => {
  it("settles, or rejects with a HawserError when the CLI exits", async () => {
    await fc.assert(
      fc.asyncProperty(spoiled, sizes, exit, async (lines, cuts, code) => {
        const peer = peerOf(lines, cuts, code);
        await use(peer.options).catch(expectTyped);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: runs(60), timeout: 10_000 },
    );
  });
});
