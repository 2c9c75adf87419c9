import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { Action } from "../../src/testing/index.js";
import { BUILT_ROOT } from "../support/built.js";
import { fake, partial } from "./fake.helper.js";

const run = promisify(execFile);

/**
 * A program that reads a message every 50 ms as long as the CLI prints, and then the rest. It tells
 * the most memory that it ever had, and what came.
 */
const PROGRAM = `
  import { openSession } from ${JSON.stringify(BUILT_ROOT)};
  const session = await openSession({ cliPath: process.argv[1], includePartialMessages: true });
  const turn = session.send("go");
  let ended = false;
  turn.result.then(() => { ended = true; });
  const came = { length: 0, batches: 0, coalesced: 0, paused: 0 };
  for await (const message of turn) {
    const { delta } = message.event ?? {};
    came.length += (delta?.text ?? delta?.partial_json ?? "").length;
    if (message.type === "batch") came.batches += 1;
    if (message.type === "hawser") came[message.subtype] += 1;
    if (!ended && came.paused === 0) await new Promise((done) => setTimeout(done, 50));
  }
  await session.close();
  const peakMb = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(JSON.stringify({ ...came, peakMb }));`;

async function measure(actions: readonly Action[]) {
  const steps = [{ on: "user", do: [{ init: {} }, ...actions, { result: {} }] }] as const;
  const { path } = await fake(steps);
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", PROGRAM, path]);
  return JSON.parse(stdout) as Record<"length" | "batches" | "coalesced" | "peakMb", number>;
}

const times = (count: number, actions: readonly Action[]) =>
  Array.from({ length: count }, () => actions).flat();

describe("a program with a slow consumer", () => {
  it("keeps its memory bounded while 120 MB of small pieces arrive", async () => {
    const [batches, perBatch] = [40, 10_000];
    const batch: Action[] = [
      { emit: partial("twenty characters!!!"), times: perBatch },
      { emit: { type: "batch" } },
    ];
    const { peakMb, ...came } = await measure(times(batches, batch));
    expect(came).toMatchObject({ length: 20 * batches * perBatch, batches });
    expect(came.coalesced).toBeGreaterThan(0);
    expect(peakMb).toBeLessThan(LIMIT_MB);
  });

  it("keeps its memory bounded while 250 MB of large pieces arrive, more than it can buffer", async () => {
    const piece = {
      ...partial(""),
      event: {
        type: "content_block_delta",
        index: 1,
        delta: { type: "input_json_delta", partial_json: "x".repeat(100_000) },
      },
    };
    const batch: Action[] = [{ emit: piece, times: 100 }, { emit: { type: "batch" } }];
    const { peakMb, ...came } = await measure(times(25, batch));
    expect(came).toMatchObject({ length: 250_000_000, batches: 25 });
    expect(peakMb).toBeLessThan(LIMIT_MB);
  });
});

/** Seen: 140 and 235. */
const LIMIT_MB = 400;
