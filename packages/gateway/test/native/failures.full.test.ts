import { openSession, query } from "hawser";
import { apiError } from "hawser/testing";
import { describe, expect, it } from "vitest";
import { nativeWorld } from "./native-world.helper.js";

const refused = () =>
  apiError(400, { type: "invalid_request_error", message: "The rope is too short." });

describe("GET /hawser/v1/failures", () => {
  const world = nativeWorld();

  it("lists a failed turn once, with its session and what happened before it", async () => {
    world.script(...Array.from({ length: 6 }, refused));
    const { id } = await world.open("alice");
    const sent = await world.post(`/sessions/${id}/turns?wait=1`, { prompt: "Go." }, "alice");
    await world.post(`/sessions/${id}/close`, {}, "alice");
    const { body } = await world.get("/failures", "alice");
    expect(body.failures).toHaveLength(1);
    const [failure] = body.failures;
    expect(failure).toMatchObject({
      kind: "turn.end",
      session: id,
      turn: sent.body.turn,
      code: sent.body.outcome,
      message: expect.stringContaining("too short"),
      hint: expect.any(String),
    });
    const traced = await world.get(`/failures/${failure.id}`, "alice");
    const kinds = traced.body.trace.map(({ kind }: { kind: string }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(["session.start", "turn.start"]));
    expect(traced.body.trace.at(-1).id).toBe(failure.id);
    // Another tenant does not see it.
    expect((await world.get("/failures", "bob")).body.failures).toEqual([]);
    expect((await world.get(`/failures/${failure.id}`, "bob")).status).toBe(404);
  });

  it("lists every failed turn of a session, also if they fail alike", async () => {
    world.script(...Array.from({ length: 12 }, refused));
    const { id } = await world.open("alice");
    for (const prompt of ["One.", "Two."]) {
      await world.post(`/sessions/${id}/turns?wait=1`, { prompt }, "alice");
    }
    const { body } = await world.get("/failures", "alice");
    const own = body.failures.filter(({ session }: { session?: string }) => session === id);
    expect(own).toHaveLength(2);
  });

  it("lists a failed call once, and shows it to its tenant and to admins", async () => {
    world.script(...Array.from({ length: 6 }, refused));
    const call = world.pool.complete("Go.", { ...world.options, tenant: "carol" });
    await expect(call).rejects.toThrow("too short");
    const { body } = await world.get("/failures");
    const [failure, ...others] = body.failures;
    expect(failure).toMatchObject({ message: expect.stringContaining("too short") });
    expect(others.map(({ call: number }: { call?: number }) => number)).not.toContain(failure.call);
    const traced = await world.get(`/failures/${failure.id}`);
    expect(traced.body.trace.length).toBeGreaterThan(2);
  });

  it("lists a failed query(), whose turn has no error of its own", async () => {
    world.script(...Array.from({ length: 6 }, refused));
    const { cliPath, cwd, env } = world.options;
    const options = { pathToClaudeCodeExecutable: cliPath, cwd, env, settingSources: [] };
    const run = async () => {
      for await (const _ of query({ prompt: "Go.", options }));
    };
    await expect(run()).rejects.toThrow("too short");
    const { body } = await world.get("/failures");
    // The CLI of a query exits with a failure after it.
    const message = expect.stringContaining("too short");
    expect(body.failures.slice(0, 2)).toMatchObject([
      { kind: "session.end", code: "process_exited" },
      { kind: "turn.end", code: "api_error", message },
    ]);
  });

  it("leaves out what was stopped on purpose", async () => {
    const before = (await world.get("/failures")).body.failures.length;
    world.script("Never.");
    const session = await openSession(world.options);
    const turn = session.send("Go.");
    await session.close();
    await expect(turn.result).rejects.toMatchObject({ code: "closed" });
    expect((await world.get("/failures")).body.failures).toHaveLength(before);
  });
});

describe("GET /hawser/v1/access", () => {
  const world = nativeWorld();

  it("says what the user may do", async () => {
    expect((await world.get("/access", "viewer")).body).toEqual({
      name: "alice",
      isAdmin: false,
      canControl: false,
    });
  });
});
