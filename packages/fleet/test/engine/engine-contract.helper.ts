import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../src/database/database.js";
import type { Engine, Job, NewJob } from "../../src/engine/engine.js";

/** A database, and engines on it as several programs would have them. */
export interface EngineWorld {
  readonly database: Database;
  readonly openEngine: (options?: { readonly leaseMs?: number }) => Promise<Engine>;
  readonly dispose: () => Promise<void>;
}

/**
 * What the fleet relies on, whatever the version of pg-boss and of Postgres. `concurrent` is false where the
 * database has one connection.
 */
export function describeEngine(
  name: string,
  open: () => Promise<EngineWorld>,
  { concurrent }: { readonly concurrent: boolean },
): void {
  describe(name, () => {
    let world: EngineWorld;
    let engine: Engine;
    let database: Database;
    let boss: string;

    beforeAll(async () => {
      world = await open();
      database = world.database;
      engine = await world.openEngine();
      boss = `"${database.schema.slice(1, -1)}_boss"`;
    });
    afterAll(async () => {
      await engine?.close();
      await world?.dispose();
    });

    /** A queue that no other test uses. */
    const newQueue = () => `queue-${randomUUID()}`;
    const newJob = (queue: string, fields: Partial<NewJob> = {}): NewJob => ({
      queue,
      run: randomUUID(),
      session: randomUUID(),
      group: "tenant",
      rank: 0,
      ...fields,
    });
    const send = (job: NewJob, by = engine) => database.transaction((db) => by.send(job, db));
    const claim = (queue: string, blocked: readonly string[] = [], by = engine) =>
      database.transaction((db) => by.claim({ queue, blocked }, db));
    const complete = (job: Job) => database.transaction((db) => engine.complete(job, db));
    const holds = (job: Job) => database.transaction((db) => engine.holds(job, db));
    const giveBack = (job: Job, startAfterMs?: number) =>
      database.transaction((db) =>
        engine.giveBack(job, startAfterMs === undefined ? {} : { startAfterMs }, db),
      );
    async function claimed(queue: string): Promise<Job> {
      const job = await claim(queue);
      if (job === undefined) throw new Error(`There is nothing to claim in ${queue}.`);
      return job;
    }
    /** The host of the job has been silent for so long. */
    const silence = (job: Job, seconds: number) =>
      database.query(
        `update ${boss}.job set heartbeat_on = clock_timestamp() - $2 * interval '1 second' where id = $1`,
        [job.id, seconds],
      );

    describe("hasDue()", () => {
      it("is true as long as a job waits that may begin, and false for delayed, active and ended ones", async () => {
        const queue = newQueue();
        expect(await engine.hasDue(queue)).toBe(false);
        await send(newJob(queue, { startAfter: new Date(Date.now() + 3_600_000) }));
        expect(await engine.hasDue(queue)).toBe(false);
        await send(newJob(queue));
        expect(await engine.hasDue(queue)).toBe(true);
        const job = await claimed(queue);
        expect(await engine.hasDue(queue)).toBe(false);
        await giveBack(job);
        expect(await engine.hasDue(queue)).toBe(true);
        await complete(await claimed(queue));
        expect(await engine.hasDue(queue)).toBe(false);
      });
    });

    describe("claim()", () => {
      it("gives a sent job once, with its run", async () => {
        const queue = newQueue();
        const sent = newJob(queue);
        const id = await send(sent);
        expect(await claim(queue)).toEqual({ id, queue, run: sent.run, attempt: 0 });
        expect(await claim(queue)).toBeUndefined();
      });

      it("finds nothing in a queue that nobody has used", async () => {
        expect(await claim(newQueue())).toBeUndefined();
      });

      it("takes higher ranks first, and equal ranks in the order in which they were sent", async () => {
        const queue = newQueue();
        const ranks = [0, -2_147_483_648, 5, 5, 2_147_483_647];
        const runs: string[] = [];
        for (const rank of ranks) {
          const job = newJob(queue, { rank });
          runs.push(job.run);
          await send(job);
        }
        const order: (string | undefined)[] = [];
        for (const _ of ranks) order.push((await claim(queue))?.run);
        expect(order).toEqual([runs[4], runs[2], runs[3], runs[0], runs[1]]);
      });

      it("passes over blocked groups", async () => {
        const queue = newQueue();
        const blocked = newJob(queue, { group: "blocked", rank: 9 });
        const free = newJob(queue, { group: "it's free" });
        await send(blocked);
        await send(free);
        expect((await claim(queue, ["blocked", "other"]))?.run).toBe(free.run);
        expect(await claim(queue, ["blocked"])).toBeUndefined();
        expect((await claim(queue))?.run).toBe(blocked.run);
      });

      it("passes over a thousand blocked groups", async () => {
        const queue = newQueue();
        const free = newJob(queue, { group: "free" });
        await send(free);
        const blocked = Array.from({ length: 1000 }, (_, at) => `tenant ${at}`);
        expect((await claim(queue, blocked))?.run).toBe(free.run);
      });

      it("passes over a session that has an active job, and goes on with other sessions", async () => {
        const queue = newQueue();
        const session = randomUUID();
        await send(newJob(queue, { session, rank: 2 }));
        const second = newJob(queue, { session, rank: 1 });
        await send(second);
        const other = newJob(queue);
        await send(other);
        const first = await claimed(queue);
        expect((await claim(queue))?.run).toBe(other.run);
        expect(await claim(queue)).toBeUndefined();
        await complete(first);
        expect((await claim(queue))?.run).toBe(second.run);
      });

      it("keeps a job with startAfter back until then", async () => {
        const queue = newQueue();
        await send(newJob(queue, { startAfter: new Date(Date.now() + 3_600_000) }));
        expect(await claim(queue)).toBeUndefined();
        await send(newJob(queue, { startAfter: new Date(Date.now() - 1000) }));
        expect(await claim(queue)).toBeDefined();
      });

      it("leaves the job in the queue if the transaction rolls back", async () => {
        const queue = newQueue();
        const sent = newJob(queue);
        await send(sent);
        await expect(
          database.transaction(async (db) => {
            expect(await engine.claim({ queue, blocked: [] }, db)).toBeDefined();
            throw new Error("no");
          }),
        ).rejects.toThrow("no");
        expect(await claim(queue)).toMatchObject({ run: sent.run, attempt: 0 });
      });

      it("never claims from another queue", async () => {
        const queue = newQueue();
        await send(newJob(queue));
        expect(await claim(newQueue())).toBeUndefined();
      });

      it.each(["", "with space", "it's", "-first", "a".repeat(65), "émile"])(
        "refuses the queue name %j with invalid_options",
        async (queue) => {
          await expect(send(newJob(queue))).rejects.toMatchObject({ code: "invalid_options" });
          await expect(claim(queue)).rejects.toMatchObject({ code: "invalid_options" });
        },
      );
    });

    describe("send()", () => {
      it("sends nothing if the transaction rolls back, not even the new queue", async () => {
        const queue = newQueue();
        await expect(
          database.transaction(async (db) => {
            await engine.send(newJob(queue), db);
            await engine.send(newJob(queue), db);
            throw new Error("no");
          }),
        ).rejects.toThrow("no");
        expect((await engine.counts()).has(queue)).toBe(false);
        const sent = newJob(queue);
        await send(sent);
        expect((await claim(queue))?.run).toBe(sent.run);
      });

      it("keeps waiting jobs for years, and active ones too", async () => {
        const queue = newQueue();
        const id = await send(newJob(queue));
        const { rows } = await database.query<{ kept: boolean; active: boolean; tries: number }>(
          `select keep_until > now() + interval '10 years' as kept,
             expire_seconds > 10 * 365 * 86400 as active, retry_limit as tries
           from ${boss}.job where id = $1`,
          [id],
        );
        expect(rows).toEqual([{ kept: true, active: true, tries: 2_147_483_647 }]);
      });
    });

    describe("complete()", () => {
      it("ends the job once", async () => {
        const queue = newQueue();
        await send(newJob(queue));
        const job = await claimed(queue);
        expect(await complete(job)).toBe(true);
        expect(await complete(job)).toBe(false);
        expect(await claim(queue)).toBeUndefined();
      });

      it("leaves the job active if the transaction rolls back", async () => {
        const queue = newQueue();
        await send(newJob(queue));
        const job = await claimed(queue);
        await expect(
          database.transaction(async (db) => {
            expect(await engine.complete(job, db)).toBe(true);
            throw new Error("no");
          }),
        ).rejects.toThrow("no");
        expect(await holds(job)).toBe(true);
        expect(await complete(job)).toBe(true);
      });

      it("commits together with the caller's own rows, and the next job of the session", async () => {
        const queue = newQueue();
        const session = randomUUID();
        await send(newJob(queue, { session }));
        const job = await claimed(queue);
        const next = newJob(queue, { session });
        await database.transaction(async (db) => {
          await engine.complete(job, db);
          await engine.send(next, db);
        });
        expect((await claim(queue))?.run).toBe(next.run);
      });

      it("is refused to the first host when a second one has the job", async () => {
        const queue = newQueue();
        await send(newJob(queue));
        const first = await claimed(queue);
        await silence(first, 11);
        await engine.recover();
        const second = await claimed(queue);
        expect(await complete(first)).toBe(false);
        expect(await giveBack(first)).toBe(false);
        expect(await complete(second)).toBe(true);
      });
    });

    describe("giveBack()", () => {
      it("puts the job back into the queue at once, with its rank and one attempt more", async () => {
        const queue = newQueue();
        const sent = newJob(queue, { rank: 7 });
        await send(sent);
        await send(newJob(queue, { rank: 6 }));
        const job = await claimed(queue);
        expect(await giveBack(job)).toBe(true);
        expect(await claim(queue)).toEqual({ ...job, attempt: 1 });
        expect(await giveBack(job)).toBe(false);
      });

      it("keeps the job back for startAfterMs", async () => {
        const queue = newQueue();
        await send(newJob(queue));
        const job = await claimed(queue);
        expect(await giveBack(job, 3_600_000)).toBe(true);
        expect(await claim(queue)).toBeUndefined();
        const { rows } = await database.query<{ seconds: number }>(
          `select extract(epoch from start_after - now())::float as seconds from ${boss}.job where id = $1`,
          [job.id],
        );
        expect(rows[0]?.seconds).toBeGreaterThan(3500);
        expect(rows[0]?.seconds).toBeLessThan(3700);
      });

      it("works a hundred times with the same job", async () => {
        const queue = newQueue();
        await send(newJob(queue));
        for (let attempt = 0; attempt < 100; attempt += 1) {
          const job = await claimed(queue);
          expect(job.attempt).toBe(attempt);
          expect(await giveBack(job)).toBe(true);
        }
      });
    });

    describe("touch() and recover()", () => {
      it("keeps the jobs of a host that talks", async () => {
        const queue = newQueue();
        await send(newJob(queue));
        await send(newJob(queue));
        const jobs = [await claimed(queue), await claimed(queue)];
        for (const job of jobs) await silence(job, 9);
        expect(await engine.touch(jobs)).toEqual(new Set(jobs.map(({ id }) => id)));
        for (const job of jobs) await silence(job, 9);
        await engine.recover();
        expect(await claim(queue)).toBeUndefined();
      });

      it("touches jobs of several queues in one call", async () => {
        const queues = [newQueue(), newQueue()];
        for (const queue of queues) await send(newJob(queue));
        const jobs = await Promise.all(queues.map(claimed));
        expect(await engine.touch(jobs)).toEqual(new Set(jobs.map(({ id }) => id)));
        expect(await engine.touch([])).toEqual(new Set());
      });

      it("gives the job of a silent host to another one, and tells the first one", async () => {
        const queue = newQueue();
        await send(newJob(queue));
        const first = await claimed(queue);
        await silence(first, 11);
        await engine.recover();
        expect(await engine.touch([first])).toEqual(new Set());
        const second = await claimed(queue);
        expect(second).toEqual({ ...first, attempt: 1 });
        expect(await engine.touch([first])).toEqual(new Set());
        expect(await engine.touch([first, second])).toEqual(new Set([second.id]));
        expect(await holds(first)).toBe(false);
        expect(await holds(second)).toBe(true);
      });

      it("frees the session of a silent host", async () => {
        const queue = newQueue();
        const session = randomUUID();
        await send(newJob(queue, { session, rank: 1 }));
        await send(newJob(queue, { session }));
        const first = await claimed(queue);
        expect(await claim(queue)).toBeUndefined();
        await silence(first, 11);
        await engine.recover();
        expect(await claim(queue)).toEqual({ ...first, attempt: 1 });
        expect(await claim(queue)).toBeUndefined();
      });

      it("wakes the workers when it has given something back", async () => {
        const queue = newQueue();
        await send(newJob(queue));
        await silence(await claimed(queue), 11);
        let stop = () => {};
        const woken = new Promise<void>((resolve) => {
          database
            .listen("wake", () => resolve())
            .then((end) => {
              stop = end;
              return engine.recover();
            });
        });
        await woken;
        stop();
      });

      it("has the lease of the claim, also if the sender had another one", async () => {
        const patient = await world.openEngine({ leaseMs: 60_000 });
        const queue = newQueue();
        await send(newJob(queue));
        const [job] = [await claim(queue, [], patient)];
        if (job === undefined) throw new Error("There is nothing to claim.");
        await silence(job, 55);
        await engine.recover();
        expect(await holds(job)).toBe(true);
        await silence(job, 61);
        await engine.recover();
        expect(await holds(job)).toBe(false);
        await patient.close();
      });

      it("does nothing to a job that is touched again in time", async () => {
        const queue = newQueue();
        await send(newJob(queue));
        const job = await claimed(queue);
        await silence(job, 11);
        expect(await engine.touch([job])).toEqual(new Set([job.id]));
        await engine.recover();
        expect(await holds(job)).toBe(true);
      });
    });

    describe("cancel()", () => {
      it("takes a waiting job out of the queue", async () => {
        const queue = newQueue();
        const id = await send(newJob(queue));
        await database.transaction((db) => engine.cancel(id, queue, db));
        expect(await claim(queue)).toBeUndefined();
      });

      it("takes an active job away from its worker, and frees the session", async () => {
        const queue = newQueue();
        const session = randomUUID();
        await send(newJob(queue, { session }));
        const job = await claimed(queue);
        await database.transaction((db) => engine.cancel(job.id, queue, db));
        expect(await engine.touch([job])).toEqual(new Set());
        expect(await complete(job)).toBe(false);
        const next = newJob(queue, { session });
        await send(next);
        expect((await claim(queue))?.run).toBe(next.run);
      });

      it("does nothing if the transaction rolls back, or if the job is unknown or ended", async () => {
        const queue = newQueue();
        const id = await send(newJob(queue));
        await expect(
          database.transaction(async (db) => {
            await engine.cancel(id, queue, db);
            throw new Error("no");
          }),
        ).rejects.toThrow("no");
        await database.transaction((db) => engine.cancel(randomUUID(), queue, db));
        const job = await claimed(queue);
        await complete(job);
        await database.transaction((db) => engine.cancel(job.id, queue, db));
      });
    });

    describe("holds()", () => {
      it("is false for a job that is waiting, ended or unknown", async () => {
        const queue = newQueue();
        await send(newJob(queue));
        const job = await claimed(queue);
        expect(await holds(job)).toBe(true);
        await giveBack(job);
        expect(await holds(job)).toBe(false);
        expect(await holds({ ...job, id: randomUUID() })).toBe(false);
      });

      if (!concurrent) return;
      it("locks the job, so that nobody takes it away meanwhile", async () => {
        const queue = newQueue();
        await send(newJob(queue));
        const job = await claimed(queue);
        await silence(job, 11);
        await database.transaction(async (db) => {
          expect(await engine.holds(job, db)).toBe(true);
          await engine.recover();
          expect(await engine.complete(job, db)).toBe(true);
        });
        expect(await claim(queue)).toBeUndefined();
      });
    });

    describe("rerank()", () => {
      it("changes the order of waiting jobs, and passes over unknown and ended ones", async () => {
        const queue = newQueue();
        const [low, high, ended] = [
          newJob(queue, { rank: 1 }),
          newJob(queue, { rank: 2 }),
          newJob(queue, { rank: 3 }),
        ];
        const [lowId, , endedId] = [await send(low), await send(high), await send(ended)];
        await complete(await claimed(queue));
        await database.transaction((db) =>
          engine.rerank(
            [
              { id: lowId, rank: 2_000_000_000 },
              { id: endedId, rank: 1 },
              { id: randomUUID(), rank: 1 },
            ],
            queue,
            db,
          ),
        );
        await database.transaction((db) => engine.rerank([], queue, db));
        expect((await claim(queue))?.run).toBe(low.run);
        expect((await claim(queue))?.run).toBe(high.run);
      });
    });

    describe("counts(), analyze(), prune()", () => {
      it("counts waiting and active jobs by queue", async () => {
        const queue = newQueue();
        for (let at = 0; at < 3; at += 1) await send(newJob(queue));
        await claimed(queue);
        await complete(await claimed(queue));
        expect((await engine.counts()).get(queue)).toEqual({ waiting: 1, active: 1 });
      });

      it("knows the size of the job table after analyze()", async () => {
        const queue = newQueue();
        for (let at = 0; at < 20; at += 1) await send(newJob(queue));
        await engine.analyze();
        const { rows } = await database.query<{ tuples: number }>(
          `select reltuples::int as tuples from pg_class where oid = '${boss}.job_common'::regclass`,
        );
        expect(rows[0]?.tuples).toBeGreaterThanOrEqual(20);
      });

      it("deletes jobs that ended before a time, and no others", async () => {
        const queue = newQueue();
        for (let at = 0; at < 3; at += 1) await send(newJob(queue));
        await complete(await claimed(queue));
        const active = await claimed(queue);
        await engine.prune(new Date(Date.now() - 60_000));
        await engine.prune(new Date(Date.now() + 60_000));
        const { rows } = await database.query<{ state: string }>(
          `select state::text as state from ${boss}.job where name = $1 order by state`,
          [queue],
        );
        expect(rows.map(({ state }) => state)).toEqual(["active", "created"]);
        expect(await complete(active)).toBe(true);
      });
    });

    if (!concurrent) return;
    describe("several programs", () => {
      it("each job is claimed once, and each session is active once, by eight claims at a time", async () => {
        const queue = newQueue();
        const sessions = Array.from({ length: 10 }, () => randomUUID());
        const engines = await Promise.all(Array.from({ length: 4 }, () => world.openEngine()));
        for (let at = 0; at < 60; at += 1) {
          await send(newJob(queue, { session: sessions[at % sessions.length] as string }));
        }
        const active = new Set<string>();
        const served: string[] = [];
        const { rows: sent } = await database.query<{ id: string; session: string }>(
          `select id, singleton_key as session from ${boss}.job where name = $1`,
          [queue],
        );
        const sessionOf = new Map(sent.map(({ id, session }) => [id, session]));
        const work = async (by: Engine) => {
          for (;;) {
            if (served.length === 60) return;
            const job = await claimAlone(by);
            if (job === undefined) continue;
            const session = sessionOf.get(job.id) as string;
            expect(active.has(session)).toBe(false);
            active.add(session);
            served.push(job.id);
            await engine.touch([job]);
            active.delete(session);
            expect(await complete(job)).toBe(true);
          }
        };
        // Claims are made one at a time over the fleet, as the runs do it.
        const claimAlone = (by: Engine) =>
          database.transaction(async (db) => {
            await db.query("select pg_advisory_xact_lock(4711)");
            return by.claim({ queue, blocked: [] }, db);
          });
        await Promise.all([...engines, ...engines].map(work));
        expect(new Set(served).size).toBe(60);
        await Promise.all(engines.map((one) => one.close()));
      });

      it("sees a job that was sent while the claim waited for its turn", async () => {
        const queue = newQueue();
        const sent = newJob(queue);
        await database.transaction(async (db) => {
          await db.query("select 1"); // The clock of this transaction stands still from here on.
          await send(sent);
          expect((await engine.claim({ queue, blocked: [] }, db))?.run).toBe(sent.run);
        });
      });

      it("gives the jobs of a silent host back once when ten programs look for them", async () => {
        const queue = newQueue();
        for (let at = 0; at < 5; at += 1) {
          await send(newJob(queue));
          await silence(await claimed(queue), 11);
        }
        await Promise.all(Array.from({ length: 10 }, () => engine.recover()));
        for (let at = 0; at < 5; at += 1) expect((await claimed(queue)).attempt).toBe(1);
        expect(await claim(queue)).toBeUndefined();
      });
    });
  });
}
