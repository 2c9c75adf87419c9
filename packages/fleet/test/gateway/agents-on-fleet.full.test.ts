import { setTimeout as sleep } from "node:timers/promises";
import { apiError, reply } from "hawser/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentDefinitions, GatewayFleet } from "../../../gateway/src/index.js";
import { readSse } from "../../../gateway/test/support/read-sse.js";
import type { RunInfo } from "../../src/runs/run.js";
import { collect } from "../support/collect.js";
import { WorkerWorld } from "../worker/worker-world.helper.js";
import { GatewayOnFleet } from "./gateway-on-fleet.helper.js";

let world: WorkerWorld;
let gateway: GatewayOnFleet;
beforeAll(async () => {
  world = await WorkerWorld.create();
  await world.work({ slots: 4 });
  gateway = new GatewayOnFleet(world.fleet);
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

const messages = (...texts: string[]) =>
  texts.map((content, i) => ({ role: i % 2 === 0 ? "user" : "assistant", content }));

async function runsOf(name: string): Promise<RunInfo[]> {
  const runs = await collect(world.fleet.runs({ limit: 100 }));
  return runs.filter(({ prompt }) => JSON.stringify(prompt).includes(name));
}

async function reached(name: string, state: RunInfo["state"]): Promise<RunInfo> {
  for (;;) {
    const run = (await runsOf(name)).find((each) => each.state === state);
    if (run !== undefined) return run;
    await sleep(50);
  }
}

describe.concurrent("createGateway({ fleet })", () => {
  it("takes what openFleet() returns", () => {
    const fleet: GatewayFleet = world.fleet;
    expect(fleet).toBe(world.fleet);
  });

  it("answers POST /v1/messages for an agent with a run of its tenant", async () => {
    const name = world.agent(() => "A bowline.");
    const { status, body } = await gateway.ask("POST", "/v1/messages", "alice", {
      model: "agent:helper",
      max_tokens: 100,
      messages: messages(`${name} Name a knot.`),
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      type: "message",
      role: "assistant",
      content: [{ type: "text", text: "A bowline." }],
      stop_reason: "end_turn",
    });
    expect(body.usage.input_tokens).toBeGreaterThan(0);
    expect(await runsOf(name)).toMatchObject([
      { tenant: "alice", profile: "default", state: "done", outcome: { text: "A bowline." } },
    ]);
  });

  it("gives the run all earlier messages and the system prompt of the request", async () => {
    const name = world.agent(() => "Two.");
    const { body } = await gateway.ask("POST", "/v1/chat/completions", "alice", {
      model: "agent:helper",
      messages: [
        { role: "system", content: "Count only." },
        ...messages(`${name} Name a knot.`, "A bowline.", "And how many is that?"),
      ],
    });
    expect(body.choices[0].message.content).toBe("Two.");
    const [request] = world.requestsOf(name).slice(-1);
    const sent = JSON.stringify(request?.body);
    expect(sent).toContain("A bowline.");
    expect(sent).toContain("Count only.");
    // The CLI puts messages of its own between them.
    const said = (request?.body as { messages: { role: string }[] } | undefined)?.messages;
    const roles = said?.map(({ role }) => role).filter((role) => role !== "system");
    expect(roles).toEqual(["user", "assistant", "user"]);
  });

  it("streams the text while the model writes it", async () => {
    const text = "One two three four five six seven eight.";
    const name = world.agent(() => reply(text, { chunks: 8, chunkDelayMs: 200 }));
    const response = await gateway.fetch("POST", "/v1/messages", "alice", {
      body: JSON.stringify({
        model: "agent:helper",
        max_tokens: 100,
        stream: true,
        messages: messages(`${name} Count.`),
      }),
    });
    const events = (await collect(readSse(response))).filter(({ data }) => data !== "");
    const deltas = events
      .map(({ data }) => JSON.parse(data))
      .filter(({ type }) => type === "content_block_delta")
      .map(({ delta }) => delta.text);
    expect(deltas.join("")).toBe(text);
    expect(deltas.length).toBeGreaterThan(1);
    expect(events.at(0)?.event).toBe("message_start");
    expect(events.at(-1)?.event).toBe("message_stop");
  });

  it("cancels the run of a client that leaves", async () => {
    const name = world.agent(() => reply("Never read.", { chunks: 2, chunkDelayMs: 600_000 }));
    const leave = new AbortController();
    const asked = gateway.fetch("POST", "/v1/messages", "alice", {
      signal: leave.signal,
      body: JSON.stringify({
        model: "agent:helper",
        max_tokens: 100,
        messages: messages(`${name} Wait.`),
      }),
    });
    await reached(name, "running");
    leave.abort();
    await asked.catch(() => {});
    expect(await reached(name, "cancelled")).toMatchObject({ error: { code: "run_cancelled" } });
  });

  it("answers the failure of a run with the status of its code", async () => {
    const name = world.agent(() =>
      apiError(400, { message: "No.", type: "invalid_request_error" }),
    );
    const { status, body } = await gateway.ask("POST", "/v1/messages", "alice", {
      model: "agent:helper",
      max_tokens: 100,
      messages: messages(`${name} Fail.`),
    });
    const [run] = await runsOf(name);
    expect(run?.state).toBe("failed");
    expect({ status, type: body.type }).toEqual({ status: 502, type: "error" });
  });

  it("refuses what an agent does not take, before a run exists", async () => {
    const name = world.agent(() => "Never.");
    const { status } = await gateway.ask("POST", "/v1/messages", "alice", {
      model: "agent:helper",
      max_tokens: 100,
      messages: messages(`${name} Call.`),
      tools: [{ name: "look", input_schema: { type: "object" } }],
    });
    expect(status).toBe(400);
    expect(await runsOf(name)).toEqual([]);
  });

  it("keeps responses in the database, so that another gateway continues them", async () => {
    const name = world.agent(({ prompt }) =>
      prompt.includes("again") ? "A sheet bend." : "A bowline.",
    );
    const first = await gateway.ask("POST", "/v1/responses", "alice", {
      model: "agent:helper",
      input: `${name} Name a knot.`,
    });
    expect(first.body.output.at(-1).content[0].text).toBe("A bowline.");
    await using other = new GatewayOnFleet(world.fleet);
    const stored = await other.ask("GET", `/v1/responses/${first.body.id}`, "alice");
    expect(stored.body).toEqual(first.body);
    const next = await other.ask("POST", "/v1/responses", "alice", {
      model: "agent:helper",
      previous_response_id: first.body.id,
      input: "And again?",
    });
    expect(next.body.output.at(-1).content[0].text).toBe("A sheet bend.");
    const request = world.requestsOf(name).at(-1);
    expect(JSON.stringify(request?.body)).toContain("A bowline.");
    const foreign = await other.ask("GET", `/v1/responses/${first.body.id}`, "bob");
    expect(foreign.status).toBe(404);
    const deleted = await other.ask("DELETE", `/v1/responses/${first.body.id}`, "alice");
    expect(deleted.body.deleted).toBe(true);
    expect((await gateway.ask("GET", `/v1/responses/${first.body.id}`, "alice")).status).toBe(404);
  });

  it("refuses agents on the fleet with options that cannot travel, and without a fleet", () => {
    const make = (agents: AgentDefinitions) => () => new GatewayOnFleet(world.fleet, { agents });
    expect(make({ local: { cwd: "/srv" } })).toThrow(
      expect.objectContaining({
        code: "invalid_options",
        message: expect.stringContaining("agents.local.cwd"),
      }),
    );
    expect(
      () =>
        new GatewayOnFleet(world.fleet, { fleet: undefined, agents: { far: { runOn: "fleet" } } }),
    ).toThrow(expect.objectContaining({ message: expect.stringContaining("no fleet") }));
  });
});
