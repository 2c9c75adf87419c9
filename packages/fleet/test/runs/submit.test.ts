import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SubmitOptions } from "../../src/runs/run.js";
import { createRunWorld, doneWith, type RunProgram, type RunWorld } from "../support/run-world.js";

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

/** A tenant that no other test uses. */
const tenantOf = () => `tenant-${randomUUID()}`;
const queueOf = () => `queue-${randomUUID()}`;
const jobsOf = async (run: string) =>
  program.rows(`select id, state from "hawser_boss".job where data->>'run' = $1`, [run]);

const ASKED = { role: "user", content: "Which knot?" } as const;
const ANSWER = { role: "assistant", content: "A bowline." } as const;

describe("submit() refuses with invalid_options", () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  const cases: [title: string, prompt: unknown, options: unknown, path: string][] = [
    ["an empty prompt", " ", {}, "prompt"],
    ["a prompt that is a number", 7, {}, "prompt"],
    ["a prompt with a function", [{ type: "text", text: () => "hi" }], {}, "prompt[0].text"],
    ["an option of a worker's profile", "hi", { cwd: "/tmp" }, "cwd"],
    ["an environment", "hi", { env: { A: "b" } }, "env"],
    ["a function in an option", "hi", { systemPrompt: () => "" }, "systemPrompt"],
    ["an instance of a class", "hi", { schema: new Map() }, "schema"],
    ["data that contains itself", "hi", { schema: circular }, "schema.self"],
    ["a number that JSON does not have", "hi", { maxTurns: Number.NaN }, "maxTurns"],
    ["an option that the core refuses", "hi", { maxTurns: -1 }, "maxTurns"],
    ["an empty tenant", "hi", { tenant: "" }, "tenant"],
    ["a tenant with U+0000", "hi", { tenant: "a\0b" }, "tenant"],
    ["half a surrogate pair in a key", "hi", { key: "\ud800" }, "key"],
    ["metadata that are not strings", "hi", { metadata: { a: 1 } }, "metadata"],
    ["a session that is no id", "hi", { session: "latest" }, "session"],
    ["a fork without an id", "hi", { session: {} }, "session"],
    ["a history that is a text", "hi", { history: "Which knot?" }, "history"],
    ["a history beside a session", "hi", { history: [ASKED], session: randomUUID() }, "history"],
    ["an unknown priority", "hi", { priority: "urgent" }, "priority"],
    ["an unknown onBusySession", "hi", { onBusySession: "wait" }, "onBusySession"],
    ["a budget of 0", "hi", { budgetUsd: 0 }, "budgetUsd"],
    ["a deadline that is a number", "hi", { deadline: 7 }, "deadline"],
    ["a date that is none", "hi", { startAfter: new Date("x") }, "startAfter"],
    ["no attempts", "hi", { attempts: 0 }, "attempts"],
    ["a timeout of 0", "hi", { timeoutMs: 0 }, "timeoutMs"],
  ];
  it.each(cases)("%s", async (_title, prompt, options, path) => {
    const submitted = program.submit(options as SubmitOptions, prompt as string);
    await expect(submitted).rejects.toMatchObject({
      code: "invalid_options",
      issues: [{ path }],
      hint: expect.stringMatching(/\w{2}/),
    });
  });

  it("a name that is not one of a queue", async () => {
    const submitted = program.submit({ queue: "not a queue!" });
    await expect(submitted).rejects.toMatchObject({ code: "invalid_options" });
  });
});

describe("submit()", () => {
  it("keeps prompt and options as they are, U+0000 and unpaired surrogates included", async () => {
    const prompt = "zero \0, half \ud83d, whole 😀";
    const run = await program.submit(
      { queue: queueOf(), maxTurns: 3, schema: { type: "object" }, history: [ASKED, ANSWER] },
      prompt,
    );
    expect(await run.info()).toMatchObject({
      prompt,
      options: { maxTurns: 3, schema: { type: "object" }, history: [ASKED, ANSWER] },
      state: "queued",
      priority: "normal",
    });
  });

  it("accepts the same key once, from 20 submits of two programs at once", async () => {
    const options = { tenant: tenantOf(), key: "order-1", queue: queueOf() };
    const programs = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? program : other));
    const runs = await Promise.all(programs.map((each) => each.submit(options)));
    expect(new Set(runs.map(({ id }) => id)).size).toBe(1);
    expect(await jobsOf(runs[0]?.id ?? "")).toHaveLength(1);
  });

  it.each(["interrupt", "reject", "queue"] as const)(
    "accepts the same key once for a session with onBusySession %s, and leaves the run alone",
    async (onBusySession) => {
      const [tenant, queue] = [tenantOf(), queueOf()];
      await program.submit({ tenant, queue });
      const claim = await program.claims.claim({ host: "a", queues: [queue] });
      if (claim === undefined) throw new Error("nothing was claimed");
      await program.claims.settle(claim, doneWith("the session is free"));
      const session = claim.run.sessionId;
      const options = { tenant, queue, session, onBusySession, key: "once" };
      const programs = Array.from({ length: 10 }, (_, index) => (index % 2 ? program : other));
      const runs = await Promise.all(programs.map((each) => each.submit(options)));
      expect(new Set(runs.map(({ id }) => id)).size).toBe(1);
      expect((await runs[0]?.info())?.state).toBe("queued");
    },
  );

  it("takes the same key of another tenant as another run", async () => {
    const queue = queueOf();
    const one = await program.submit({ tenant: tenantOf(), key: "k", queue });
    const two = await program.submit({ tenant: tenantOf(), key: "k", queue });
    expect(one.id).not.toBe(two.id);
  });

  it("takes a key with another deadline and another order of fields as the same request", async () => {
    const tenant = tenantOf();
    const queue = queueOf();
    const soon = (ms: number) => new Date(Date.now() + ms);
    const one = await program.submit({
      tenant,
      queue,
      key: "k",
      metadata: { a: "1", b: "2" },
      deadline: soon(60_000),
    });
    const two = await program.submit({
      metadata: { b: "2", a: "1" },
      deadline: soon(61_000),
      key: "k",
      queue,
      tenant,
    });
    expect(two.id).toBe(one.id);
  });

  it("refuses the same key with another request, also after the run was settled", async () => {
    const tenant = tenantOf();
    const queue = queueOf();
    const run = await program.submit({ tenant, queue, key: "k" });
    const second = program.submit({ tenant, queue, key: "k" }, "Say goodbye.");
    await expect(second).rejects.toMatchObject({
      code: "invalid_options",
      message: expect.stringContaining(run.id),
    });
    await run.cancel();
    const third = program.submit({ tenant, queue, key: "k", budgetUsd: 1 });
    await expect(third).rejects.toMatchObject({ code: "invalid_options" });
    expect((await program.submit({ tenant, queue, key: "k" })).id).toBe(run.id);
  });
});

describe("submit({ db })", () => {
  const inTransaction = async (end: "commit" | "rollback", options: SubmitOptions) => {
    const client = new pg.Client({ connectionString: world.url });
    await client.connect();
    try {
      await client.query("begin");
      const run = await program.submit({ ...options, db: client });
      const seenBefore = await program.rows(`select 1 from hawser.run where id = $1`, [run.id]);
      await client.query(end);
      return { run, seenBefore };
    } finally {
      await client.end();
    }
  };

  it("makes the run exist with the commit of the caller", async () => {
    const { run, seenBefore } = await inTransaction("commit", { queue: queueOf() });
    expect(seenBefore).toEqual([]);
    expect((await run.info()).state).toBe("queued");
    expect(await jobsOf(run.id)).toHaveLength(1);
  });

  it("leaves nothing behind after the rollback of the caller", async () => {
    const tenant = tenantOf();
    const { run } = await inTransaction("rollback", { tenant, queue: queueOf(), key: "k" });
    await expect(run.info()).rejects.toMatchObject({ code: "invalid_options" });
    expect(await jobsOf(run.id)).toEqual([]);
    for (const table of ["run", "event", "tenant", "lane"]) {
      const column = table === "tenant" ? "name" : table === "event" ? "run_id::text" : "tenant";
      const rows = await program.rows(`select 1 from hawser.${table} where ${column} in ($1, $2)`, [
        tenant,
        run.id,
      ]);
      expect([table, rows]).toEqual([table, []]);
    }
    // The key is free again.
    expect((await program.submit({ tenant, queue: queueOf(), key: "k" })).id).not.toBe(run.id);
  });

  it("does not stop the heartbeats of the session's running segment", async () => {
    const queue = queueOf();
    const first = await program.submit({ queue });
    const claim = await program.claims.claim({ host: "a", queues: [queue] });
    if (claim === undefined) throw new Error("nothing was claimed");
    const client = new pg.Client({ connectionString: world.url });
    await client.connect();
    try {
      await client.query("begin");
      await program.submit({ queue, session: claim.run.sessionId, db: client });
      expect([...(await program.claims.touch([claim]))]).toEqual([claim]);
      await program.claims.addEvents(claim, [{ type: "text", text: "still here" }]);
      await client.query("commit");
    } finally {
      await client.end();
    }
    await program.claims.settle(claim, doneWith("done"));
    expect((await first.info()).state).toBe("done");
  });
});

describe("submit({ session })", () => {
  /** A session with a run that is claimed. */
  const busySession = async () => {
    const queue = queueOf();
    const run = await program.submit({ queue });
    const claim = await program.claims.claim({ host: "a", queues: [queue] });
    if (claim === undefined) throw new Error("nothing was claimed");
    return { queue, run, claim, session: claim.run.sessionId };
  };
  const claimNext = async (queue: string) => {
    const claim = await program.claims.claim({ host: "a", queues: [queue] });
    if (claim === undefined) throw new Error("nothing was claimed");
    return claim;
  };

  it("holds runs of a busy session, and queues them one after the other in their order", async () => {
    const { queue, claim, session } = await busySession();
    const held = [];
    for (let index = 0; index < 3; index++) held.push(await program.submit({ queue, session }));
    expect((await held[0]?.info())?.state).toBe("held");
    expect(await program.claims.claim({ host: "b", queues: [queue] })).toBeUndefined();
    await program.claims.settle(claim, doneWith("first"));
    const order = [];
    for (let index = 0; index < 3; index++) {
      const next = await claimNext(queue);
      order.push(next.run.id);
      expect(next.epoch).toBe(index + 2);
      await program.claims.settle(next, doneWith("next"));
    }
    expect(order).toEqual(held.map(({ id }) => id));
  });

  it("never has two current runs of a session, whoever submits and settles at once", async () => {
    const { queue, claim, session } = await busySession();
    await Promise.all([
      program.claims.settle(claim, doneWith("first")),
      ...Array.from({ length: 10 }, (_, index) =>
        (index % 2 === 0 ? program : other).submit({ queue, session }),
      ),
    ]);
    const states = await program.rows<{ state: string }>(
      "select state from hawser.run where session_id = $1 and state <> 'done' order by state",
      [session],
    );
    expect(states.filter(({ state }) => state === "queued")).toHaveLength(1);
    expect(states.filter(({ state }) => state === "held")).toHaveLength(9);
    for (let index = 0; index < 10; index++) {
      await program.claims.settle(await claimNext(queue), doneWith("next"));
    }
    expect(await program.claims.claim({ host: "a", queues: [queue] })).toBeUndefined();
  });

  it("rejects with session_in_use if onBusySession is reject", async () => {
    const { session, run } = await busySession();
    await expect(program.submit({ session, onBusySession: "reject" })).rejects.toMatchObject({
      code: "session_in_use",
      message: expect.stringContaining(run.id),
    });
  });

  it("interrupts the running run and cancels the others if onBusySession is interrupt", async () => {
    const { queue, claim, session, run } = await busySession();
    const held = await program.submit({ queue, session });
    const urgent = await program.submit({ queue, session, onBusySession: "interrupt" });
    expect((await held.info()).state).toBe("cancelled");
    expect((await run.info()).state).toBe("running");
    expect((await urgent.info()).state).toBe("held");
    await program.claims.settle(claim, {
      type: "cancelled",
      costUsd: 0.02,
      usage: undefined,
      workedMs: 1,
      error: { code: "run_cancelled", message: "interrupted" },
    });
    expect((await run.info()).state).toBe("cancelled");
    expect((await claimNext(queue)).run.id).toBe(urgent.id);
  });

  it("replaces a queued run at once if onBusySession is interrupt", async () => {
    const { queue, claim, session } = await busySession();
    await program.claims.settle(claim, doneWith("first"));
    const waiting = await program.submit({ queue, session });
    const urgent = await program.submit({ queue, session, onBusySession: "interrupt" });
    expect((await waiting.info()).state).toBe("cancelled");
    expect((await claimNext(queue)).run.id).toBe(urgent.id);
  });

  it("refuses a session that is missing or belongs to another tenant", async () => {
    const { session } = await busySession();
    await expect(program.submit({ session: randomUUID() })).rejects.toMatchObject({
      code: "session_not_found",
    });
    await expect(program.submit({ session, tenant: tenantOf() })).rejects.toMatchObject({
      code: "session_not_found",
    });
  });

  it("forks a session: a session of its own that names the other", async () => {
    const { queue, session } = await busySession();
    const fork = await program.submit({ queue, session: { fork: session } });
    const next = await claimNext(queue);
    expect(next.run).toMatchObject({ id: fork.id, forkOf: session });
    expect(next.run.sessionId).not.toBe(session);
  });
});

describe("submit({ startAfter })", () => {
  it("is not claimed before", async () => {
    const queue = queueOf();
    const startAfter = new Date(Date.now() + 1_500);
    const run = await program.submit({ queue, startAfter });
    expect(await program.claims.claim({ host: "a", queues: [queue] })).toBeUndefined();
    for (;;) {
      const claim = await program.claims.claim({ host: "a", queues: [queue] });
      if (claim === undefined) continue;
      expect(claim.run.id).toBe(run.id);
      expect(Date.now()).toBeGreaterThanOrEqual(startAfter.getTime());
      break;
    }
  });
});
