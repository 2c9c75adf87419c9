import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../src/engine/engine.js";
import type { Claim } from "../../src/runs/claims.js";
import { createClaims } from "../../src/runs/create-claims.js";
import { expireDueRuns } from "../../src/runs/expire-runs.js";
import { lockRun } from "../../src/runs/lock-run.js";
import type { SubmitOptions } from "../../src/runs/run.js";
import { queueAnswered } from "../../src/runs/send-job.js";
import { submitRun } from "../../src/runs/submit-run.js";
import { createFleetSessionStore } from "../../src/sessions/create-fleet-session-store.js";
import { collect } from "../support/collect.js";
import {
  createRunWorld,
  doneWith,
  failedWith,
  type RunProgram,
  type RunWorld,
  silence,
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

/** A run in a queue of its own, claimed by a host. */
async function claimed(options: SubmitOptions = {}) {
  const queue = `queue-${randomUUID()}`;
  const tenant = `tenant-${randomUUID()}`;
  const run = await program.submit({ queue, tenant, ...options });
  const claimNext = (by: RunProgram = program, host = "host-a") =>
    by.claims.claim({ host, queues: [queue] });
  const claim = await claimNext();
  if (claim === undefined) throw new Error("nothing was claimed");
  return { run, claim, claimNext, queue, tenant };
}

const chargesOf = (run: string) =>
  program.rows<{ segment: number; cost_usd: string; estimated: boolean }>(
    "select segment, cost_usd, estimated from hawser.charge where run_id = $1 order by segment",
    [run],
  );
const typesOf = async (claim: Claim) =>
  (await collect(program.run(claim.run.id).events())).map(({ type }) => type);

describe("a run", () => {
  it("goes from submit over claim to its outcome, with one charge and numbered events", async () => {
    const { run, claim, tenant } = await claimed({ metadata: { ticket: "7" }, model: "sonnet" });
    expect(claim).toMatchObject({
      segment: 1,
      how: "new",
      epoch: 1,
      uncertain: [],
      account: "default",
    });
    expect(await run.info()).toMatchObject({ state: "running", host: "host-a", segments: 1 });
    await program.claims.settle(claim, doneWith("Hello.", 0.25));
    expect(await run.result()).toMatchObject({
      text: "Hello.",
      costUsd: 0.25,
      costEstimated: false,
    });
    const events = await collect(run.events());
    expect(events.map(({ seq, type }) => [seq, type])).toEqual([
      [1, "queued"],
      [2, "started"],
      [3, "ended"],
    ]);
    expect(await chargesOf(run.id)).toEqual([{ segment: 1, cost_usd: "0.25", estimated: false }]);
    const [spend] = await program.rows(
      "select cost_usd, reserved_usd, runs from hawser.spend where tenant = $1",
      [tenant],
    );
    expect(spend).toMatchObject({ cost_usd: "0.25", runs: 1 });
  });

  it("rejects result() with the code of its failure", async () => {
    const { run, claim } = await claimed();
    await program.claims.settle(claim, failedWith("refusal"));
    await expect(run.result()).rejects.toMatchObject({
      code: "refusal",
      message: "It did not work.",
      sessionId: claim.run.sessionId,
    });
    expect(await run.info()).toMatchObject({ state: "failed", error: { code: "refusal" } });
  });
});

describe("settle()", () => {
  it("records one outcome and one charge when 10 settles of two programs come at once", async () => {
    const { run, claim, tenant } = await claimed();
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 === 0 ? program : other).claims.settle(
          claim,
          doneWith(`answer ${index}`, index + 1),
        ),
      ),
    );
    // The others are repetitions of the same end: they are not errors, and change nothing.
    expect(results.filter(({ status }) => status === "rejected")).toEqual([]);
    const { costUsd, text } = await run.result();
    expect(text).toBe(`answer ${costUsd - 1}`);
    expect(await chargesOf(run.id)).toHaveLength(1);
    expect((await typesOf(claim)).filter((type) => type === "ended")).toHaveLength(1);
    const [spend] = await program.rows<{ cost_usd: string; runs: number }>(
      "select cost_usd, runs from hawser.spend where tenant = $1",
      [tenant],
    );
    expect([Number(spend?.cost_usd), spend?.runs]).toEqual([costUsd, 1]);
  });

  it("records one of two different ends, and refuses the other with lease_lost", async () => {
    const { run, claim } = await claimed();
    const results = await Promise.allSettled([
      program.claims.settle(claim, doneWith("done")),
      other.claims.settle(claim, failedWith()),
    ]);
    const refused = results.filter((result) => result.status === "rejected");
    expect(refused.map(({ reason }) => reason.code)).toEqual(["lease_lost"]);
    expect(await chargesOf(run.id)).toHaveLength(1);
  });

  it("refuses the late settle of a host that was silent, and its late writes", async () => {
    const { run, claim, claimNext } = await claimed();
    await silence(program, claim);
    const next = await claimNext(other, "host-b");
    expect(next).toMatchObject({
      segment: 2,
      how: "recovered",
      run: { id: run.id, host: "host-b" },
    });
    const late = { code: "lease_lost" };
    await expect(program.claims.settle(claim, doneWith("late"))).rejects.toMatchObject(late);
    await expect(
      program.claims.addEvents(claim, [{ type: "text", text: "late" }]),
    ).rejects.toMatchObject(late);
    await expect(program.claims.meter(claim, usage(1))).rejects.toMatchObject(late);
    expect(await program.claims.holds(claim)).toBe(false);
    expect((await program.claims.touch([claim])).size).toBe(0);
    if (next === undefined) throw new Error("nothing was claimed");
    expect([...(await other.claims.touch([next]))]).toEqual([next]);
    await other.claims.settle(next, doneWith("in time"));
    expect((await run.result()).text).toBe("in time");
  });

  it("refuses a silent host's settle before another host has begun", async () => {
    const { run, claim } = await claimed();
    await silence(program, claim);
    await expect(program.claims.settle(claim, doneWith("late"))).rejects.toMatchObject({
      code: "lease_lost",
    });
    expect((await run.info()).state).toBe("running");
  });

  it("refuses a settle after someone took the session away", async () => {
    const { claim } = await claimed();
    await program.rows("update hawser.session set epoch = epoch + 1 where id = $1", [
      claim.run.sessionId,
    ]);
    await expect(program.claims.settle(claim, doneWith("late"))).rejects.toMatchObject({
      code: "lease_lost",
    });
  });

  it("gives a run back to the queue, at once or later", async () => {
    const { claim, claimNext } = await claimed();
    const returned = {
      type: "returned",
      costUsd: 0,
      usage: undefined,
      workedMs: 7,
      reason: "drain",
    } as const;
    await program.claims.settle(claim, returned);
    const next = await claimNext(other, "host-b");
    expect(next).toMatchObject({
      segment: 2,
      how: "returned",
      epoch: 2,
      run: { deaths: 0, workedMs: 7 },
    });
    if (next === undefined) throw new Error("nothing was claimed");
    await other.claims.settle(next, { ...returned, startAfterMs: 60_000 });
    expect(await claimNext()).toBeUndefined();
    expect(await chargesOf(claim.run.id)).toHaveLength(2);
  });
});

describe("a parked run", () => {
  const park = (claim: Claim, approval: string) =>
    program.claims.settle(claim, {
      type: "parked",
      approval,
      costUsd: 0.1,
      usage: undefined,
      workedMs: 1,
    });
  const ask = async (claim: Claim, state = "open") => {
    const id = randomUUID();
    await program.rows(
      `insert into hawser.approval (id, run_id, tool_use_id, tenant, session_id, epoch, question, state)
       values ($1::uuid, $2, $1::uuid::text, $3, $4, $5, '{}', $6)`,
      [id, claim.run.id, claim.run.tenant, claim.run.sessionId, claim.epoch, state],
    );
    return id;
  };

  it("waits without a job, keeps its session, and goes on before all others when it is answered", async () => {
    const { run, claim, claimNext, queue } = await claimed();
    const early = await program.submit({ queue, tenant: claim.run.tenant });
    await park(claim, await ask(claim));
    expect((await run.info()).state).toBe("waiting");
    const held = await program.submit({
      queue,
      tenant: claim.run.tenant,
      session: claim.run.sessionId,
    });
    expect((await held.info()).state).toBe("held");
    const { parts } = program;
    const queued = await parts.database.transaction(async (db) => {
      const row = await lockRun(parts, db, run.id);
      return row !== undefined && (await queueAnswered(parts, db, row));
    });
    expect(queued).toBe(true);
    const next = await claimNext();
    expect(next).toMatchObject({ segment: 2, how: "answered", run: { id: run.id } });
    expect((await claimNext())?.run.id).toBe(early.id);
  });

  it("is queued at once if the answer came while its process ended", async () => {
    const { claim, claimNext } = await claimed();
    await park(claim, await ask(claim, "answered"));
    expect(await claimNext()).toMatchObject({ how: "answered", segment: 2 });
  });

  it("ends at once if somebody wanted its end while its process ended", async () => {
    const cancelled = await claimed();
    const approval = await ask(cancelled.claim);
    await cancelled.run.cancel("not needed");
    await park(cancelled.claim, approval);
    expect(await cancelled.run.info()).toMatchObject({
      state: "cancelled",
      error: { message: expect.stringContaining("not needed") },
    });
    const rows = await program.rows("select state from hawser.approval where id = $1", [approval]);
    expect(rows).toEqual([{ state: "withdrawn" }]);

    const late = await claimed();
    const question = await ask(late.claim);
    await program.rows("update hawser.run set deadline = clock_timestamp() where id = $1", [
      late.run.id,
    ]);
    await expireDueRuns(program.parts);
    await park(late.claim, question);
    expect(await late.run.info()).toMatchObject({ state: "failed", error: { code: "timeout" } });
  });

  it("withdraws its question when it is cancelled", async () => {
    const { run, claim } = await claimed();
    const approval = await ask(claim);
    await park(claim, approval);
    expect(await run.cancel("not needed")).toBe(true);
    const rows = await program.rows("select state from hawser.approval where id = $1", [approval]);
    expect(rows).toEqual([{ state: "withdrawn" }]);
    expect(await typesOf(claim)).toEqual(["queued", "started", "parked", "answered", "ended"]);
  });
});

describe("a host that dies", () => {
  it("costs one estimate for each lost segment, and the run goes on with what is uncertain", async () => {
    const { run, claim, claimNext } = await claimed();
    await program.rows(
      `insert into hawser.intent (run_id, tool_use_id, segment, epoch, tool, input, done)
       values ($1, 'call-1', 1, 1, 'Bash', '{"command":"make"}', false), ($1, 'call-2', 1, 1, 'Read', '{}', true)`,
      [run.id],
    );
    await silence(program, claim);
    // Two programs that claim at once find one run, and book the lost segment once.
    const [one, two] = await Promise.all([
      claimNext(program, "host-b"),
      claimNext(other, "host-c"),
    ]);
    const next = one ?? two;
    expect([one, two].filter((found) => found !== undefined)).toHaveLength(1);
    expect(next).toMatchObject({
      how: "recovered",
      run: { deaths: 1 },
      uncertain: [
        { toolUseId: "call-1", tool: "Bash", input: { command: "make" }, segment: 1, done: false },
      ],
    });
    if (next === undefined) throw new Error("nothing was claimed");
    await program.claims.settle(next, doneWith("went on", 0.5));
    expect(await run.result()).toMatchObject({
      costEstimated: true,
      segments: 2,
      uncertainTools: [{ toolUseId: "call-1" }],
    });
    expect(await chargesOf(run.id)).toMatchObject([
      { segment: 1, estimated: true },
      { segment: 2, estimated: false },
    ]);
    expect(await typesOf(claim)).toEqual(["queued", "started", "lost", "started", "ended"]);
  });

  it("fails the run with host_lost after so many attempts", async () => {
    const { run, claim, claimNext } = await claimed({ attempts: 2 });
    await silence(program, claim);
    const second = await claimNext();
    if (second === undefined) throw new Error("nothing was claimed");
    await silence(program, second);
    expect(await claimNext()).toBeUndefined();
    await expect(run.result()).rejects.toMatchObject({ code: "host_lost" });
    expect(await chargesOf(run.id)).toHaveLength(2);
    expect((await run.info()).deaths).toBe(2);
  });

  it("lets the next run of the session begin when the run has failed", async () => {
    const { claim, claimNext, queue, tenant } = await claimed({ attempts: 1 });
    const held = await program.submit({ queue, tenant, session: claim.run.sessionId });
    await silence(program, claim);
    expect((await claimNext())?.run.id).toBe(held.id);
  });

  it("does not block its own recovery by its tenant's limit", async () => {
    const { claim, claimNext, tenant } = await claimed();
    await program.tenants.set(tenant, { concurrency: 1 });
    await silence(program, claim);
    expect(await claimNext()).toMatchObject({ how: "recovered" });
  });
});

describe("claim()", () => {
  it("passes over a session that a program has by take(), until it is released", async () => {
    const { claim, claimNext, queue, tenant } = await claimed();
    await program.claims.settle(claim, doneWith("first"));
    const store = createFleetSessionStore({ ...program.parts, holder: "a program" });
    const lease = await store.take(claim.run.sessionId);
    const run = await program.submit({ queue, tenant, session: claim.run.sessionId });
    expect(await claimNext()).toBeUndefined();
    await lease[Symbol.asyncDispose]();
    // The run is looked at again after two seconds.
    await program.rows(`update "hawser_boss".job set start_after = now() where data->>'run' = $1`, [
      run.id,
    ]);
    expect((await claimNext())?.run.id).toBe(run.id);
  });

  it("serves several queues in turn", async () => {
    const queues = [randomUUID(), randomUUID()];
    for (const queue of [...queues, ...queues, ...queues]) await program.submit({ queue });
    const served = [];
    for (let index = 0; index < 6; index++) {
      served.push((await program.claims.claim({ host: "a", queues }))?.run.queue);
    }
    expect(served.slice(0, 2).sort()).toEqual([...queues].sort());
    expect(served.slice(2, 4).sort()).toEqual([...queues].sort());
  });

  it("drops the job of a run that was pruned", async () => {
    const queue = randomUUID();
    const run = await program.submit({ queue });
    await program.rows("delete from hawser.run where id = $1", [run.id]);
    const kept = await program.submit({ queue });
    expect((await program.claims.claim({ host: "a", queues: [queue] }))?.run.id).toBe(kept.id);
  });

  it("does not wait for a caller that has locked the run", async () => {
    const queue = randomUUID();
    const locked = await program.submit({ queue });
    const free = await program.submit({ queue });
    await other.database.transaction(async (db) => {
      await lockRun(other.parts, db, locked.id);
      expect((await program.claims.claim({ host: "a", queues: [queue] }))?.run.id).toBe(free.id);
    });
  });
});

describe("claim() behind runs of a tenant whose budget is spent", () => {
  /** Three runs that are refused, and one behind them that can begin. */
  async function spent() {
    const queue = randomUUID();
    const tenant = `tenant-${randomUUID()}`;
    for (let index = 0; index < 3; index++) await program.submit({ queue, tenant });
    const run = await program.submit({ queue, priority: "low" });
    await program.tenants.set(tenant, { budgetUsd: { total: 0 } });
    const countWaiting = async () => {
      const rows = await program.rows(
        "select 1 from hawser.run where tenant = $1 and state = 'queued'",
        [tenant],
      );
      return rows.length;
    };
    return { worker: { host: "a", queues: [queue] }, run, countWaiting };
  }

  it("counts the lease from the attempt that claimed, not from the first one", async () => {
    const { worker, run } = await spent();
    const attempts: number[] = [];
    const goesOn = () => attempts.push(performance.now()) > 0;
    const claim = await program.claims.claim({ ...worker, goesOn });
    expect(claim?.run.id).toBe(run.id);
    expect(attempts).toHaveLength(3);
    expect(claim?.claimedAt.monotonicMs).toBeGreaterThanOrEqual(attempts.at(-1) ?? Infinity);
  });

  it("ends after a second, tells the worker to ask again, and claims then", async () => {
    const { worker, run, countWaiting } = await spent();
    let unfinished = 0;
    const slow = {
      ...worker,
      // The refusals take longer than the search may.
      goesOn: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_100) !== "ok",
      onUnfinished: () => {
        unfinished += 1;
      },
    };
    expect(await program.claims.claim(slow)).toBeUndefined();
    expect([unfinished, await countWaiting()]).toEqual([1, 2]);
    expect((await program.claims.claim(worker))?.run.id).toBe(run.id);
  });

  it("ends when the worker does not want a run any more", async () => {
    const { worker, countWaiting } = await spent();
    const queues = [...worker.queues, randomUUID()];
    await program.submit({ queue: queues[1] ?? "" });
    const onUnfinished = () => expect.fail("The search was not ended because of its length.");
    const stopped = { ...worker, queues, goesOn: () => false, onUnfinished };
    expect(await createClaims(program.parts).claim(stopped)).toBeUndefined();
    expect(await countWaiting()).toBe(2);
  });
});

describe("touch() and holds()", () => {
  /** Whether a statement waits for a lock of another transaction. */
  const isAnyWaiting = async () => {
    const rows = await program.rows(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rows.length > 0;
  };

  it("keep the claims that are alive, and tell of the others", async () => {
    const { claim } = await claimed();
    const lost = (await claimed()).claim;
    await silence(program, lost);
    expect([...(await program.claims.touch([claim, lost]))]).toEqual([claim]);
    expect(await program.claims.holds(claim)).toBe(true);
    expect(await program.claims.holds(lost)).toBe(false);
    const [session] = await program.rows<{ rest: string }>(
      "select extract(epoch from expires_at - clock_timestamp()) as rest from hawser.session where id = $1",
      [claim.run.sessionId],
    );
    expect(Number(session?.rest)).toBeGreaterThan(5);
  });

  it("do not wait for a caller whose transaction has locked one of the runs", async () => {
    const { claim, tenant } = await claimed();
    const { claim: bystander } = await claimed();
    const calls = new EventEmitter();
    const calling = other.database.transaction(async (db) => {
      const session = claim.run.sessionId;
      await submitRun(other.parts, "Go.", { tenant, session, onBusySession: "interrupt", db });
      calls.emit("submitted");
      await once(calls, "commit");
    });
    await once(calls, "submitted");
    // It locks the session, and waits for the run.
    const writing = program.claims.addEvents(claim, [{ type: "text", text: "late" }]);
    while (!(await isAnyWaiting())) await sleep(20);
    const held = await program.claims.touch([claim, bystander]);
    calls.emit("commit");
    expect(held).toEqual(new Set([claim, bystander]));
    await Promise.all([calling, writing]);
    expect(await program.claims.touch([claim, bystander])).toEqual(held);
  });

  it("do not wait for the ends of other runs, which wait for a caller's transaction on all connections of the pool", async () => {
    const { claim: bystander } = await claimed();
    const ending: Claim[] = [];
    for (let at = 0; at < 8; at += 1) ending.push((await claimed()).claim);
    const calls = new EventEmitter();
    const calling = other.database.transaction(async (db) => {
      for (const { run } of ending) {
        const { tenant, sessionId: session } = run;
        await submitRun(other.parts, "Go.", { tenant, session, db });
      }
      calls.emit("submitted");
      await once(calls, "commit");
    });
    await once(calls, "submitted");
    const ends = ending.map((claim) => program.claims.settle(claim, doneWith("Hello.")));
    const waiting = async () => {
      const { rows } = await other.database.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'advisory'",
      );
      return rows.length;
    };
    while ((await waiting()) < ends.length) await sleep(20);
    const held = program.claims.touch([...ending, bystander]);
    const holds = program.claims.holds(bystander);
    const answers = await Promise.allSettled([held, holds]);
    calls.emit("commit");
    expect(answers).toEqual([
      { status: "fulfilled", value: new Set([...ending, bystander]) },
      { status: "fulfilled", value: true },
    ]);
    await Promise.all([calling, ...ends]);
  });

  it("leave a session free if its segment is settled during a heartbeat", async () => {
    const { claim } = await claimed();
    const { engine } = program.parts;
    const touch: Engine["touch"] = async (jobs) => {
      const held = await engine.touch(jobs);
      await program.claims.settle(claim, doneWith("Hello."));
      return held;
    };
    const claims = createClaims({ ...program.parts, engine: { touch } as Engine });
    expect((await claims.touch([claim])).size).toBe(0);
    const sessions = await program.rows(
      "select holder, expires_at from hawser.session where id = $1",
      [claim.run.sessionId],
    );
    expect(sessions).toEqual([{ holder: null, expires_at: null }]);
  });
});

function usage(outputTokens: number) {
  return {
    model: "claude-test",
    inputTokens: 0,
    outputTokens,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    requests: 1,
  };
}
