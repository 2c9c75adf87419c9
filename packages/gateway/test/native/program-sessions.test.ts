import { openSession } from "hawser";
import { describe, expect, it } from "vitest";
import { type NativeWorld, nativeWorld } from "./native-world.helper.js";

describe("createNativeApi({ controlsProgram })", () => {
  const world = nativeWorld({ controlsProgram: true });

  it("lets clients prompt and close a session of the program that was not registered", async () => {
    world.script("A bowline.");
    const session = await openSession(world.options);
    const { body } = await world.get(`/sessions/${session.id}`);
    expect(body.session.isControllable).toBe(true);
    const path = `/sessions/${body.session.id}`;
    const answer = await world.post(`${path}/turns?wait=1`, { prompt: "Name a knot." });
    expect(answer.body).toMatchObject({ outcome: "ok", text: "A bowline." });
    expect((await world.post(`${path}/close`)).body).toEqual({ result: "closed" });
    await expect(session.send("More.").result).rejects.toMatchObject({ code: "closed" });
    expect((await world.post(`${path}/turns`, { prompt: "More." })).status).toBe(409);
  });
});

describe("POST /hawser/v1/sessions with `resume`", () => {
  const world: NativeWorld = nativeWorld({
    agents: () => {
      const { cwd: _, ...anywhere } = world.options;
      return { anywhere };
    },
  });

  it("resumes a session of the program in the folder of that session, for an admin", async () => {
    world.script("A bowline.", "You asked for a knot.");
    const session = await openSession(world.options);
    await session.send("Name a knot.").text();
    const { id = "" } = session;
    await session.close();
    const { status, body } = await world.post("/sessions", { agent: "anywhere", resume: id });
    expect(status).toBe(201);
    const path = `/sessions/${body.session.id}/turns?wait=1`;
    const answer = await world.post(path, { prompt: "What did I ask for?" });
    expect(answer.body).toMatchObject({ outcome: "ok", text: "You asked for a knot." });
    expect(JSON.stringify(world.model.calls.at(-1)?.body)).toContain("Name a knot.");
  });
});
