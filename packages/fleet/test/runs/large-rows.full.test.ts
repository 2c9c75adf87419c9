import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../src/database/database.js";
import { listRuns } from "../../src/runs/list-runs.js";
import { readEvents } from "../../src/runs/read-events.js";
import { createRunWorld, doneWith, type RunProgram, type RunWorld } from "../support/run-world.js";

let world: RunWorld;
let program: RunProgram;
beforeAll(async () => {
  world = await createRunWorld();
  program = await world.open();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const MEGABYTE = 1_000_000;

/** The parts of the program, and the size of the largest answer of the database. */
function measured() {
  let largest = 0;
  const database = new Proxy(program.database, {
    get(target, name) {
      if (name !== "query") return Reflect.get(target, name, target);
      return async (...statement: Parameters<Database["query"]>) => {
        const answer = await target.query(...statement);
        largest = Math.max(largest, JSON.stringify(answer.rows).length);
        return answer;
      };
    },
  });
  return { parts: { ...program.parts, database }, largest: () => largest };
}

describe("large rows", () => {
  it("are listed in pages of a limited size, and each run once", async () => {
    const tenant = randomUUID();
    const submitted: string[] = [];
    for (let index = 0; index < 24; index++) {
      const run = await program.submit({ tenant, queue: tenant }, "x".repeat(MEGABYTE));
      submitted.push(run.id);
    }
    const { parts, largest } = measured();
    const listed: string[] = [];
    for await (const { id } of listRuns(parts, { tenant })) listed.push(id);
    expect(listed).toEqual(submitted.toReversed());
    expect(largest()).toBeLessThan(12 * MEGABYTE);
    const some: string[] = [];
    for await (const { id } of listRuns(parts, { tenant, limit: 11 })) some.push(id);
    expect(some).toEqual(submitted.toReversed().slice(0, 11));
  });

  it("are read as events in batches of a limited size, and none is lost", async () => {
    const queue = randomUUID();
    const run = await program.submit({ queue });
    const claim = await program.claims.claim({ host: "a", queues: [queue] });
    if (claim === undefined) throw new Error("nothing was claimed");
    for (let index = 0; index < 24; index++) {
      const message = { index, text: "x".repeat(MEGABYTE) };
      await program.claims.addEvents(claim, [{ type: "message", message }]);
    }
    await program.claims.settle(claim, doneWith("done"));
    const { parts, largest } = measured();
    const seen: number[] = [];
    for await (const { seq } of readEvents(parts, run.id, {})) seen.push(seq);
    expect(seen).toEqual(Array.from({ length: 27 }, (_, index) => index + 1));
    expect(largest()).toBeLessThan(12 * MEGABYTE);
  });
});
