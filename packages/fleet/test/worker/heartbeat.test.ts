import { EventEmitter, once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Claims } from "../../src/runs/claims.js";
import { LeaseClock, type Moment } from "../../src/sessions/lease-clock.js";
import { Heartbeat } from "../../src/worker/heartbeat.js";
import type { Segment } from "../../src/worker/segment/segment.js";
import { SegmentLease } from "../../src/worker/segment/segment-lease.js";
import { startDatabaseProxy } from "../support/database-proxy.js";
import { createRunWorld, type RunProgram, type RunWorld } from "../support/run-world.js";

let world: RunWorld;
beforeAll(async () => {
  world = await createRunWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

/** A claimed run whose lease is renewed by heartbeats, without a CLI. */
async function beating(program: RunProgram, claims = program.claims) {
  await program.submit();
  const claim = await program.claim();
  const { leaseMs } = program.parts;
  const lease = new SegmentLease(program.claims, claim, leaseMs);
  let onRenewed: (sentAt: Moment) => void = () => {};
  const segment = {
    claim,
    renewed: (sentAt: Moment) => {
      lease.renewed(sentAt);
      onRenewed(sentAt);
    },
    lose: () => lease.lose(),
  } as Segment;
  const heartbeat = new Heartbeat(claims, leaseMs, new Set([segment]), undefined);
  return {
    claim,
    /** Resolves at the next heartbeat that is sent after this moment and succeeds. */
    renewed: () => {
      const since = LeaseClock.now();
      return new Promise<"renewed">((resolve) => {
        onRenewed = ({ monotonicMs }) => {
          if (monotonicMs > since.monotonicMs) resolve("renewed");
        };
      });
    },
    lost: once(lease.lost, "abort").then(() => "lost" as const),
    stop: () => {
      heartbeat.stop();
      lease.release();
    },
  };
}

describe("Heartbeat", () => {
  it("renews a lease in time although all connections of before are silent", async () => {
    const proxy = await startDatabaseProxy(world.url);
    const program = await world.open(proxy.url);
    const { renewed, lost, stop } = await beating(program);
    expect(await Promise.race([renewed(), lost])).toBe("renewed");
    // A busy worker uses all connections of its pool.
    await Promise.all(
      Array.from({ length: 8 }, () => program.database.query("select pg_sleep(0.2)")),
    );
    proxy.silence();
    expect(await Promise.race([renewed(), lost])).toBe("renewed");
    stop();
    proxy.cut();
    await program[Symbol.asyncDispose]();
    await proxy.close();
  });

  it("sends one heartbeat at a time", async () => {
    const program = await world.open();
    const calls = new EventEmitter();
    let active = 0;
    let most = 0;
    const touch: Claims["touch"] = async (claims) => {
      active += 1;
      most = Math.max(most, active);
      calls.emit("touch");
      return await program.claims.touch(claims).finally(() => {
        active -= 1;
      });
    };
    const { claim, renewed, lost, stop } = await beating(program, { touch } as Claims);
    await program.database.transaction(async (db) => {
      await program.parts.engine.holds(claim.job, db);
      // The first one waits for the row of the job. The second one is sent when the first was given up.
      await once(calls, "touch");
      const second = once(calls, "touch");
      // Postgres ends a transaction that is idle for five seconds.
      const alive = setInterval(() => void db.query("select 1"), 1_000);
      await second;
      clearInterval(alive);
    });
    expect(await Promise.race([renewed(), lost])).toBe("renewed");
    expect(most).toBe(1);
    stop();
  });
});
