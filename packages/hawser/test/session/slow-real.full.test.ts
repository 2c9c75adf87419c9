import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { reply } from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { open } from "../support/open-session.js";
import { textOf } from "./fake.helper.js";

const PIECES = 6_000;
const LONG = "twenty characters!!! ".repeat(PIECES);

describe.each(clisInTurn())("a slow consumer on $name", ({ path }) => {
  it("receives all of the text of thousands of pieces in bounded memory", async () => {
    const { session } = await open(path, [reply(LONG, { chunks: PIECES })], {
      includePartialMessages: true,
    });
    const before = process.memoryUsage().rss;
    const turn = session.send("go");
    const seen: Parameters<typeof textOf>[0][number][] = [];
    let most = 0;
    for await (const message of turn) {
      seen.push(message);
      if (seen.length % 60 === 0) await sleep(20);
      most = Math.max(most, process.memoryUsage().rss - before);
    }
    expect(textOf(seen)).toBe(LONG);
    expect((await turn.result).result).toBe(LONG);
    // All of it together is about 3 MB on the line.
    expect(most).toBeLessThan(150 * 1024 * 1024);
  });
});
