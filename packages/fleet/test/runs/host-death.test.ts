import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Claim } from "../../src/runs/claims.js";
import { createRunWorld, doneWith, type RunProgram, type RunWorld } from "../support/run-world.js";

let world: RunWorld;
let dead: RunProgram;
let alive: RunProgram;
beforeAll(async () => {
  world = await createRunWorld();
  dead = await world.open();
  alive = await world.open();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

/** Does what a worker does each second, until it gets a claim. */
async function claimWithin(program: RunProgram, limitMs: number): Promise<Claim> {
  const until = performance.now() + limitMs;
  while (performance.now() < until) {
    await program.parts.engine.recover();
    const claim = await program.tryClaim("host-b");
    if (claim !== undefined) return claim;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error(`nothing was claimed within ${limitMs} ms`);
}

describe("a host that says nothing any more", () => {
  it("loses its run after the lease of 10 s and not before, and a host that is heard keeps its own", async () => {
    const lost = await dead.submit({ tenant: "ada" });
    const kept = await alive.submit({ tenant: "bob" });
    const silent = await dead.claim("host-a");
    const heard = await alive.claim("host-b");
    expect([silent.run.id, heard.run.id]).toEqual([lost.id, kept.id]);
    const beganAt = performance.now();
    const beats = setInterval(() => void alive.claims.touch([heard]), 2_500);
    try {
      const next = await claimWithin(alive, 40_000);
      expect(next).toMatchObject({ how: "recovered", run: { id: lost.id, deaths: 1 } });
      // The lease is counted by the database, which began it a little before.
      expect(performance.now() - beganAt).toBeGreaterThan(9_500);
      expect([...(await alive.claims.touch([heard, next]))]).toEqual([heard, next]);
      expect((await dead.claims.touch([silent])).size).toBe(0);
      await expect(dead.claims.settle(silent, doneWith("too late"))).rejects.toMatchObject({
        code: "lease_lost",
      });
      await alive.claims.settle(next, doneWith("in time"));
      await alive.claims.settle(heard, doneWith("never lost"));
    } finally {
      clearInterval(beats);
    }
    expect((await lost.result()).text).toBe("in time");
    const charges = await alive.rows(
      "select segment, estimated from hawser.charge where run_id = $1 order by segment",
      [lost.id],
    );
    expect(charges).toEqual([
      { segment: 1, estimated: true },
      { segment: 2, estimated: false },
    ]);
  });
});
