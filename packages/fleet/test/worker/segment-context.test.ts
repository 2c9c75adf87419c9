import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../src/database/open-database.js";
import { openEngine } from "../../src/engine/open-engine.js";
import type { Claim } from "../../src/runs/claims.js";
import { createClaims } from "../../src/runs/create-claims.js";
import { readUncertain } from "../../src/runs/uncertain-tools.js";
import {
  createSegmentContext,
  type SegmentContext,
} from "../../src/worker/segment/segment-context.js";
import type { WorkerSettings } from "../../src/worker/worker-settings.js";
import { collect } from "../support/collect.js";
import { startDatabaseProxy } from "../support/database-proxy.js";
import {
  createRunWorld,
  doneWith,
  type RunProgram,
  type RunWorld,
  silence,
} from "../support/run-world.js";

let world: RunWorld;
let program: RunProgram;
beforeAll(async () => {
  world = await createRunWorld();
  program = await world.open();
});
afterAll(() => world[Symbol.asyncDispose]());

async function claimed(): Promise<Claim> {
  const queue = randomUUID();
  await program.submit({ queue });
  const claim = await program.claims.claim({ host: "a", queues: [queue] });
  if (claim === undefined) throw new Error("nothing was claimed");
  return claim;
}

/** The parts of a segment, whose database is behind this URL. */
async function openContext(url: string, claim: Claim) {
  const database = await openDatabase(url);
  const engine = await openEngine(database);
  const parts = { database, engine, leaseMs: 10_000, logger: undefined };
  const settings = { parts: { ...parts, claims: createClaims(parts) } } as WorkerSettings;
  const context: SegmentContext = createSegmentContext(settings, claim);
  const close = async () => {
    context.lease.release();
    await engine.close();
    await database.close();
  };
  return { context, close };
}

describe("the events of a segment", () => {
  it("are written once if the connection is lost while they are committed", async () => {
    const proxy = await startDatabaseProxy(world.url);
    for (const forward of [true, false]) {
      const claim = await claimed();
      const { context, close } = await openContext(proxy.url, claim);
      context.events.add({ type: "message", message: "first" });
      await context.events.close();
      proxy.cutAt("commit", { forward });
      context.events.add({ type: "message", message: "second" });
      context.events.add({ type: "message", message: "third" });
      await context.events.close();
      await program.claims.settle(claim, doneWith("Done."));
      const events = await collect(program.run(claim.run.id).events());
      const told = events.flatMap((event) => (event.type === "message" ? [event.message] : []));
      expect(told).toEqual(["first", "second", "third"]);
      await close();
    }
    await proxy.close();
  });
});

describe("the store of a segment", () => {
  it("is not frozen for a parked call if another call has begun meanwhile", async () => {
    const claim = await claimed();
    const { context, close } = await openContext(world.url, claim);
    const { store, calls } = context;
    const key = { projectKey: "-p", sessionId: claim.run.sessionId };
    const says = (content: unknown) => ({
      type: "assistant",
      uuid: randomUUID(),
      message: { role: "assistant", content: [content] },
    });
    const freezing = store.freezeAfter("asked", [], () => !calls.isAnyRunning, 10_000);
    const other = { toolUseId: "other", tool: "Read", input: {} };
    expect(await calls.begin(other)).toBe(true);
    await store.append(key, [says({ type: "tool_use", id: "asked", name: "Bash", input: {} })]);
    expect(await freezing).toBe(false);
    await calls.end(["other"]);
    expect(await store.freezeAfter("asked", [], () => !calls.isAnyRunning, 10_000)).toBe(true);
    calls.park();
    expect(await calls.begin({ ...other, toolUseId: "late" })).toBe(false);
    await store.append(key, [says({ type: "text", text: "dropped" })]);
    expect(await store.load(key)).toHaveLength(1);
    await close();
  });
});

describe("the tool calls of a segment", () => {
  it("that ended without a result in the transcript are uncertain again after several deaths, back to the last segment that was not lost", async () => {
    let claim = await claimed();
    const next = async () => {
      const found = await program.claims.claim({ host: "b", queues: [claim.run.queue] });
      if (found === undefined) throw new Error("nothing was claimed");
      claim = found;
    };
    const make = async (...ids: string[]) => {
      const { context, close } = await openContext(world.url, claim);
      for (const toolUseId of ids) {
        expect(await context.calls.begin({ toolUseId, tool: "Bash", input: {} })).toBe(true);
      }
      await context.calls.end(ids);
      await close();
    };
    await make("returned");
    const returned = { type: "returned", reason: "worker_drained" } as const;
    await program.claims.settle(claim, {
      ...returned,
      costUsd: 0,
      usage: undefined,
      workedMs: 1,
    });
    await next();
    await make("pushed", "stored");
    await silence(program, claim);
    // This host dies before it has read the transcript.
    await next();
    await silence(program, claim);
    await next();
    expect(claim).toMatchObject({ segment: 4, how: "recovered", uncertain: [] });
    const { context, close } = await openContext(world.url, claim);
    await context.calls.reopenLost(new Set(["stored"]));
    await close();
    const { parts, database } = program;
    const uncertain = await readUncertain(parts, database, claim.run.id, claim.segment);
    expect(uncertain).toMatchObject([{ toolUseId: "pushed", segment: 2, done: false }]);
  });
});
