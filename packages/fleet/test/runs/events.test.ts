import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/runs/run.js";
import { collect } from "../support/collect.js";
import {
  createRunWorld,
  doneWith,
  failedWith,
  type RunProgram,
  type RunWorld,
} from "../support/run-world.js";

let world: RunWorld;
let program: RunProgram;
let other: RunProgram;
beforeAll(async () => {
  world = await createRunWorld();
  program = await world.open();
  other = await world.open();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

async function running() {
  const queue = randomUUID();
  const run = await program.submit({ queue });
  const claim = await program.claims.claim({ host: "a", queues: [queue] });
  if (claim === undefined) throw new Error("nothing was claimed");
  return { run, claim };
}
const message = (text: string) => ({ type: "message", message: { text } }) as const;
const numbersTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

describe("events()", () => {
  it("has no gap and no double for any number of readers, while several writers add at once", async () => {
    const { run, claim } = await running();
    const readers = Array.from({ length: 8 }, (_, index) =>
      collect((index % 2 === 0 ? program : other).run(run.id).events()),
    );
    const writers = Array.from({ length: 5 }, async (_, writer) => {
      for (let index = 0; index < 20; index++) {
        await program.claims.addEvents(claim, [message(`${writer}.${index}`), message("and")]);
      }
    });
    await Promise.all(writers);
    await program.claims.settle(claim, doneWith("end"));
    for (const events of await Promise.all(readers)) {
      expect(events.map(({ seq }) => seq)).toEqual(numbersTo(2 + 5 * 20 * 2 + 1));
      expect(events.at(-1)).toMatchObject({ type: "ended", state: "done" });
    }
  });

  it("goes on after a number, for a reader that comes and goes", async () => {
    const { run, claim } = await running();
    const writing = (async () => {
      for (let index = 0; index < 30; index++)
        await program.claims.addEvents(claim, [message("m")]);
      await program.claims.settle(claim, doneWith("end"));
    })();
    const seen: number[] = [];
    for (let isOver = false; !isOver; ) {
      isOver = true;
      let count = 0;
      for await (const { seq, type } of other.run(run.id).events({ after: seen.at(-1) ?? 0 })) {
        seen.push(seq);
        if (++count === 4 && type !== "ended") {
          isOver = false;
          break;
        }
      }
    }
    await writing;
    expect(seen).toEqual(numbersTo(33));
  });

  it("goes on after its connections were cut", async () => {
    const reader = await world.open();
    const { run, claim } = await running();
    const seen: RunEvent[] = [];
    const reading = (async () => {
      for await (const event of reader.run(run.id).events()) {
        seen.push(event);
        if (event.seq === 5) {
          await program.rows(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query ilike 'listen%' and pid <> pg_backend_pid()",
          );
        }
      }
    })();
    for (let index = 0; index < 20; index++) await program.claims.addEvents(claim, [message("m")]);
    await program.claims.settle(claim, doneWith("end"));
    await reading;
    expect(seen.map(({ seq }) => seq)).toEqual(numbersTo(23));
  });

  it("wakes a waiting reader by a notification, not by the poll", async () => {
    const { run, claim } = await running();
    const events = other.run(run.id).events({ after: 2 })[Symbol.asyncIterator]();
    const times: number[] = [];
    for (let index = 0; index < 10; index++) {
      const next = events.next();
      await new Promise((resolve) => setTimeout(resolve, 30));
      const addedAt = performance.now();
      await program.claims.addEvents(claim, [message(`${index}`)]);
      await next;
      times.push(performance.now() - addedAt);
    }
    await events.return?.();
    // The poll comes once a second, so that ten of ten by chance would take half of that on average.
    expect(times.sort((a, b) => a - b)[5]).toBeLessThan(300);
  });

  it("ends at once for a settled run, and reads it whole", async () => {
    const { run, claim } = await running();
    await program.claims.settle(claim, failedWith());
    expect(await collect(run.events({ after: 3 }))).toEqual([]);
    expect((await collect(run.events())).at(-1)).toMatchObject({
      type: "ended",
      state: "failed",
      error: { code: "api_error" },
    });
  });

  it("reads more than one batch", async () => {
    const { run, claim } = await running();
    await program.claims.addEvents(
      claim,
      Array.from({ length: 1_203 }, () => message("m")),
    );
    await program.claims.settle(claim, doneWith("end"));
    expect((await collect(run.events())).map(({ seq }) => seq)).toEqual(numbersTo(1_206));
  });

  it("drops pieces of text when the segment ends, and nothing else", async () => {
    const { run, claim } = await running();
    const text = (piece: string) => ({ type: "text", text: piece }) as const;
    await program.claims.addEvents(claim, [text("He"), text("llo"), message("Hello")]);
    const live = await (async () => {
      const seen: string[] = [];
      for await (const { type } of run.events()) {
        seen.push(type);
        if (type === "message") return seen;
      }
      return seen;
    })();
    expect(live).toEqual(["queued", "started", "text", "text", "message"]);
    await program.claims.settle(claim, doneWith("Hello"));
    expect((await collect(run.events())).map(({ seq, type }) => [seq, type])).toEqual([
      [1, "queued"],
      [2, "started"],
      [5, "message"],
      [6, "ended"],
    ]);
  });

  it("ends with aborted when the signal aborts, and leaves no listener on the signal", async () => {
    const { run } = await running();
    const controller = new AbortController();
    const reading = collect(run.events({ signal: controller.signal }));
    setTimeout(() => controller.abort(new Error("enough")), 20);
    await expect(reading).rejects.toMatchObject({ code: "aborted" });
    const waiting = run.result({ signal: AbortSignal.timeout(20) });
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
  });

  it("ends with closed when the program closes the fleet", async () => {
    const { run } = await running();
    const short = await world.open();
    const reading = collect(short.run(run.id).events());
    const waiting = short.run(run.id).result();
    const ends = Promise.allSettled([reading, waiting]);
    await short.run(run.id).info();
    await short[Symbol.asyncDispose]();
    for (const end of await ends) {
      expect(end).toMatchObject({ status: "rejected", reason: { code: "closed" } });
    }
  });

  it("refuses a number that is none, and a run that does not exist", async () => {
    const { run } = await running();
    await expect(collect(run.events({ after: -1 }))).rejects.toMatchObject({
      code: "invalid_options",
    });
    await expect(collect(program.run(randomUUID()).events())).rejects.toMatchObject({
      code: "invalid_options",
    });
    await expect(program.run(randomUUID()).result()).rejects.toMatchObject({
      code: "invalid_options",
    });
  });

  it("keeps U+0000 and unpaired surrogates", async () => {
    const { run, claim } = await running();
    const text = "zero \0 half \ud83d";
    await program.claims.addEvents(claim, [message(text)]);
    await program.claims.settle(claim, doneWith(text));
    expect((await collect(run.events()))[2]).toMatchObject({ message: { text } });
    expect((await run.result()).text).toBe(text);
  });
});
