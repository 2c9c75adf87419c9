import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pruneRuns } from "../../src/runs/prune-runs.js";
import type { SubmitOptions } from "../../src/runs/run.js";
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

const claimFrom = async (queue: string) => {
  const claim = await program.claims.claim({ host: "a", queues: [queue] });
  if (claim === undefined) throw new Error("nothing was claimed");
  return claim;
};

/** The session of a run that is settled, and that a prune may delete. */
async function endedSession(queue: string): Promise<string> {
  await program.submit({ queue });
  const claim = await claimFrom(queue);
  await program.claims.settle(claim, doneWith("done"));
  return claim.run.sessionId;
}
const inAMinute = () => new Date(Date.now() + 60_000);
const sessionExists = async (id: string) =>
  (await program.rows("select 1 from hawser.session where id = $1", [id])).length === 1;

describe("prune()", () => {
  it.each([
    ["continues", (session: string): SubmitOptions => ({ session })],
    ["forks", (session: string): SubmitOptions => ({ session: { fork: session } })],
  ])("keeps a session that a run %s whose transaction is not committed yet", async (_, options) => {
    const queue = randomUUID();
    const session = await endedSession(queue);
    const next = await program.database.transaction(async (db) => {
      const run = await program.submit({ queue, ...options(session), db });
      expect(await pruneRuns(program.parts, { olderThan: inAMinute() })).toBe(1);
      return run;
    });
    expect(await sessionExists(session)).toBe(true);
    expect((await claimFrom(queue)).run.id).toBe(next.id);
  });

  it("deletes a session of several runs with the last of them", async () => {
    const queue = randomUUID();
    const session = await endedSession(queue);
    await program.submit({ queue, session });
    const claim = await claimFrom(queue);
    await pruneRuns(program.parts, { olderThan: inAMinute() });
    expect(await sessionExists(session)).toBe(true);
    await program.claims.settle(claim, doneWith("done"));
    await pruneRuns(program.parts, { olderThan: inAMinute() });
    expect(await sessionExists(session)).toBe(false);
  });
});
