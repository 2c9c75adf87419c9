import { describe, expect, it } from "vitest";
import type { Action } from "../../src/testing/index.js";
import { isMessage, isResult, type Message } from "../../src/wire/index.js";
import { until } from "../support/proc.js";
import { recordingLogger } from "../support/recording-logger.js";
import { answered, asksFor, open, partial, textOf } from "./fake.helper.js";

const SHOWS = { includePartialMessages: true } as const;
const allow = async () => ({ behavior: "allow" }) as const;

/** So many pieces, and a whole message after every batch. */
function flood(batches: number, perBatch: number, text: string): Action[] {
  return Array.from({ length: batches }, (_, i): Action[] => [
    { emit: partial(text), times: perBatch },
    { emit: { type: "batch", i } },
  ]).flat();
}

function batchesOf(messages: readonly Message[]): unknown[] {
  return messages.flatMap((message) =>
    (message.type as string) === "batch" ? [Reflect.get(message, "i")] : [],
  );
}

function countOf(messages: readonly Message[], subtype: string): number {
  return messages.filter((each) => isMessage(each, "hawser") && each.subtype === subtype).length;
}

describe("a slow consumer", () => {
  it("gets everything in order in joined pieces, while permission requests are answered", async () => {
    const [batches, perBatch] = [10, 6_000];
    const actions = flood(batches, perBatch, "twenty characters!!!");
    const asked = actions.flatMap((action, i): Action[] =>
      i % 2 === 1 ? [action, { emit: asksFor(`p${(i - 1) / 2}`) }] : [action],
    );
    const { session, cli } = await open(
      [{ on: "user", do: [{ init: {} }, ...asked, { result: { result: "done" } }] }],
      { ...SHOWS, canUseTool: allow },
    );
    const turn = session.send("go");
    const seen: Message[] = [];
    let ended = false;
    void turn.result.then(() => {
      ended = true;
    });
    for await (const message of turn) {
      seen.push(message);
      if (!ended) await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(seen.length).toBeLessThan(batches * perBatch);
    expect(countOf(seen, "coalesced")).toBeGreaterThan(0);
    expect([countOf(seen, "dropped"), countOf(seen, "paused")]).toEqual([0, 0]);
    expect(textOf(seen)).toBe("twenty characters!!!".repeat(batches * perBatch));
    expect(batchesOf(seen)).toEqual(Array.from({ length: batches }, (_, i) => i));
    expect(seen.filter(isResult)).toHaveLength(1);
    expect(await answered(cli)).toEqual(Array.from({ length: batches }, (_, i) => `p${i}`));
  });

  it("delays neither permission answers nor the result when it reads nothing", async () => {
    const { session, cli } = await open(
      [
        {
          on: "user",
          do: [
            { init: {} },
            ...flood(5, 10_000, "twenty characters!!!"),
            { emit: asksFor("last") },
            { result: { result: "done" } },
          ],
        },
      ],
      { ...SHOWS, canUseTool: allow },
    );
    const turn = session.send("go");
    await turn[Symbol.asyncIterator]().next();
    await session[Symbol.asyncIterator]();
    await until(async () => (await answered(cli)).includes("last"));
    expect(await turn.text()).toBe("done");
  });

  it("gets all of the text at 1,000 pieces a second", async () => {
    const tick: Action[] = [{ emit: partial("x"), times: 25 }, { sleep: 20 }];
    const ticks = Array.from({ length: 120 }, () => tick).flat();
    const { session, cli } = await open(
      [
        {
          on: "user",
          do: [{ init: {} }, ...ticks, { emit: asksFor("p") }, { result: { result: "done" } }],
        },
      ],
      { ...SHOWS, canUseTool: allow },
    );
    const turn = session.send("go");
    const seen: Message[] = [];
    let ended = false;
    void turn.result.then(() => {
      ended = true;
    });
    for await (const message of turn) {
      seen.push(message);
      if (!ended) await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(textOf(seen)).toBe("x".repeat(3_000));
    expect(await answered(cli)).toEqual(["p"]);
  });
});

describe("a turn without a reader", () => {
  it("has its result, and reports dropped messages to a later reader", async () => {
    const { session } = await open(
      [
        {
          on: "user",
          do: [
            { init: {} },
            ...flood(7, 10, "x".repeat(1024 * 1024)),
            { assistant: "done" },
            { result: { result: "done" } },
          ],
        },
      ],
      SHOWS,
    );
    const turn = session.send("go");
    expect(await turn.text()).toBe("done");
    const seen: Message[] = [];
    for await (const message of turn) seen.push(message);
    expect(seen[0]).toMatchObject({ type: "hawser", subtype: "dropped" });
    expect(seen.at(-1)).toEqual(await turn.result);
  });
});

describe("a reader that is too far behind", () => {
  it("pauses the CLI, gets a notice, and receives the rest when it reads on", async () => {
    const batches = 12;
    const { logger, entries } = recordingLogger();
    const { session } = await open(
      [
        {
          on: "user",
          do: [
            { init: {} },
            ...flood(batches, 10, "x".repeat(1024 * 1024)),
            { result: { result: "done" } },
          ],
        },
      ],
      { ...SHOWS, logger },
    );
    const turn = session.send("go");
    const reader = turn[Symbol.asyncIterator]();
    const seen: Message[] = [(await reader.next()).value];
    const halted = until(() =>
      entries.some(({ message }) => message.startsWith("reading is paused")),
    );
    const ended = turn.result.then(() => "ended");
    expect(await Promise.race([ended, halted.then(() => "halted")])).toBe("halted");
    for (let next = await reader.next(); next.done !== true; next = await reader.next()) {
      seen.push(next.value);
    }
    expect(countOf(seen, "paused")).toBeGreaterThan(0);
    expect(batchesOf(seen)).toEqual(Array.from({ length: batches }, (_, i) => i));
    expect(textOf(seen)).toHaveLength(batches * 10 * 1024 * 1024);
    expect((await turn.result).result).toBe("done");
  });
});
