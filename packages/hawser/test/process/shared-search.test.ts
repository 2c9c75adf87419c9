import { describe, expect, it } from "vitest";
import { ownTurn } from "../../src/process/end/own-turn.js";
import type { MarkSearch } from "../../src/process/end/process-table.js";
import { SharedSearch } from "../../src/process/end/shared-search.js";
import { runAtOnce, runInSlices, type Steps } from "../../src/process/end/steps.js";

/** A search that finds a process for each marker, and records what it was asked for. */
function recording(workMs = 0): { search: MarkSearch; asked: (readonly string[])[] } {
  const asked: (readonly string[])[] = [];
  return {
    asked,
    search: {
      *find(markers) {
        asked.push([...markers]);
        yield* busy(workMs);
        const found = markers.map((value, pid) => ({ pid, started: "1", value }));
        return { found, isCertain: true, hasMissed: false };
      },
      forget: () => void asked.push(["forget"]),
    },
  };
}

function* busy(ms: number): Steps<void> {
  const until = performance.now() + ms;
  while (performance.now() < until) yield;
}

/** Each step is longer than a slice. */
function* longSteps(count: number): Steps<void> {
  for (let i = 0; i < count; i += 1) {
    runAtOnce(busy(5));
    yield;
  }
}

describe("SharedSearch", () => {
  it("serves all markers of the same moment with one search", async () => {
    const { search, asked } = recording();
    const shared = new SharedSearch(() => search);
    const markers = Array.from({ length: 40 }, (_, i) => `m/${i}/`);
    const found = await Promise.all(markers.map((marker) => shared.find(marker, false)));
    expect(asked).toEqual([markers]);
    expect(found.map((each) => each.found.map(({ value }) => value))).toEqual(
      markers.map((marker) => [marker]),
    );
  });

  it("starts another search for a marker that comes while one is running", async () => {
    const { search, asked } = recording(20);
    const shared = new SharedSearch(() => search);
    const first = shared.find("a", false);
    while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const others = [shared.find("b", false), shared.find("c", false)];
    expect((await first).found).toMatchObject([{ value: "a" }]);
    const found = (await Promise.all(others)).flatMap((each) => each.found);
    expect(found).toMatchObject([{ value: "b" }, { value: "c" }]);
    expect(asked).toEqual([["a"], ["b", "c"]]);
  });

  it("reads everything again for all if one asks for it", async () => {
    const { search, asked } = recording();
    const shared = new SharedSearch(() => search);
    await Promise.all([shared.find("a", false), shared.find("b", true)]);
    await shared.find("c", false);
    expect(asked).toEqual([["forget"], ["a", "b"], ["c"]]);
  });
});

describe("runInSlices()", () => {
  it("lets other work run between two slices", async () => {
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await runInSlices(longSteps(6));
    isDone = true;
    expect(turns).toBeGreaterThanOrEqual(5);
  });
});

describe("ownTurn()", () => {
  it("gives each caller a turn of the event loop to itself, and the first the present one", async () => {
    let turn = 0;
    let isDone = false;
    const count = () => {
      turn += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const taken = Array.from({ length: 5 }, async () => {
      await ownTurn();
      return turn;
    });
    const turns = await Promise.all(taken);
    expect(turns[0]).toBe(0);
    expect(new Set(turns).size).toBe(5);
    // Once all have had theirs, a turn is free again.
    while (turn < 10) await new Promise((resolve) => setImmediate(resolve));
    isDone = true;
    expect(ownTurn()).toBeUndefined();
  });
});
