import { setTimeout as sleep } from "node:timers/promises";
import { reply, toolUse } from "hawser/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collect } from "../support/collect.js";
import { WorkerWorld } from "../worker/worker-world.helper.js";
import { GatewayOnFleet, type Reply } from "./gateway-on-fleet.helper.js";

let world: WorkerWorld;
let gateway: GatewayOnFleet;
beforeAll(async () => {
  world = await WorkerWorld.create();
  await world.work({ slots: 4 });
  await world.work({ slots: 4, holdMs: 0, labels: ["impatient"], name: "impatient" });
  gateway = new GatewayOnFleet(world.fleet);
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

const RUNS = "/hawser/v1/runs";
const APPROVALS = "/hawser/v1/approvals";

/** It writes a file, so that the CLI asks. */
const DEPLOY = "echo deployed > state; cat state";

const submit = (prompt: string, rest: object = {}, user = "alice"): Promise<Reply> =>
  gateway.ask("POST", RUNS, user, { agent: "helper", prompt, ...rest });

async function reached(id: string, state: string): Promise<Reply["body"]> {
  for (;;) {
    const { body } = await gateway.ask("GET", `${RUNS}/${id}`, "admin");
    if (body.run.state === state) return body.run;
    if (body.run.endedAt !== undefined) throw new Error(JSON.stringify(body.run));
    await sleep(50);
  }
}

const untilEnd = (id: string) => collect(gateway.events(`${RUNS}/${id}/events`, "alice"));

describe.concurrent("/hawser/v1/runs", () => {
  it("submits a run of the tenant, shows it, and streams its events by number", async () => {
    const { status, body } = await submit(`${world.agent(() => "A bowline.")} Name a knot.`, {
      metadata: { ticket: "17" },
    });
    expect({ status, run: body.run }).toMatchObject({
      status: 201,
      run: { tenant: "alice", profile: "default", metadata: { ticket: "17" } },
    });
    const { id } = body.run;
    const events = await untilEnd(id);
    expect(events.map((event) => event.id)).toEqual(events.map((_, i) => String(i + 1)));
    expect(events.map(({ data }) => data.seq)).toEqual(events.map((_, i) => i + 1));
    expect(events.at(-1)?.data).toMatchObject({ type: "ended", state: "done" });
    const shown = await gateway.ask("GET", `${RUNS}/${id}`, "alice");
    expect(shown.body.run).toMatchObject({ state: "done", outcome: { text: "A bowline." } });
    const listed = await gateway.ask("GET", `${RUNS}?state=done&limit=500`, "alice");
    expect(listed.body.runs.map((run: { id: string }) => run.id)).toContain(id);
  });

  it("continues a stream after Last-Event-ID, and answers 204 when nothing is left", async () => {
    const { body } = await submit(`${world.agent(() => "Done.")} Go.`);
    const { id } = body.run;
    const all = await untilEnd(id);
    const path = `${RUNS}/${id}/events`;
    const rest = await collect(gateway.events(path, "alice", { "last-event-id": "2" }));
    expect(rest).toEqual(all.slice(2));
    expect(await collect(gateway.events(`${path}?after=2`, "alice"))).toEqual(rest);
    const last = { headers: { "last-event-id": String(all.length) } };
    expect((await gateway.fetch("GET", path, "alice", last)).status).toBe(204);
    const bad = { headers: { "last-event-id": "soon" } };
    expect((await gateway.fetch("GET", path, "alice", bad)).status).toBe(400);
  });

  it("ends a stream of events when the gateway drains, and not the run", async () => {
    await using other = new GatewayOnFleet(world.fleet);
    const name = world.agent(() => reply("Slow.", { chunks: 2, chunkDelayMs: 600_000 }));
    const { body } = await submit(`${name} Wait.`);
    const { id } = body.run;
    const reading = collect(other.events(`${RUNS}/${id}/events`, "alice"));
    await reached(id, "running");
    other.gateway.endSubscriptions();
    expect((await reading).at(-1)?.data.type).not.toBe("ended");
    expect((await reached(id, "running")).state).toBe("running");
    expect((await gateway.ask("POST", `${RUNS}/${id}/cancel`, "alice")).status).toBe(200);
  });

  it("cancels a run once: DELETE and POST cancel, then 409", async () => {
    const name = world.agent(() => reply("Slow.", { chunks: 2, chunkDelayMs: 600_000 }));
    const { body } = await submit(`${name} Wait.`);
    const { id } = body.run;
    await reached(id, "running");
    expect(await gateway.ask("DELETE", `${RUNS}/${id}`, "alice")).toMatchObject({
      status: 200,
      body: { result: "cancelled" },
    });
    await reached(id, "cancelled");
    expect(await gateway.ask("POST", `${RUNS}/${id}/cancel`, "alice")).toMatchObject({
      status: 409,
      body: { error: { code: "conflict" }, run: { state: "cancelled" } },
    });
    expect((await gateway.ask("POST", `${RUNS}/${id}/retry`, "alice")).status).toBe(409);
  });

  it("shows a run only to its tenant and to admins", async () => {
    const { body } = await submit(`${world.agent(() => "Secret.")} Go.`);
    const { id } = body.run;
    await untilEnd(id);
    const asked = [
      ["GET", `${RUNS}/${id}`],
      ["GET", `${RUNS}/${id}/events`],
      ["DELETE", `${RUNS}/${id}`],
      ["POST", `${RUNS}/${id}/cancel`],
      ["POST", `${RUNS}/${id}/retry`],
    ] as const;
    for (const [method, path] of asked) {
      expect((await gateway.ask(method, path, "bob")).status, `${method} ${path}`).toBe(404);
    }
    // Another test submits a run for bob.
    const { runs } = (await gateway.ask("GET", RUNS, "bob")).body;
    expect(runs.filter(({ tenant }: { tenant: string }) => tenant !== "bob")).toEqual([]);
    expect((await gateway.ask("GET", `${RUNS}?tenant=alice`, "bob")).body.runs).toEqual([]);
    const seen = await gateway.ask("GET", `${RUNS}?tenant=alice&limit=500`, "admin");
    expect(seen.body.runs.map((run: { id: string }) => run.id)).toContain(id);
    const session = { session: body.run.sessionId };
    const foreign = await submit("Continue.", session, "bob");
    expect(foreign).toMatchObject({ status: 404, body: { error: { code: "session_not_found" } } });
  });

  it("continues a session of the tenant, and keeps a key to one run", async () => {
    const name = world.agent(({ prompt }) => (prompt.includes("more") ? "Two." : "One."));
    const first = (await submit(`${name} Count.`, { key: name })).body.run;
    expect((await submit(`${name} Count.`, { key: name })).body.run.id).toBe(first.id);
    expect((await submit("Another.", { key: name })).status).toBe(400);
    await reached(first.id, "done");
    const next = (await submit("One more.", { session: first.sessionId })).body.run;
    expect((await reached(next.id, "done")).outcome.text).toBe("Two.");
  });

  it("refuses what a client may not decide", async () => {
    const cases: [object, string, number, string][] = [
      [{ allowedTools: ["Bash"] }, "alice", 400, "allowedTools"],
      [{ priority: "high" }, "alice", 403, "priority"],
      [{ tenant: "bob" }, "alice", 403, "tenant"],
      [{ agent: "nobody" }, "alice", 404, "agent"],
      [{ model: "agent:helper" }, "alice", 404, ""],
      [{ deadline: "tomorrow" }, "alice", 400, "deadline"],
      [{ session: "latest" }, "alice", 400, "session"],
      [{ fork: true }, "alice", 400, "fork"],
      [{ attempts: 0 }, "alice", 400, "attempts"],
    ];
    for (const [rest, user, status, param] of cases) {
      const refused = await submit("Go.", rest, user);
      expect({ status: refused.status, rest }).toEqual({ status, rest });
      if (param !== "") expect(refused.body.error.param).toBe(param);
    }
    expect((await submit("Go.", {}, "viewer")).status).toBe(403);
    const opened = await gateway.ask("POST", "/hawser/v1/sessions", "alice", { agent: "helper" });
    expect(opened).toMatchObject({ status: 400, body: { error: { param: "agent" } } });
  });

  it("lets an admin submit for a tenant, with any priority", async () => {
    const { status, body } = await submit(
      `${world.agent(() => "Done.")} Go.`,
      { tenant: "bob", priority: "high" },
      "admin",
    );
    expect({ status, run: body.run }).toMatchObject({
      status: 201,
      run: { tenant: "bob", priority: "high" },
    });
  });

  it("refuses a body that is too large", async () => {
    await using small = new GatewayOnFleet(world.fleet, { http: { bodyLimit: 1000 } });
    const { status } = await small.ask("POST", RUNS, "alice", {
      agent: "helper",
      prompt: "x".repeat(2000),
    });
    expect(status).toBe(413);
  });

  it("answers 404 without a fleet", async () => {
    await using alone = new GatewayOnFleet(world.fleet, { fleet: undefined, agents: {} });
    expect((await alone.ask("GET", RUNS, "alice")).status).toBe(404);
  });
});

describe.concurrent("/hawser/v1/approvals with a fleet", () => {
  it("shows the questions of parked runs, and lets the first answer count", async () => {
    const name = world.agent(({ results }) =>
      results.length === 0
        ? toolUse("Bash", { command: DEPLOY, description: "Deploy" })
        : `It said ${results.join()}`,
    );
    const { body } = await submit(`${name} Deploy.`, { agent: "strict" });
    const { id: run } = body.run;
    await reached(run, "waiting");
    const open = (await gateway.ask("GET", APPROVALS, "alice")).body.approvals;
    const question = open.find((each: { run: string }) => each.run === run);
    expect(question).toMatchObject({ kind: "tool", tool: "Bash", tenant: "alice" });
    const path = `${APPROVALS}/${question.id}`;
    expect((await gateway.ask("GET", path, "alice")).body).toMatchObject({
      status: "pending",
      approval: { input: { command: DEPLOY } },
    });
    const others = (await gateway.ask("GET", APPROVALS, "bob")).body.approvals;
    expect(others.filter((each: { run: string }) => each.run === run)).toEqual([]);
    const answer = { decision: "allow", by: "pager" };
    expect((await gateway.ask("GET", path, "bob")).status).toBe(404);
    expect((await gateway.ask("POST", path, "bob", answer)).status).toBe(404);
    expect((await gateway.ask("POST", path, "viewer", answer)).status).toBe(403);
    const wrong = await gateway.ask("POST", path, "alice", { decision: "accept" });
    expect(wrong.status).toBe(400);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => gateway.ask("POST", path, "alice", answer)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    const late = answers.find(({ status }) => status === 409);
    expect(late?.body).toMatchObject({ result: "too_late", record: { by: "alice/pager" } });
    expect((await reached(run, "done")).outcome.text).toContain("deployed");
    const records = (await gateway.ask("GET", `${APPROVALS}/records`, "alice")).body.records;
    expect(records.find((each: { id: string }) => each.id === question.id)).toMatchObject({
      outcome: "answered",
      by: "alice/pager",
    });
  });

  it("streams questions and answers of the tenant, the open ones first", async () => {
    const name = world.agent(({ results }) =>
      results.length === 0 ? toolUse("Bash", { command: DEPLOY, description: "Say two" }) : "Done.",
    );
    const ask = (user: string) => submit(`${name} Ask.`, { agent: "strict" }, user);
    const first = (await ask("carol")).body.run.id;
    await reached(first, "waiting");
    const seen: { type: string; run: string }[] = [];
    const read = async (): Promise<void> => {
      for await (const { data } of gateway.events(`${APPROVALS}/events`, "carol")) {
        const run = data.approval?.run ?? data.record?.run;
        seen.push({ type: data.type, run });
        if (data.type === "asked" && run === first) {
          const path = `${APPROVALS}/${data.approval.id}`;
          await gateway.ask("POST", path, "carol", { decision: "deny", message: "No." });
        }
        if (data.type === "answered") return;
      }
    };
    await read();
    expect(seen.slice(0, 2)).toEqual([
      { type: "begin", run: undefined },
      { type: "asked", run: first },
    ]);
    expect(seen.at(-1)).toEqual({ type: "answered", run: first });
    expect(new Set(seen.slice(1).map(({ run }) => run))).toEqual(new Set([first]));
  });
});
