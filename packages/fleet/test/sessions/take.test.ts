import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { HookAnswer, SessionStoreEntry } from "hawser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../src/database/database.js";
import { openDatabase } from "../../src/database/open-database.js";
import { createFleetSessionStore } from "../../src/sessions/create-fleet-session-store.js";
import type { FleetSessionStore, SessionLease } from "../../src/sessions/fleet-sessions.js";
import { createDatabase, type TestDatabase } from "../support/postgres.js";

let made: TestDatabase;
let database: Database;
let ann: FleetSessionStore;
let bob: FleetSessionStore;

beforeAll(async () => {
  made = await createDatabase();
  database = await openDatabase(made.url);
  ann = createFleetSessionStore({ database, leaseMs: LEASE_MS, holder: "ann" });
  bob = createFleetSessionStore({ database, leaseMs: LEASE_MS, holder: "bob" });
});
afterAll(async () => {
  await database.close();
  await made.dispose();
});

const LEASE_MS = 10_000;

function keyOf(sessionId: string) {
  return { projectKey: "-p", sessionId };
}

function entry(text: string): SessionStoreEntry {
  return { type: "user", uuid: randomUUID(), message: { role: "user", content: text } };
}

/** As if the holder had been silent for the whole lease. */
async function passLease(sessionId: string): Promise<void> {
  await database.query(
    `update ${database.schema}.session set expires_at = clock_timestamp() - interval '1 second' where id = $1`,
    [sessionId],
  );
}

async function decide({ guard }: SessionLease): Promise<string | undefined> {
  const { signal } = new AbortController();
  const answer: HookAnswer = await guard({} as never, "toolu_1", { signal });
  const output = (answer as { hookSpecificOutput?: { permissionDecision?: string } } | undefined)
    ?.hookSpecificOutput;
  return output?.permissionDecision;
}

describe("fleet.sessionStore.take()", () => {
  it("gives a session to one program at a time, and names the holder with session_in_use", async () => {
    const id = randomUUID();
    const lease = await ann.take(id);
    await expect(bob.take(id)).rejects.toMatchObject({
      code: "session_in_use",
      message: expect.stringContaining("ann"),
    });
    await lease.release();
    await using second = await bob.take(id);
    expect(second.epoch).toBe(lease.epoch + 1);
  });

  it("waits up to waitMs for a session that is given back", async () => {
    const id = randomUUID();
    const lease = await ann.take(id);
    const waiting = bob.take(id, { waitMs: 60_000 });
    await lease.release();
    const second = await waiting;
    expect(second.sessionId).toBe(id);
    await second.release();
  });

  it("stops waiting with aborted when the signal aborts", async () => {
    const id = randomUUID();
    await using _lease = await ann.take(id);
    const abort = new AbortController();
    const waiting = bob.take(id, { waitMs: 60_000, signal: abort.signal });
    abort.abort();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
  });

  it("lets exactly one of ten programs have a session", async () => {
    const id = randomUUID();
    const tries = await Promise.allSettled(Array.from({ length: 10 }, () => ann.take(id)));
    const leases = tries.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(leases).toHaveLength(1);
    await leases[0]?.release();
  });

  it("refuses the writes of a holder whose session somebody else has taken, and tells it with lost", async () => {
    const id = randomUUID();
    const old = await ann.take(id);
    await old.store.append(keyOf(id), [entry("by ann")]);
    await passLease(id);
    const next = await bob.take(id);
    await next.store.append(keyOf(id), [entry("by bob")]);
    const lost = once(old.lost, "abort");
    await expect(old.store.append(keyOf(id), [entry("too late")])).rejects.toMatchObject({
      code: "lease_lost",
    });
    await lost;
    expect(old.lost.reason).toMatchObject({ code: "lease_lost" });
    expect(await decide(old)).toBe("deny");
    expect(await decide(next)).toBeUndefined();
    const texts = (await bob.load(keyOf(id)))?.map(({ message }) => message);
    expect(texts).toEqual([
      { role: "user", content: "by ann" },
      { role: "user", content: "by bob" },
    ]);
    // A release that comes too late does not free the session of the new holder.
    await old.release();
    await expect(ann.take(id)).rejects.toMatchObject({ code: "session_in_use" });
    await next.release();
  });

  it("refuses an append without a lease while somebody holds it", async () => {
    const id = randomUUID();
    const lease = await ann.take(id);
    await expect(bob.append(keyOf(id), [entry("between")])).rejects.toMatchObject({
      code: "session_in_use",
      message: expect.stringContaining("ann"),
    });
    await expect(bob.delete(keyOf(id))).rejects.toMatchObject({ code: "session_in_use" });
    await lease.release();
    await bob.append(keyOf(id), [entry("afterwards")]);
    expect(await ann.load(keyOf(id))).toHaveLength(1);
  });

  it("refuses an append without a lease while a run of the session runs or waits for a person", async () => {
    const id = randomUUID();
    await bob.append(keyOf(id), [entry("before")]);
    for (const state of ["running", "waiting"]) {
      await database.query(
        `insert into ${database.schema}.run (id, tenant, profile, queue, state, request, request_hash, session_id,
           priority, tag, max_attempts, metadata)
         values ($1, 'default', 'default', 'default', $2, '{}', '', $3, 0, 0, 3, '{}')`,
        [randomUUID(), state, id],
      );
      const refused = { code: "session_in_use", message: expect.stringContaining("a run") };
      await expect(bob.append(keyOf(id), [entry("between")])).rejects.toMatchObject(refused);
      await expect(bob.delete(keyOf(id))).rejects.toMatchObject(refused);
      await database.query(`delete from ${database.schema}.run where session_id = $1`, [id]);
    }
    await bob.append(keyOf(id), [entry("afterwards")]);
    expect(await ann.load(keyOf(id))).toHaveLength(2);
  });

  it("takes the lease away from a silent holder when another program appends without one", async () => {
    const id = randomUUID();
    const frozen = await ann.take(id);
    await passLease(id);
    await bob.append(keyOf(id), [entry("by bob")]);
    await expect(frozen.store.append(keyOf(id), [entry("thawed")])).rejects.toMatchObject({
      code: "lease_lost",
    });
    await frozen.release();
  });

  it("refuses entries of another session with lease_lost, because nothing protects them", async () => {
    await using lease = await ann.take(randomUUID());
    await expect(lease.store.append(keyOf(randomUUID()), [entry("x")])).rejects.toMatchObject({
      code: "lease_lost",
    });
  });

  it("renews the lease before it is over", async () => {
    const id = randomUUID();
    const quick = createFleetSessionStore({ database, leaseMs: 8_000, holder: "quick" });
    await using lease = await quick.take(id);
    const expiry = async () => {
      const { rows } = await database.query<{ expires_at: Date }>(
        `select expires_at from ${database.schema}.session where id = $1`,
        [id],
      );
      return rows[0]?.expires_at.getTime() ?? 0;
    };
    const before = await expiry();
    await expect.poll(expiry, { timeout: 20_000, interval: 50 }).toBeGreaterThan(before);
    expect(lease.epoch).toBe(1);
  });

  it("is lost before it is over when the database cannot be reached", async () => {
    const own = await openDatabase(made.url);
    const store = createFleetSessionStore({ database: own, leaseMs: 3_000, holder: "cut off" });
    const lease = await store.take(randomUUID());
    await own.close();
    if (!lease.lost.aborted) await once(lease.lost, "abort");
    expect(lease.lost.reason).toMatchObject({ code: "lease_lost" });
    expect(await decide(lease)).toBe("deny");
  });
});
