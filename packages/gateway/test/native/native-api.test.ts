import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openSession } from "hawser";
import { hang, reply, toolUse } from "hawser/testing";
import { describe, expect, it } from "vitest";
import { nativeWorld } from "./native-world.helper.js";

const world = nativeWorld();

const write = (name: string, content: string) =>
  toolUse("Write", { file_path: join(world.place.cwd, name), content });

describe("POST /hawser/v1/approvals/:id", () => {
  it("runs the tool once with the edited input", async () => {
    const reader = await world.events();
    const { id } = await world.open();
    world.script(() => write("note.txt", "Hello\n"), "Done.");
    const { status, body } = await world.post(`/sessions/${id}/turns`, { prompt: "Write." });
    expect(status).toBe(202);

    const { data: asked } = await reader.untilKind("approval.requested", 0);
    expect(asked).toMatchObject({ session: id, tool: "Write", isAnswerable: true });
    expect(asked.question.diff.lines).toEqual([{ sign: "+", text: "Hello" }]);
    expect((await world.get("/approvals")).body.approvals).toMatchObject([
      { id: asked.approval, session: id, tool: "Write" },
    ]);
    const { body: exact } = await world.get(`/approvals/${asked.approval}`);
    const updatedInput = { ...exact.approval.input, content: "Hello, Ada\n" };
    const answer = { decision: "allow", updatedInput, by: "ada" };
    const counted = await world.post(`/approvals/${asked.approval}`, answer);
    expect(counted.body).toMatchObject({ result: "counted", record: { by: "admin/ada" } });

    const { data: end } = await reader.until(
      ({ data }) => data.kind === "turn.end" && data.turn === body.turn,
      0,
    );
    expect(end).toMatchObject({ outcome: "ok", text: "Done." });
    expect(readFileSync(join(world.place.cwd, "note.txt"), "utf8")).toBe("Hello, Ada\n");
    const kinds = reader.seen.filter(({ data }) => data.tool === "Write").map((e) => e.data.kind);
    expect(kinds.filter((kind) => kind === "tool.end")).toHaveLength(1);
    const answered = reader.seen.find(({ data }) => data.kind === "approval.answered")?.data;
    expect(answered).toMatchObject({ outcome: "allow", by: "admin/ada", edited: true });

    const late = await world.post(`/approvals/${asked.approval}`, { decision: "deny" });
    expect(late).toMatchObject({
      status: 409,
      body: { result: "too_late", record: { by: "admin/ada" }, error: { code: "conflict" } },
    });
    const { body: audit } = await world.get("/approvals/records");
    expect(audit.records.at(-1)).toMatchObject({ id: asked.approval, edited: true });
    reader.leave();
    await world.post(`/sessions/${id}/close`);
  });

  it("denies, and the model reads the reason", async () => {
    const reader = await world.events();
    const { id } = await world.open();
    let seen = "";
    world.script(
      () => write("no.txt", "No\n"),
      (call) => {
        seen = call.toolResults[0]?.text ?? "";
        return "I will not.";
      },
    );
    const turn = world.post(`/sessions/${id}/turns?wait=1`, { prompt: "Write." });
    const { data: asked } = await reader.untilKind("approval.requested", 0);
    const wrong = await world.post(`/approvals/${asked.approval}`, {
      decision: "answer",
      answers: {},
    });
    expect(wrong).toMatchObject({ status: 400, body: { error: { code: "invalid_options" } } });
    const answer = { decision: "deny", message: "Not in this folder." };
    expect((await world.post(`/approvals/${asked.approval}`, answer)).status).toBe(200);
    expect((await turn).body).toMatchObject({ outcome: "ok", text: "I will not." });
    expect(seen).toContain("Not in this folder.");
    expect(existsSync(join(world.place.cwd, "no.txt"))).toBe(false);
    reader.leave();
    await world.post(`/sessions/${id}/close`);
  });
});

describe("POST /hawser/v1/sessions", () => {
  it("opens a session, answers a turn, and closes the process", async () => {
    const { id } = await world.open();
    world.script(reply("A bowline.", { chunks: 4 }));
    const { body } = await world.post(`/sessions/${id}/turns?wait=1`, { prompt: "A knot?" });
    expect(body).toMatchObject({ outcome: "ok", text: "A bowline." });
    const { body: live } = await world.get(`/sessions/${id}`);
    expect(live.session).toMatchObject({ agent: "helper", status: "ready", isControllable: true });
    expect(live.session.endedTurns).toMatchObject([
      { outcome: "ok", prompt: [{ text: "A knot?" }, {}], text: "A bowline." },
    ]);

    const { body: page } = await world.get(`/sessions/${id}/messages?limit=1`);
    expect(page.total).toBeGreaterThanOrEqual(2);
    expect(page.messages).toHaveLength(1);
    const { body: hits } = await world.get(`/sessions/${id}/messages?q=BOWLINE`);
    expect(hits.messages.map((each: { type: string }) => each.type)).toEqual(["assistant"]);
    const { body: found } = await world.get("/sessions?q=bowline");
    expect(found.isComplete).toBe(true);
    expect(found.hits[0].session.sessionId).toBe(live.session.sessionId);
    const { body: stored } = await world.get("/sessions?stored=1");
    const ids = stored.stored.map((each: { sessionId: string }) => each.sessionId);
    expect(ids).toContain(live.session.sessionId);

    expect((await world.post(`/sessions/${id}/close`)).status).toBe(200);
    const { body: ended } = await world.get(`/sessions/${id}`);
    expect(ended.session).toMatchObject({ status: "ended", isControllable: false });
    const late = await world.post(`/sessions/${id}/turns`, { prompt: "More." });
    expect(late).toMatchObject({ status: 409, body: { error: { code: "conflict" } } });

    world.script("Still a bowline.");
    const resume = live.session.sessionId;
    const again = await world.post("/sessions", { agent: "helper", resume });
    expect(again.status).toBe(201);
    const turn = await world.post(`/sessions/${again.body.session.id}/turns?wait=1`, {
      prompt: "And now?",
    });
    expect(turn.body.text).toBe("Still a bowline.");
    expect(JSON.stringify(world.model.calls.at(-1)?.body)).toContain("A bowline.");
    const { body: fork } = await world.post(`/sessions/${resume}/fork`);
    expect(fork.sessionId).not.toBe(resume);
    expect((await world.delete(`/sessions/${again.body.session.id}`)).body.result).toBe("deleted");
    expect((await world.get(`/sessions/${fork.sessionId}`)).status).toBe(200);
    expect((await world.delete(`/sessions/${fork.sessionId}`)).body.result).toBe("deleted");
    expect((await world.get(`/sessions/${fork.sessionId}`)).status).toBe(404);
  });

  it("refuses options of a client with 400, and names them", async () => {
    const body = { agent: "helper", cwd: "/", allowedTools: ["Bash"] };
    const refused = await world.post("/sessions", body);
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_request", param: "cwd" } },
    });
    expect((await world.post("/sessions", { agent: "nobody" })).status).toBe(404);
    const flag = { agent: "helper", model: "--dangerously-skip-permissions" };
    expect(await world.post("/sessions", flag)).toMatchObject({
      status: 404,
      body: { error: { code: "model_not_found" } },
    });
    expect((await world.post("/sessions", {})).body.error.param).toBe("agent");
    const form = new Request("http://localhost/hawser/v1/sessions", {
      method: "POST",
      headers: { "content-type": "text/plain" },
      body: JSON.stringify({ agent: "helper" }),
    });
    expect((await world.api.fetch(form)).status).toBe(415);
  });

  it("refuses a prompt that names a file or an address", async () => {
    const { id } = await world.open();
    const image = { type: "image", source: { type: "url", url: "http://localhost/a.png" } };
    const refused = await world.post(`/sessions/${id}/turns`, { prompt: [image] });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
    await world.post(`/sessions/${id}/close`);
  });
});

describe("POST /hawser/v1/sessions/:id/interrupt", () => {
  it("ends the turn, and the session stays open", async () => {
    const reader = await world.events();
    const { id } = await world.open();
    world.script(hang("Once upon a time"));
    await world.post(`/sessions/${id}/turns`, { prompt: "A story." });
    await reader.until(({ data }) => data.kind === "turn.text" && data.text !== undefined, 0);
    expect((await world.post(`/sessions/${id}/interrupt`)).status).toBe(200);
    const { data: end } = await reader.untilKind("turn.end", 0);
    expect(end.outcome).toBe("aborted");
    world.script("A joke.");
    const { body } = await world.post(`/sessions/${id}/turns?wait=1`, { prompt: "A joke?" });
    expect(body.text).toBe("A joke.");
    reader.leave();
    await world.post(`/sessions/${id}/close`);
  });
});

describe("register()", () => {
  it("lets clients control a session of the program", async () => {
    const reader = await world.events();
    const session = await openSession(world.options);
    const { data: start } = await reader.untilKind("session.start", 0);
    await reader.untilKind("session.ready", 0);
    const refused = await world.post(`/sessions/${start.session}/interrupt`);
    expect(refused.status).toBe(409);
    expect(refused.body.error.message).toContain("register(session)");
    const unregister = world.api.register(session);
    world.script("From outside.");
    const turn = await world.post(`/sessions/${start.session}/turns?wait=1`, { prompt: "Hello." });
    expect(turn.body.text).toBe("From outside.");
    unregister();
    expect((await world.post(`/sessions/${start.session}/close`)).status).toBe(409);
    await session.close();
    reader.leave();
  });
});

describe("the native API", () => {
  it("answers unknown ids and addresses with 404 in its own format", async () => {
    const uuid = "00000000-0000-4000-8000-000000000000";
    for (const path of [
      "/sessions/ses_00000000_1",
      `/sessions/${uuid}`,
      `/sessions/${uuid}/messages`,
      "/sessions/..%2f..%2fetc",
      "/approvals/nothing",
      "/events/00000000-1",
      "/nothing",
    ]) {
      const { status, body } = await world.get(path);
      expect([path, status, body.error.code]).toEqual([path, 404, "not_found"]);
    }
    for (const path of [
      `/sessions/${uuid}/turns`,
      `/sessions/${uuid}/interrupt`,
      `/sessions/${uuid}/close`,
    ]) {
      expect((await world.post(path, { prompt: "Hello." })).status).toBe(404);
    }
    expect((await world.post("/approvals/nothing", { decision: "allow" })).status).toBe(404);
    const kinds = await world.get("/events?kinds=toll");
    expect(kinds).toMatchObject({ status: 400, body: { error: { param: "kinds" } } });
  });

  it("hides a tenant's sessions, events and approvals from other tenants", async () => {
    const alice = await world.events("", "alice");
    const bob = await world.events("", "bob");
    const { id, sessionId } = await world.open("alice");
    world.script(() => write("alice.txt", "Secret of Alice\n"), "Done.");
    const turn = world.post(`/sessions/${id}/turns?wait=1`, { prompt: "Write." }, "alice");
    const { data: asked } = await alice.untilKind("approval.requested", 0);

    for (const path of [`/sessions/${id}`, `/approvals/${asked.approval}`, `/events/${asked.id}`]) {
      expect((await world.get(path, "bob")).status).toBe(404);
      expect((await world.get(path, "alice")).status).toBe(200);
    }
    expect((await world.get("/approvals", "bob")).body.approvals).toEqual([]);
    expect((await world.get("/sessions", "bob")).body.sessions).toEqual([]);
    expect((await world.get("/state", "bob")).body).toMatchObject({ sessions: [], approvals: [] });
    const answer = { decision: "allow" };
    expect((await world.post(`/approvals/${asked.approval}`, answer, "bob")).status).toBe(404);
    expect((await world.post(`/sessions/${id}/interrupt`, {}, "bob")).status).toBe(404);
    expect((await world.post(`/sessions/${id}/close`, {}, "bob")).status).toBe(404);
    expect((await world.delete(`/sessions/${id}`, "bob")).status).toBe(404);

    const viewed = await world.post(`/approvals/${asked.approval}`, answer, "viewer");
    expect(viewed).toMatchObject({ status: 403, body: { error: { code: "not_allowed" } } });
    expect((await world.get(`/approvals/${asked.approval}`, "viewer")).status).toBe(200);
    expect((await world.post("/sessions", { agent: "helper" }, "viewer")).status).toBe(403);

    expect((await world.post(`/approvals/${asked.approval}`, answer, "alice")).status).toBe(200);
    expect((await turn).body.text).toBe("Done.");
    for (const path of [`/sessions/${sessionId}`, `/sessions/${sessionId}/messages`]) {
      expect((await world.get(path, "bob")).status).toBe(404);
      expect((await world.get(path, "alice")).status).toBe(200);
    }
    expect((await world.get("/sessions?stored=1", "bob")).body.stored).toEqual([]);
    expect((await world.get("/sessions?q=alice", "bob")).body.hits).toEqual([]);
    expect((await world.get("/approvals/records", "bob")).body.records).toEqual([]);
    const resumed = await world.post("/sessions", { agent: "helper", resume: sessionId }, "bob");
    expect(resumed.status).toBe(404);

    // The calls of other endpoints are for the admin only.
    world.script("A call.");
    await world.pool.complete("Call.", { ...world.options, tenant: "bob" });
    const { id: own } = await world.open("bob");
    await bob.until(({ data }) => data.session === own, 0);
    expect(bob.seen.slice(1).map(({ data }) => data.session)).toEqual(
      bob.seen.slice(1).map(() => own),
    );
    expect(JSON.stringify(bob.seen)).not.toContain("Alice");
    await world.post(`/sessions/${own}/close`, {}, "bob");
    await world.post(`/sessions/${id}/close`, {}, "alice");
    alice.leave();
    bob.leave();
  });
});
