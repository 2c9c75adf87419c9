import { join } from "node:path";
import { createApprovals } from "hawser";
import { hang, toolUse } from "hawser/testing";
import { describe, expect, it } from "vitest";
import type { TenantSource } from "../../src/gateway.js";
import { anonymousTenant } from "../../src/tenants/anonymous-tenant.js";
import { gatewayWorld } from "../support/gateway-world.js";

interface Asked {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of the answer.
  readonly body: any;
}

/** What was booked for each request. */
const booked: unknown[] = [];

/** Each key is the name of its tenant. The options are those of the world, which begins later. */
const tenants: TenantSource = {
  authenticate: (headers) => ({
    ...anonymousTenant(world.cliOptions),
    name: headers.get("x-api-key") ?? "",
    isAdmin: headers.get("x-api-key") === "admin",
    admit: () => ({ limits: {}, settle: (used) => void booked.push(used) }),
  }),
};

const world = gatewayWorld({
  pool: { size: { min: 0, max: 4 } },
  agents: { helper: {} },
  models: { "gpt-5": "haiku", sub: "agent:helper" },
  approvals: createApprovals(),
  tenants,
});

async function ask(user: string, path: string, body?: unknown): Promise<Asked> {
  const response = await world.fetch(`/hawser/v1${path}`, {
    headers: { "x-api-key": user, "content-type": "application/json" },
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

describe("createGateway()", () => {
  it("serves the native API with the tenant of the key", async () => {
    const opened = await ask("alice", "/sessions", { agent: "helper" });
    expect(opened.status).toBe(201);
    expect(opened.headers.get("request-id")).toMatch(/^req_/);
    const { id } = opened.body.session;
    expect(opened.body.session.tenant).toBe("alice");
    expect((await ask("bob", `/sessions/${id}`)).status).toBe(404);
    expect((await ask("admin", `/sessions/${id}`)).body.session.tenant).toBe("alice");
    expect((await ask("alice", "/agents")).body.agents).toEqual([{ name: "helper" }]);
    expect((await ask("alice", "/nothing")).body.error.code).toBe("not_found");
    world.script("A bowline.");
    const { body } = await ask("alice", `/sessions/${id}/turns?wait=1`, { prompt: "A knot?" });
    expect(body.text).toBe("A bowline.");
    expect((await ask("alice", `/sessions/${id}/close`, {})).status).toBe(200);
  });

  it("lets a tenant answer the questions of its own agent calls", async () => {
    const file = join(world.place.cwd, "call.txt");
    world.script(toolUse("Write", { file_path: file, content: "Hello\n" }), "Written.");
    const answer = world.post(
      "/v1/messages",
      {
        model: "agent:helper",
        max_tokens: 100,
        messages: [{ role: "user", content: "Write a note." }],
      },
      { "x-api-key": "alice" },
    );
    const asked = await expect
      .poll(async () => (await ask("alice", "/approvals")).body.approvals, { timeout: 60_000 })
      .toHaveLength(1)
      .then(async () => (await ask("alice", "/approvals")).body.approvals[0]);
    expect(asked).toMatchObject({ tool: "Write", tenant: "alice" });
    expect((await ask("bob", "/approvals")).body.approvals).toEqual([]);
    // The session behind the call is for the admin only.
    expect((await ask("alice", "/sessions")).body.sessions.map(purpose)).not.toContain("call");
    expect((await ask("admin", "/sessions")).body.sessions.map(purpose)).toContain("call");
    expect((await ask("bob", `/approvals/${asked.id}`, { decision: "allow" })).status).toBe(404);
    expect((await ask("alice", `/approvals/${asked.id}`, { decision: "allow" })).status).toBe(200);
    expect(await (await answer).text()).toContain("Written.");
  });

  it("shows a tenant no transcript of another tenant in the same configuration folder", async () => {
    const opened = await ask("alice", "/sessions", { agent: "helper" });
    const { id } = opened.body.session;
    world.script("A bowline.");
    await ask("alice", `/sessions/${id}/turns?wait=1`, { prompt: "A secret of Alice" });
    const { sessionId } = (await ask("alice", `/sessions/${id}`)).body.session;
    expect((await ask("alice", `/sessions/${sessionId}/messages`)).body.total).toBe(2);
    expect((await ask("bob", "/sessions?stored=1")).body.stored).toEqual([]);
    expect((await ask("bob", "/sessions?q=secret")).body.hits).toEqual([]);
    expect((await ask("bob", `/sessions/${sessionId}/messages`)).status).toBe(404);
    const resumed = await ask("bob", "/sessions", { agent: "helper", resume: sessionId });
    expect(resumed.status).toBe(404);
    expect((await ask("alice", `/sessions/${id}/close`, {})).status).toBe(200);
  });

  it("books a turn whose session is closed before the answer is whole", async () => {
    const { id } = (await ask("alice", "/sessions", { agent: "helper" })).body.session;
    world.script(hang("x".repeat(400)));
    const turn = ask("alice", `/sessions/${id}/turns?wait=1`, { prompt: "A long story." });
    const turns = async () => (await ask("alice", `/sessions/${id}`)).body.session.turns;
    await expect.poll(async () => (await turns())[0]?.text.length, { timeout: 20_000 }).toBe(400);
    await ask("alice", `/sessions/${id}/close`, {});
    await turn;
    expect(booked.at(-1)).toMatchObject({ usage: { output_tokens: 100 }, isEstimate: true });
  });

  it("books an estimate for a turn that is interrupted in its answer, once", async () => {
    const { id } = (await ask("alice", "/sessions", { agent: "helper" })).body.session;
    booked.length = 0;
    world.script(hang("x".repeat(400)));
    const turn = ask("alice", `/sessions/${id}/turns?wait=1`, { prompt: "A long story." });
    const turns = async () => (await ask("alice", `/sessions/${id}`)).body.session.turns;
    await expect.poll(async () => (await turns())[0]?.text.length, { timeout: 20_000 }).toBe(400);
    await ask("alice", `/sessions/${id}/interrupt`, {});
    expect((await turn).body.outcome).toBe("aborted");
    expect(booked).toEqual([
      {
        usage: expect.objectContaining({ input_tokens: 10, output_tokens: 100 }),
        costUsd: undefined,
        isEstimate: true,
      },
    ]);
    await ask("alice", `/sessions/${id}/close`, {});
    expect(booked).toHaveLength(1);
  });

  it("books an estimate of the prompt for a turn that is interrupted before the answer, and nothing for a prompt that waited", async () => {
    const { id } = (await ask("alice", "/sessions", { agent: "helper" })).body.session;
    booked.length = 0;
    world.script(hang());
    const asked = world.nextCall();
    const prompt = "A long story. ".repeat(100);
    const turn = ask("alice", `/sessions/${id}/turns?wait=1`, { prompt });
    await asked;
    const waiting = ask("alice", `/sessions/${id}/turns?wait=1`, { prompt: "And another." });
    const turns = async () => (await ask("alice", `/sessions/${id}`)).body.session.turns;
    await expect.poll(turns, { timeout: 20_000 }).toHaveLength(2);
    await ask("alice", `/sessions/${id}/interrupt`, {});
    await Promise.all([turn, waiting]);
    await ask("alice", `/sessions/${id}/close`, {});
    // The prompt that waited is withdrawn first.
    const [withdrawn, cut] = booked as [unknown, { usage: { input_tokens: number } }];
    expect(booked).toHaveLength(2);
    expect(withdrawn).toBeUndefined();
    expect(cut).toMatchObject({ usage: { output_tokens: 0 }, isEstimate: true });
    expect(cut.usage.input_tokens).toBeGreaterThan(prompt.length / 4);
  });

  it("limits the prompts that wait in a session, and the streams of events of a tenant", async () => {
    const { id } = (await ask("alice", "/sessions", { agent: "helper" })).body.session;
    world.script(hang());
    const asked = world.nextCall();
    const send = () => ask("alice", `/sessions/${id}/turns`, { prompt: "A knot?" });
    await send();
    await asked;
    for (let i = 1; i < 100; i += 1) expect((await send()).status).toBe(202);
    expect(await send()).toMatchObject({
      status: 429,
      body: { error: { code: "rate_limit_exceeded" } },
    });
    await ask("alice", `/sessions/${id}/close`, {});

    const watch = () => world.fetch("/hawser/v1/events", { headers: { "x-api-key": "carol" } });
    const streams = await Promise.all(Array.from({ length: 100 }, watch));
    expect((await watch()).status).toBe(429);
    await Promise.all(streams.map(({ body }) => body?.cancel()));
    const next = await watch();
    expect(next.status).toBe(200);
    await next.body?.cancel();
  });

  it("ends a search of a tenant when the tenant begins another one", async () => {
    const search = () => ask("alice", "/sessions?q=nothing");
    const all = await Promise.all([search(), search(), search()]);
    expect(all).toMatchObject([
      { status: 200, body: { hits: [], isComplete: false } },
      { status: 200, body: { hits: [], isComplete: false } },
      { status: 200, body: { hits: [], isComplete: true } },
    ]);
    expect((await search()).body.isComplete).toBe(true);
  });

  it("opens sessions of models by the names of the map", async () => {
    const opened = await ask("alice", "/sessions", { agent: "helper", model: "gpt-5" });
    expect(opened.status).toBe(201);
    const { id } = opened.body.session;
    world.script("A bowline.");
    await ask("alice", `/sessions/${id}/turns?wait=1`, { prompt: "A knot?" });
    expect(world.calls.at(-1)?.model).toContain("haiku");
    await ask("alice", `/sessions/${id}/close`, {});
    for (const model of ["sub", "agent:helper", "gpt-4"]) {
      const refused = await ask("alice", "/sessions", { agent: "helper", model });
      expect(refused, model).toMatchObject({
        status: 404,
        body: { error: { code: "model_not_found" } },
      });
    }
  });

  it("keeps nothing open after HEAD for an event stream", async () => {
    const headers = { "x-api-key": "alice" };
    const response = await world.fetch("/hawser/v1/events", { method: "HEAD", headers });
    expect(response.status).toBe(200);
    expect(world.gateway.openRequests).toBe(0);
  });

  it("ends event streams when it closes", async () => {
    const response = await world.fetch("/hawser/v1/events", { headers: { "x-api-key": "alice" } });
    const reader = response.body?.getReader();
    await reader?.read();
    const rest = (async () => {
      for (;;) if ((await reader?.read())?.done !== false) return "ended";
    })();
    await world.gateway.close();
    expect(await rest).toBe("ended");
  });
});

function purpose(session: { purpose: string }): string {
  return session.purpose;
}
