import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

describe("submit() with a bad name of a queue", () => {
  it.each(["two words", "", "-x", "a\0b", "ü", "x".repeat(65)])(
    "refuses %j before the run is stored",
    async (queue) => {
      await expect(program.submit({ queue })).rejects.toMatchObject({
        code: "invalid_options",
        message: expect.stringContaining("queue"),
      });
    },
  );

  it("refuses it for a session that is busy, so that the end of the earlier run can be recorded", async () => {
    const queue = randomUUID();
    const first = await program.submit({ queue });
    const claim = await program.claims.claim({ host: "a", queues: [queue] });
    if (claim === undefined) throw new Error("nothing was claimed");
    await expect(
      program.submit({ queue: "not a queue", session: claim.run.sessionId }),
    ).rejects.toMatchObject({ code: "invalid_options" });
    await program.claims.settle(claim, doneWith("the first"));
    expect((await first.result()).text).toBe("the first");
  });

  it("leaves nothing in the caller's transaction", async () => {
    const tenant = randomUUID();
    await program.database.transaction(async (db) => {
      await program.submit({ tenant, queue: "not a queue", db }).catch(() => {});
    });
    expect(await program.rows("select 1 from hawser.run where tenant = $1", [tenant])).toEqual([]);
  });
});

describe("claim()", () => {
  it("passes over a run that cannot be claimed, and tries it again later", async () => {
    const queue = randomUUID();
    const broken = await program.submit({ queue });
    const whole = await program.submit({ queue });
    await program.rows("update hawser.run set request = 'no JSON' where id = $1", [broken.id]);
    const claim = await program.claims.claim({ host: "a", queues: [queue] });
    expect(claim?.run.id).toBe(whole.id);
    const [job] = await program.rows<{ state: string; waits: boolean }>(
      `select state, start_after > clock_timestamp() + interval '30 seconds' as waits
       from hawser_boss.job where data->>'run' = $1`,
      [broken.id],
    );
    expect(job).toEqual({ state: "created", waits: true });
  });
});
