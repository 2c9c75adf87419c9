import { describe, expect, it } from "vitest";
import { FairQueue, type Queued } from "../../src/pool/admission/fair-queue.js";
import { fc } from "../support/fc.js";

interface Item extends Queued {
  readonly name: string;
}

/** "a1" is the item of that name in lane "a"; "a1^5" has priority 5. */
function item(text: string): Item {
  const [name = "", priority = "0"] = text.split("^");
  return { name, lane: name.charAt(0), priority: Number(priority) };
}

function queueOf(...texts: string[]): FairQueue<Item> {
  const queue = new FairQueue<Item>();
  for (const text of texts) queue.add(item(text));
  return queue;
}

const anyone = () => true;

function takeAll(queue: FairQueue<Item>, mayGo: (item: Item) => boolean = anyone): string[] {
  const names: string[] = [];
  for (let next = queue.take(mayGo); next !== undefined; next = queue.take(mayGo)) {
    names.push(next.name);
  }
  return names;
}

describe("FairQueue", () => {
  it("serves one lane in order of arrival", () => {
    expect(takeAll(queueOf("a1", "a2", "a3"))).toEqual(["a1", "a2", "a3"]);
  });

  it("serves the lanes in turn, however many entries one lane has", () => {
    const queue = queueOf("a1", "a2", "a3", "a4", "b1", "c1", "b2");
    expect(takeAll(queue)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
  });

  it("serves the highest priority first, and its lanes in turn", () => {
    const queue = queueOf("a1", "b1^-1", "a2^5", "a3^5", "b2^5", "c1", "a4^7.5");
    expect(takeAll(queue)).toEqual(["a4", "a2", "b2", "a3", "a1", "c1", "b1"]);
  });

  it("serves a lane that arrives before the lane that was just served", () => {
    const queue = queueOf("a1", "a2");
    expect(queue.take(anyone)?.name).toBe("a1");
    queue.add(item("b1"));
    expect(takeAll(queue)).toEqual(["b1", "a2"]);
  });

  it("serves a waiting lane before the lane that was just served, though that lane became empty and arrived first", () => {
    const queue = queueOf("a1");
    expect(queue.take(anyone)?.name).toBe("a1");
    expect(queue.take(anyone)).toBeUndefined();
    for (const name of ["a2", "b1"]) queue.add(item(name));
    expect(takeAll(queue)).toEqual(["b1", "a2"]);
  });

  it("gives a returning lane no credit for its absence", () => {
    const queue = queueOf("b1", "a1", "a2", "a3", "c1", "c2");
    expect([queue.take(anyone), queue.take(anyone)].map((each) => each?.name)).toEqual([
      "b1",
      "a1",
    ]);
    for (const name of ["b2", "b3", "b4"]) queue.add(item(name));
    expect(takeAll(queue)).toEqual(["c1", "b2", "a2", "c2", "b3", "a3", "b4"]);
  });

  it("serves a lane although new lanes keep arriving", () => {
    const queue = queueOf("a1", "a2");
    const served = [queue.take(anyone)?.name];
    for (const fresh of ["b1", "c1", "d1"]) {
      queue.add(item(fresh));
      served.push(queue.take(anyone)?.name);
    }
    expect(served).toEqual(["a1", "b1", "a2", "c1"]);
  });

  it("keeps the turn of each priority apart from the others", () => {
    const queue = queueOf("a1", "a2", "b1");
    expect(queue.take(anyone)?.name).toBe("a1");
    queue.add(item("b9^1"));
    expect(takeAll(queue)).toEqual(["b9", "b1", "a2"]);
  });
});

describe("FairQueue with an entry that may not go", () => {
  it("keeps the entry, and serves its lane and lower priorities", () => {
    const queue = queueOf("a1^1", "a2^1", "b1^1", "c1");
    const unless = (...names: string[]) => takeAll(queue, ({ name }) => !names.includes(name));
    expect(unless("a1", "b1")).toEqual(["a2", "c1"]);
    expect(queue.size).toBe(2);
    expect(takeAll(queue)).toEqual(["b1", "a1"]);
  });

  it("keeps the turn of the entry", () => {
    const queue = queueOf("a1", "b1", "b2", "c1");
    expect(queue.take(({ lane }) => lane !== "a")?.name).toBe("b1");
    expect(takeAll(queue)).toEqual(["a1", "c1", "b2"]);
  });
});

describe("FairQueue entries", () => {
  it("can be removed from the middle, once", () => {
    const queue = new FairQueue<Item>();
    const items = ["a1", "a2", "b1^1"].map(item);
    for (const each of items) queue.add(each);
    expect(items.slice(1).map((each) => queue.remove(each))).toEqual([true, true]);
    expect(items.slice(1).map((each) => queue.remove(each))).toEqual([false, false]);
    expect(queue.remove(item("a1"))).toBe(false);
    expect([queue.size, takeAll(queue)]).toEqual([1, ["a1"]]);
  });

  it("are held once", () => {
    const queue = new FairQueue<Item>();
    const only = item("a1");
    for (const each of [only, only]) queue.add(each);
    expect([queue.size, takeAll(queue), queue.size]).toEqual([1, ["a1"], 0]);
  });

  it("can be iterated while the queue changes", () => {
    const queue = queueOf("a1", "b1^2", "a2", "c1^2");
    const seen: string[] = [];
    for (const each of queue) {
      seen.push(each.name);
      queue.remove(each);
    }
    expect([seen, queue.size]).toEqual([["b1", "c1", "a1", "a2"], 0]);
  });

  it("can be cleared, and the queue used again", () => {
    const queue = queueOf("a1", "b1^2");
    expect(queue.clear().map(({ name }) => name)).toEqual(["b1", "a1"]);
    expect([queue.size, [...queue], queue.take(anyone)]).toEqual([0, [], undefined]);
    queue.add(item("a2"));
    expect(takeAll(queue)).toEqual(["a2"]);
  });

  it("may have any string as their lane", () => {
    const queue = new FairQueue<Queued>();
    const lanes = ["__proto__", "constructor", ""];
    for (const lane of lanes) queue.add({ lane, priority: 0 });
    expect(lanes.map(() => queue.take(anyone)?.lane)).toEqual(lanes);
  });

  it("are served in linear time: 10,000 in one lane, and 10,000 lanes", () => {
    for (const laneOf of [
      () => "a",
      (index: number) => `${index}`,
      (index: number) => `${index % 7}`,
    ]) {
      const queue = new FairQueue<Queued>();
      for (let index = 0; index < 10_000; index += 1) {
        queue.add({ lane: laneOf(index), priority: 0 });
      }
      const taken = new Set(Array.from({ length: 10_000 }, () => queue.take(anyone)));
      expect([taken.size, taken.has(undefined), queue.size]).toEqual([10_000, false, 0]);
    }
  });
});

type Step =
  | { readonly do: "add"; readonly lane: string; readonly priority: number }
  | { readonly do: "take"; readonly refused: readonly string[] }
  | { readonly do: "remove"; readonly at: number };

const lanes = fc.constantFrom("a", "b", "c", "d");

function steps(refused: fc.Arbitrary<string[]>): fc.Arbitrary<Step[]> {
  const add = fc.record({ do: fc.constant("add" as const), lane: lanes, priority: fc.nat(2) });
  const take = fc.record({ do: fc.constant("take" as const), refused });
  const remove = fc.record({ do: fc.constant("remove" as const), at: fc.nat() });
  return fc.array(fc.oneof({ arbitrary: add, weight: 4 }, { arbitrary: take, weight: 3 }, remove), {
    maxLength: 120,
  });
}

/** Plays the steps. `taken` gets each served item and the waiting items, in order of arrival. */
function play(
  all: readonly Step[],
  taken: (item: Item | undefined, waiting: readonly Item[], step: Step & { do: "take" }) => void,
): void {
  const queue = new FairQueue<Item>();
  const waiting: Item[] = [];
  for (const [index, step] of all.entries()) {
    if (step.do === "add") {
      const { lane, priority } = step;
      const added = { name: `${lane}${index}`, lane, priority };
      queue.add(added);
      waiting.push(added);
    } else if (step.do === "take") {
      const item = queue.take(({ lane }) => !step.refused.includes(lane));
      taken(item, waiting, step);
      if (item !== undefined) waiting.splice(waiting.indexOf(item), 1);
    } else {
      const [removed] = waiting.splice(step.at % (waiting.length || 1), 1);
      if (removed !== undefined) expect(queue.remove(removed)).toBe(true);
    }
    expect(queue.size).toBe(waiting.length);
  }
  expect(new Set(queue)).toEqual(new Set(waiting));
}

describe("FairQueue with items that may go out of turn", () => {
  const preferring = (lanes: string, patience: number) => ({
    isPreferred: ({ lane }: Item) => lanes.includes(lane),
    patienceOf: () => patience,
  });
  const takeBy = (queue: FairQueue<Item>, lanes: string, patience: number, times: number) =>
    Array.from({ length: times }, () => queue.take(anyone, preferring(lanes, patience))?.name);

  it("lets preferred items pass the next one, as often in a row as its patience allows", () => {
    const queue = queueOf("a1", "b1", "b2", "b3", "b4", "a2");
    expect(takeBy(queue, "b", 2, 6)).toEqual(["b1", "b2", "a1", "b3", "b4", "a2"]);
  });

  it("keeps the turns of preferred lanes", () => {
    const queue = queueOf("a1", "b1", "b2", "c1", "c2");
    expect(takeBy(queue, "bc", 9, 5)).toEqual(["b1", "c1", "b2", "c2", "a1"]);
  });

  it("keeps the turn if the next item is preferred, or none is", () => {
    expect(takeBy(queueOf("a1", "b1", "a2"), "a", 9, 3)).toEqual(["a1", "a2", "b1"]);
    expect(takeBy(queueOf("a1", "b1", "a2"), "", 9, 3)).toEqual(["a1", "b1", "a2"]);
  });

  it("lets no preferred item pass one of a higher priority", () => {
    expect(takeBy(queueOf("b1", "b2", "a1^1"), "b", 9, 3)).toEqual(["a1", "b1", "b2"]);
  });
});

describe("FairQueue with random operations", () => {
  it("serves the first entry of a lane, of the highest priority that has an entry that may go", () => {
    fc.assert(
      fc.property(steps(fc.subarray(["a", "b", "c", "d"])), (all) => {
        play(all, (item, waiting, { refused }) => {
          const ready = waiting.filter(({ lane }) => !refused.includes(lane));
          const highest = Math.max(...ready.map(({ priority }) => priority));
          const candidates = ready.filter(({ priority }) => priority === highest);
          expect(item).toBe(candidates.find(({ lane }) => lane === item?.lane));
        });
      }),
    );
  });

  it("lets no other lane pass a waiting lane twice", () => {
    fc.assert(
      fc.property(steps(fc.constant([])), (all) => {
        /** The lanes that were served since this lane was served or began to wait, by priority and lane. */
        const passedBy = new Map<string, string[]>();
        const keyOf = ({ priority, lane }: Queued) => `${priority} ${lane}`;
        play(all, (item, waiting) => {
          if (item === undefined) return;
          const keys = new Set(waiting.map(keyOf));
          for (const key of passedBy.keys()) if (!keys.has(key)) passedBy.delete(key);
          for (const key of keys) if (!passedBy.has(key)) passedBy.set(key, []);
          passedBy.set(keyOf(item), []);
          for (const [key, others] of passedBy) {
            if (key === keyOf(item) || !key.startsWith(`${item.priority} `)) continue;
            expect(others).not.toContain(item.lane);
            others.push(item.lane);
          }
        });
      }),
    );
  });
});
