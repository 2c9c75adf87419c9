import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Claim } from "../../src/runs/claims.js";
import { expireDueRuns } from "../../src/runs/expire-runs.js";
import { cancelledFailure } from "../../src/runs/failures.js";
import type { Run, SubmitOptions } from "../../src/runs/run.js";
import { collect } from "../support/collect.js";
import {
  createRunWorld,
  doneWith,
  failedWith,
  type RunProgram,
  type RunWorld,
  silence,
  unknownId,
} from "../support/run-world.js";

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

describe("cancel()", () => {
  it("settles a queued run at once, and takes its job out of the queue", async () => {
    const queue = randomUUID();
    const run = await program.submit({ queue });
    expect(await run.cancel("changed my mind")).toBe(true);
    await expect(run.result()).rejects.toMatchObject({
      code: "run_cancelled",
      message: expect.stringContaining("changed my mind"),
    });
    const jobs = await program.rows(`select state from "hawser_boss".job where data->>'run' = $1`, [
      run.id,
    ]);
    expect(jobs).toEqual([{ state: "cancelled" }]);
    expect(await program.claims.claim({ host: "a", queues: [queue] })).toBeUndefined();
  });

  it("settles a held run, and the others of its session keep their order", async () => {
    const queue = randomUUID();
    await program.submit({ queue });
    const claim = await claimFrom(queue);
    const session = claim.run.sessionId;
    const [one, two] = [
      await program.submit({ queue, session }),
      await program.submit({ queue, session }),
    ];
    expect(await one.cancel()).toBe(true);
    expect((await two.info()).state).toBe("held");
    await program.claims.settle(claim, doneWith("first"));
    expect((await claimFrom(queue)).run.id).toBe(two.id);
  });

  it("asks the host of a running run, which settles it", async () => {
    const queue = randomUUID();
    const run = await program.submit({ queue });
    const claim = await claimFrom(queue);
    const told = new Promise<string | undefined>((resolve) => {
      void program.database.listen("cancel", resolve).then(() => run.cancel("enough"));
    });
    expect(await told).toBe(run.id);
    expect((await run.info()).state).toBe("running");
    await program.claims.settle(claim, {
      type: "cancelled",
      costUsd: 0.2,
      usage: undefined,
      workedMs: 1,
      error: cancelledFailure("enough"),
    });
    expect(await run.info()).toMatchObject({ state: "cancelled", costUsd: 0.2 });
  });

  it("lets a result win that comes after the request", async () => {
    const queue = randomUUID();
    const run = await program.submit({ queue });
    const claim = await claimFrom(queue);
    expect(await run.cancel()).toBe(true);
    await program.claims.settle(claim, doneWith("in time"));
    expect((await run.result()).text).toBe("in time");
  });

  it("wins over a host that gives the run back, and over a CLI that crashed", async () => {
    const common = { costUsd: 0.1, usage: undefined, workedMs: 1 };
    const crash = { code: "process_exited", message: "It died." } as const;
    for (const end of [
      { ...common, type: "returned", reason: "worker_drained" } as const,
      { ...common, type: "crashed", error: crash } as const,
    ]) {
      const queue = randomUUID();
      const run = await program.submit({ queue });
      const claim = await claimFrom(queue);
      expect(await run.cancel("enough")).toBe(true);
      await program.claims.settle(claim, end);
      expect(await run.info()).toMatchObject({ state: "cancelled", costUsd: 0.1 });
      expect(await program.claims.claim({ host: "b", queues: [queue] })).toBeUndefined();
    }
  });

  it("is done by the next claim if the host is dead", async () => {
    const queue = randomUUID();
    const run = await program.submit({ queue });
    const claim = await claimFrom(queue);
    await run.cancel("the host is gone");
    await silence(program, claim);
    expect(await program.claims.claim({ host: "b", queues: [queue] })).toBeUndefined();
    await expect(run.result()).rejects.toMatchObject({ code: "run_cancelled" });
    expect(
      await program.rows("select estimated from hawser.charge where run_id = $1", [run.id]),
    ).toEqual([{ estimated: true }]);
  });

  it("is false for a run that is settled: done, failed or cancelled", async () => {
    const queue = randomUUID();
    for (const end of [doneWith("done"), failedWith()]) {
      const run = await program.submit({ queue });
      await program.claims.settle(await claimFrom(queue), end);
      expect(await run.cancel()).toBe(false);
    }
    const run = await program.submit({ queue });
    expect(await run.cancel()).toBe(true);
    expect(await run.cancel()).toBe(false);
  });

  it("rejects for a run that does not exist", async () => {
    await expect(program.run(unknownId()).cancel()).rejects.toMatchObject({
      code: "invalid_options",
    });
  });

  it("settles once when it meets claims", async () => {
    const queue = randomUUID();
    const runs = await Promise.all(Array.from({ length: 10 }, () => program.submit({ queue })));
    const claims = [];
    let isCancelled = false;
    const cancelling = Promise.all(runs.map((run) => run.cancel())).finally(() => {
      isCancelled = true;
    });
    while (!isCancelled) {
      const claim = await program.claims.claim({ host: "a", queues: [queue] });
      if (claim !== undefined) claims.push(claim);
    }
    expect(await cancelling).toEqual(runs.map(() => true));
    for (const claim of claims) await program.claims.settle(claim, doneWith("was running"));
    for (const run of runs) {
      const { state } = await run.info();
      const wasClaimed = claims.some((claim) => claim.run.id === run.id);
      expect(state).toBe(wasClaimed ? "done" : "cancelled");
    }
  });
});

describe("a deadline", () => {
  const inMs = (ms: number) => new Date(Date.now() + ms);

  it("fails a queued run with timeout although there is no worker, because result() looks after it", async () => {
    const run = await program.submit({ queue: randomUUID(), deadline: inMs(200) });
    await expect(run.result()).rejects.toMatchObject({ code: "timeout" });
    expect((await run.info()).state).toBe("failed");
  });

  it("is looked after by workers, whatever queue they serve", async () => {
    const run = await program.submit({ queue: randomUUID(), deadline: inMs(-1) });
    await expireDueRuns(program.parts);
    expect(await run.info()).toMatchObject({ state: "failed", error: { code: "timeout" } });
  });

  it("interrupts a running run, which then has failed and not been cancelled", async () => {
    const queue = randomUUID();
    const run = await program.submit({ queue, deadline: inMs(400) });
    const claim = await claimFrom(queue);
    const told = new Promise<string | undefined>((resolve) => {
      void program.database.listen("cancel", resolve);
    });
    const result = run.result().catch((error: unknown) => error);
    expect(await told).toBe(run.id);
    await program.claims.settle(claim, {
      type: "cancelled",
      costUsd: 0,
      usage: undefined,
      workedMs: 1,
      error: cancelledFailure("interrupted"),
    });
    expect(await result).toMatchObject({ code: "timeout" });
  });

  it("ends a run that is claimed too late", async () => {
    const queue = randomUUID();
    const run = await program.submit({ queue, deadline: new Date(Date.now() - 1) });
    expect(await program.claims.claim({ host: "a", queues: [queue] })).toBeUndefined();
    expect((await run.info()).error?.code).toBe("timeout");
  });
});

describe("a run whose host is dead, and whose tenant is paused", () => {
  const claimedBy = async (options: SubmitOptions = {}) => {
    const [queue, tenant] = [randomUUID(), randomUUID()];
    const run = await program.submit({ queue, tenant, ...options });
    const claim = await claimFrom(queue);
    await program.tenants.set(tenant, { paused: true });
    return { queue, tenant, run, claim };
  };
  /** The host says nothing for much longer than the lease. */
  const bury = async (claim: Claim) => {
    await program.rows(
      "update hawser.session set expires_at = expires_at - interval '20 seconds' where id = $1",
      [claim.run.sessionId],
    );
    await silence(program, claim);
  };
  const typesOf = async (run: Run) => (await collect(run.events())).map(({ type }) => type);

  it("is cancelled at once, charged once, and its job leaves the queue", async () => {
    const { queue, tenant, run, claim } = await claimedBy();
    await bury(claim);
    expect(await run.cancel("not needed")).toBe(true);
    await expect(run.result()).rejects.toMatchObject({ code: "run_cancelled" });
    expect(await run.cancel()).toBe(false);
    expect(await typesOf(run)).toEqual(["queued", "started", "lost", "ended"]);
    expect(
      await program.rows("select segment, estimated from hawser.charge where run_id = $1", [
        run.id,
      ]),
    ).toEqual([{ segment: 1, estimated: true }]);
    await expect(program.claims.settle(claim, doneWith("late"))).rejects.toMatchObject({
      code: "lease_lost",
    });
    await program.tenants.set(tenant, { paused: false });
    expect(await program.claims.claim({ host: "b", queues: [queue] })).toBeUndefined();
    const jobs = await program.rows(
      `select 1 from "hawser_boss".job where data->>'run' = $1 and state <= 'active'`,
      [run.id],
    );
    expect(jobs).toEqual([]);
  });

  it("is asked to end as long as its host may be alive, and ended by any worker when it is dead", async () => {
    const { run, claim } = await claimedBy();
    expect(await run.cancel("enough")).toBe(true);
    await expireDueRuns(program.parts);
    expect((await run.info()).state).toBe("running");
    await bury(claim);
    await expireDueRuns(program.parts);
    expect(await run.info()).toMatchObject({
      state: "cancelled",
      error: { message: expect.stringContaining("enough") },
    });
  });

  it("is ended by result() if there is no worker", async () => {
    const { run, claim } = await claimedBy();
    expect(await run.cancel()).toBe(true);
    await bury(claim);
    await expect(run.result()).rejects.toMatchObject({ code: "run_cancelled" });
  });

  it.each(["before", "after"])("fails at its deadline, %s the death of its host", async (when) => {
    const { run, claim } = await claimedBy({ deadline: new Date(Date.now() + 60_000) });
    const pass = () =>
      program.rows("update hawser.run set deadline = clock_timestamp() where id = $1", [run.id]);
    if (when === "before") {
      await pass();
      await expireDueRuns(program.parts);
      expect((await run.info()).state).toBe("running");
    }
    await bury(claim);
    if (when === "after") await pass();
    await expireDueRuns(program.parts);
    expect(await run.info()).toMatchObject({ state: "failed", error: { code: "timeout" } });
  });

  it("lets a run that interrupts it begin", async () => {
    const { queue, tenant, run, claim } = await claimedBy();
    await bury(claim);
    const session = claim.run.sessionId;
    const next = await program.submit({ queue, tenant, session, onBusySession: "interrupt" });
    expect((await run.info()).state).toBe("cancelled");
    expect((await next.info()).state).toBe("queued");
    await program.tenants.set(tenant, { paused: false });
    expect((await claimFrom(queue)).run.id).toBe(next.id);
  });

  it("is ended once when its cancellation meets claims, and writes of its host", async () => {
    const queue = randomUUID();
    const runs = await Promise.all(Array.from({ length: 10 }, () => program.submit({ queue })));
    const claims: Claim[] = [];
    for (const _ of runs) claims.push(await claimFrom(queue));
    for (const claim of claims) await bury(claim);
    let isCancelled = false;
    const cancelling = Promise.all(runs.map((run) => run.cancel())).finally(() => {
      isCancelled = true;
    });
    const writing = Promise.all(
      claims.map(async (claim) => {
        const message = { type: "message", message: "late" } as const;
        while (!isCancelled) await program.claims.addEvents(claim, [message]).catch(() => {});
      }),
    );
    const again: Claim[] = [];
    while (!isCancelled) {
      const claim = await program.claims.claim({ host: "b", queues: [queue] });
      if (claim !== undefined) again.push(claim);
    }
    expect(await cancelling).toEqual(runs.map(() => true));
    await writing;
    for (const claim of again) await program.claims.settle(claim, doneWith("was running"));
    await expireDueRuns(program.parts);
    expect(await program.claims.claim({ host: "b", queues: [queue] })).toBeUndefined();
    for (const run of runs) {
      const types = await typesOf(run);
      expect(types.filter((type) => type === "lost")).toHaveLength(1);
      expect(types.filter((type) => type === "ended")).toHaveLength(1);
    }
  });
});

describe("retry()", () => {
  it("puts a failed run back into the queue, and keeps its session, cost and events", async () => {
    const queue = randomUUID();
    const run = await program.submit({ queue });
    const claim = await claimFrom(queue);
    await program.claims.settle(claim, failedWith());
    expect(await run.retry()).toBe(true);
    expect(await run.info()).toMatchObject({ state: "queued", costUsd: 0.01 });
    const next = await claimFrom(queue);
    expect(next).toMatchObject({
      segment: 2,
      how: "returned",
      run: { sessionId: claim.run.sessionId },
    });
    await program.claims.settle(next, doneWith("at last", 0.02));
    expect(await run.result()).toMatchObject({ text: "at last", costUsd: 0.03, segments: 2 });
    expect(await run.retry()).toBe(false);
  });

  it("gives a run that lost its hosts as many attempts again", async () => {
    const queue = randomUUID();
    const run = await program.submit({ queue, attempts: 1 });
    await silence(program, await claimFrom(queue));
    expect(await program.claims.claim({ host: "a", queues: [queue] })).toBeUndefined();
    expect((await run.info()).error?.code).toBe("host_lost");
    expect(await run.retry()).toBe(true);
    expect(await claimFrom(queue)).toMatchObject({ how: "recovered", run: { deaths: 0 } });
  });

  it("waits behind a newer run of the same session", async () => {
    const queue = randomUUID();
    const run = await program.submit({ queue });
    const claim = await claimFrom(queue);
    await program.claims.settle(claim, failedWith());
    const newer = await program.submit({ queue, session: claim.run.sessionId });
    expect(await run.retry()).toBe(true);
    expect((await run.info()).state).toBe("held");
    const next = await claimFrom(queue);
    expect(next.run.id).toBe(newer.id);
    await program.claims.settle(next, doneWith("newer"));
    expect((await claimFrom(queue)).run.id).toBe(run.id);
  });

  it("happens once when 10 callers want it at once", async () => {
    const queue = randomUUID();
    const run = await program.submit({ queue });
    await program.claims.settle(await claimFrom(queue), failedWith());
    const answers = await Promise.all(Array.from({ length: 10 }, () => run.retry()));
    expect(answers.filter((answer) => answer)).toHaveLength(1);
    await claimFrom(queue);
    expect(await program.claims.claim({ host: "a", queues: [queue] })).toBeUndefined();
  });
});
