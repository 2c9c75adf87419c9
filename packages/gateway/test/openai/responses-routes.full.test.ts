import { setTimeout as sleep } from "node:timers/promises";
import {
  always,
  hang,
  maxTokens,
  reply,
  streamError,
  text,
  thinking,
  toolUse,
} from "hawser/testing";
import { describe, expect, it } from "vitest";
import type { ResponseObject } from "../../src/openai/responses/response-object.js";
import { anonymousTenant } from "../../src/tenants/anonymous-tenant.js";
import { gatewayWorld } from "../support/gateway-world.js";

const world = gatewayWorld({
  // The key is the name of the tenant.
  tenants: {
    authenticate: (headers) => {
      const name = headers.get("authorization")?.replace("Bearer ", "") ?? "ann";
      return { ...anonymousTenant(world.cliOptions), name };
    },
  },
});
const MODEL = "claude-sonnet-5";
const WEATHER = {
  type: "function",
  name: "weather",
  description: "Tells the weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  strict: false,
};

async function create(body: object, headers: Record<string, string> = {}): Promise<ResponseObject> {
  const response = await world.post("/v1/responses", { model: MODEL, ...body }, headers);
  const json = (await response.json()) as ResponseObject;
  expect(response.status, JSON.stringify(json)).toBe(200);
  return json;
}

async function get(path: string, init: RequestInit = {}) {
  const response = await world.fetch(`/v1/responses/${path}`, init);
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

/** The events of a stream as they arrive. */
async function* stream(body: object, signal?: AbortSignal): AsyncGenerator<Event> {
  const response = await world.post(
    "/v1/responses",
    { model: MODEL, stream: true, ...body },
    {},
    signal,
  );
  expect(response.status, response.status === 200 ? "" : await response.text()).toBe(200);
  let rest = "";
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const parts = (rest + piece).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const [, type, data] = /^event: (.*)\ndata: (.*)$/.exec(part) ?? [];
      expect(JSON.parse(data ?? "{}").type).toBe(type);
      yield JSON.parse(data ?? "{}");
    }
  }
}

interface Event {
  readonly type: string;
  readonly response: ResponseObject;
  readonly [field: string]: unknown;
}

function textOf({ output }: ResponseObject): string {
  return output
    .flatMap((item) => (item.type === "message" ? item.content : []))
    .map((part) => (part.type === "output_text" ? part.text : ""))
    .join("");
}

/** What the model got with the newest request. */
function conversation(): string {
  return JSON.stringify(world.calls.at(-1)?.body);
}

/**
 * The gateway goes on to answer. The CLI may ask the model once more before it is interrupted, so the reply does not
 * get used up.
 */
async function answersAgain(): Promise<void> {
  world.script(always("A sheet bend."));
  expect(textOf(await create({ input: "Name a knot." }))).toBe("A sheet bend.");
}

describe("POST /v1/responses", () => {
  it("answers with a text, and keeps the response", async () => {
    world.script("A bowline.");
    const created = await create({
      input: "Name a knot.",
      instructions: "Be brief.",
      metadata: { a: "b" },
      temperature: 1,
    });
    expect(created).toMatchObject({
      object: "response",
      status: "completed",
      model: MODEL,
      error: null,
      metadata: { a: "b" },
      usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    });
    expect(textOf(created)).toBe("A bowline.");
    expect(world.calls[0]?.system).toContain("Be brief.");
    expect((await get(created.id)).json).toEqual(created);

    const { json: items } = await get(`${created.id}/input_items`);
    expect(items).toMatchObject({
      object: "list",
      has_more: false,
      data: [
        { type: "message", role: "user", content: [{ type: "input_text", text: "Name a knot." }] },
      ],
    });
    expect((await get(created.id, { method: "DELETE" })).json).toEqual({
      id: created.id,
      object: "response",
      deleted: true,
    });
    expect((await get(created.id)).status).toBe(404);
  });

  it("streams a text", async () => {
    world.script(reply("A bowline is a knot.", { chunks: 3 }));
    const events: Event[] = [];
    for await (const event of stream({ input: "Name a knot." })) events.push(event);
    expect(events.map(({ type }) => type.replace("response.", ""))).toEqual([
      "created",
      "in_progress",
      "output_item.added",
      "content_part.added",
      ...["output_text.delta", "output_text.delta", "output_text.delta"],
      "output_text.done",
      "content_part.done",
      "output_item.done",
      "completed",
    ]);
    const last = events.at(-1)?.response;
    expect(last && textOf(last)).toBe("A bowline is a knot.");
    expect((await get(last?.id ?? "")).json).toEqual(last);
  });

  it("continues a conversation by previous_response_id, without the old instructions", async () => {
    world.script("Bowline.", "Sheet bend.", "Clove hitch.");
    const input = [
      { role: "system", content: "You know knots." },
      { role: "user", content: "One knot." },
    ];
    const first = await create({ input, instructions: "First." });
    const second = await create({
      input: "Another.",
      previous_response_id: first.id,
      instructions: "Second.",
    });
    const third = await create({ input: "One more.", previous_response_id: second.id });
    expect(textOf(third)).toBe("Clove hitch.");
    for (const said of ["One knot.", "Bowline.", "Another.", "Sheet bend.", "One more."]) {
      expect(conversation()).toContain(said);
    }
    expect(world.calls.at(1)?.system).toContain("Second.");
    expect(world.calls.at(2)?.system).toContain("You know knots.");
    expect(world.calls.at(2)?.system).not.toMatch(/First\.|Second\./);
    // A response can be continued after earlier ones are gone, and more than once.
    await get(first.id, { method: "DELETE" });
    world.script("Figure eight.");
    await create({ input: "Again.", previous_response_id: second.id });
    expect(conversation()).toContain("Bowline.");
    expect(conversation()).not.toContain("One more.");
  });

  it("leads through three rounds of tools with parallel calls", async () => {
    world.script(
      [
        toolUse("weather", { city: "Oslo" }, { id: "toolu_1" }),
        toolUse("weather", { city: "Rome" }, { id: "toolu_2" }),
      ],
      [toolUse("weather", { city: "Bonn" }, { id: "toolu_3" })],
      (call) => call.toolResults.map((result) => result.text).join(" "),
    );
    let response = await create({ input: "Weather?", tools: [WEATHER] });
    for (let round = 0; round < 2; round += 1) {
      const calls = response.output.filter((item) => item.type === "function_call");
      expect(calls).toHaveLength(2 - round);
      const input = calls.map((call) => {
        const output = `sun in ${JSON.parse(call.arguments).city}`;
        return { type: "function_call_output", call_id: call.call_id, output };
      });
      response = await create({ input, tools: [WEATHER], previous_response_id: response.id });
    }
    expect(textOf(response)).toContain("sun in Bonn");
    expect(world.calls).toHaveLength(3);
  });

  it("leads through a round of tools in namespaces, stored and not", async () => {
    const agents = { ...WEATHER, name: "spawn_agent", description: "Starts an agent." };
    const tools = [
      WEATHER,
      { type: "namespace", name: "agents_v1", description: "Agents.", tools: [agents] },
      { type: "namespace", name: "mcp__docs", description: "Documents.", tools: [WEATHER] },
    ];
    const user = { role: "user", content: "Weather?" };
    const answer = [
      toolUse("agents_v1__spawn_agent", { city: "Oslo" }, { id: "toolu_1" }),
      toolUse("mcp__docs__weather", { city: "Rome" }, { id: "toolu_2" }),
      toolUse("weather", { city: "Bonn" }, { id: "toolu_3" }),
    ];
    const results = ["toolu_1", "toolu_2", "toolu_3"].map((call_id) => {
      return { type: "function_call_output", call_id, output: `result of ${call_id}` };
    });

    world.script(answer, "Sun.");
    const first = await create({ tools, input: [user] });
    expect(world.calls[0]?.tools.toSorted()).toEqual([
      "agents_v1__spawn_agent",
      "mcp__docs__weather",
      "weather",
    ]);
    expect(conversation()).toContain("Starts an agent.\\n \\nAgents.");
    expect(first.output).toMatchObject([
      { type: "function_call", name: "spawn_agent", namespace: "agents_v1", call_id: "toolu_1" },
      { type: "function_call", name: "weather", namespace: "mcp__docs", call_id: "toolu_2" },
      { type: "function_call", name: "weather", call_id: "toolu_3" },
    ]);
    expect(first.output[2]).not.toHaveProperty("namespace");
    expect(first.tools).toEqual(tools);
    const last = await create({ tools, input: results, previous_response_id: first.id });
    expect(textOf(last)).toBe("Sun.");
    expect(conversation()).toContain('"name":"mcp__docs__weather","input":{"city":"Rome"}');

    world.script(answer, "Rain.");
    const body = { tools, store: false };
    const second = await create({ ...body, input: [user] });
    const end = await create({ ...body, input: [user, ...second.output, ...results] });
    expect(textOf(end)).toBe("Rain.");
    const used = world.calls.at(-1)?.toolResults.map(({ text }) => text);
    expect(used).toEqual(results.map(({ output }) => output));
    expect(conversation()).toContain('"name":"agents_v1__spawn_agent","input":{"city":"Oslo"}');
  });

  it("gives thinking back to the model, stored or by encrypted_content", async () => {
    const answer = [
      thinking("Hm.", { signature: "c2ln" }),
      text("I look."),
      toolUse("weather", { city: "Oslo" }, { id: "toolu_1" }),
    ];
    const body = { tools: [WEATHER], reasoning: { effort: "low", summary: "auto" } };
    const user = { role: "user", content: "Weather?" };
    const result = { type: "function_call_output", call_id: "toolu_1", output: "sun" };

    world.script(answer, "Sun.");
    const first = await create({ ...body, input: [user] });
    expect(first.output[0]).toMatchObject({ type: "reasoning", summary: [{ text: "Hm." }] });
    await create({ ...body, input: [result], previous_response_id: first.id });
    expect(conversation()).toContain('"thinking":"Hm."');

    world.script(answer, "Sun.");
    const stateless = { ...body, store: false, include: ["reasoning.encrypted_content"] };
    const second = await create({ ...stateless, input: [user] });
    await create({ ...stateless, input: [user, ...second.output, result] });
    expect(conversation()).toContain('"thinking":"Hm."');
    expect((await get(second.id)).status).toBe(404);
  });

  it("finds the items of references", async () => {
    world.script([toolUse("weather", { city: "Oslo" }, { id: "toolu_1" })], "Sun.");
    const first = await create({ input: "Weather?", tools: [WEATHER] });
    const response = await create({
      tools: [WEATHER],
      input: [
        { role: "user", content: "Weather?" },
        { type: "item_reference", id: first.output[0]?.id },
        { type: "function_call_output", call_id: "toolu_1", output: "sun" },
      ],
    });
    expect(textOf(response)).toBe("Sun.");
    const reference = { type: "item_reference", id: first.output[0]?.id };
    const input = [{ role: "user", content: "Weather?" }, reference, reference];
    const repeated = await world.post("/v1/responses", { model: MODEL, input });
    expect(repeated.status).toBe(400);
    expect(await repeated.json()).toMatchObject({ error: { param: "input[2]" } });
  });

  it("answers in the JSON of text.format", async () => {
    world.script(toolUse("StructuredOutput", { knot: "bowline" }));
    const schema = {
      type: "object",
      properties: { knot: { type: "string" } },
      required: ["knot"],
      additionalProperties: false,
    };
    const format = { type: "json_schema", name: "knot", strict: true, schema };
    const response = await create({ input: "Name a knot.", text: { format } });
    expect(JSON.parse(textOf(response))).toEqual({ knot: "bowline" });
    expect(response.text).toEqual({ format });
  });

  it("offers tools of a namespace, and names the namespace in their calls", async () => {
    const note = { type: "custom", name: "note", description: "Takes a note." };
    const crm = {
      type: "namespace",
      name: "crm",
      description: "Customers.",
      tools: [WEATHER, note],
    };
    world.script(
      [
        toolUse("crm__weather", { city: "Oslo" }, { id: "toolu_1" }),
        toolUse("crm__note", { input: "dry" }, { id: "toolu_2" }),
      ],
      "Noted.",
    );
    const first = await create({ input: "Weather?", tools: [crm] });
    expect(first.output).toMatchObject([
      { type: "function_call", name: "weather", namespace: "crm", arguments: '{"city":"Oslo"}' },
      { type: "custom_tool_call", name: "note", namespace: "crm", input: "dry" },
    ]);
    expect(world.calls[0]?.body).toMatchObject({
      tools: [
        { name: "crm__note", description: "Takes a note.\n \nCustomers." },
        { name: "crm__weather", input_schema: WEATHER.parameters },
      ],
    });
    const input = [
      { role: "user", content: "Weather?" },
      ...first.output,
      { type: "function_call_output", call_id: "toolu_1", output: "dry" },
      { type: "custom_tool_call_output", call_id: "toolu_2", output: "ok" },
    ];
    expect(textOf(await create({ input, tools: [crm] }))).toBe("Noted.");
    expect(JSON.stringify(world.calls[1]?.body)).toMatch(
      /"name":"crm__weather".*"name":"crm__note"/,
    );
  });

  it("hides the responses of other tenants", async () => {
    world.script("A bowline.");
    const { id, output } = await create({ input: "Name a knot." });
    const headers = { authorization: "Bearer bob" };
    expect((await get(id, { headers })).status).toBe(404);
    expect((await get(id, { headers, method: "DELETE" })).status).toBe(404);
    expect((await get(`${id}/cancel`, { headers, method: "POST" })).status).toBe(404);
    expect((await get(`${id}/input_items`, { headers })).status).toBe(404);
    const previous = await world.post(
      "/v1/responses",
      { model: MODEL, input: "Hi.", previous_response_id: id },
      headers,
    );
    expect(previous.status).toBe(404);
    expect(await previous.json()).toMatchObject({
      error: { param: "previous_response_id", code: "previous_response_not_found" },
    });
    const input = [
      { role: "user", content: "Hi." },
      { type: "item_reference", id: output[0]?.id },
    ];
    const reference = await world.post("/v1/responses", { model: MODEL, input }, headers);
    expect(reference.status).toBe(404);
    expect((await get(id)).status).toBe(200);
  });

  it("cancels a response from another connection, and the process answers the next request", async () => {
    world.script(hang("A bow"));
    const events: Event[] = [];
    for await (const event of stream({ input: "Name a knot." })) {
      events.push(event);
      if (event.type !== "response.output_text.delta") continue;
      const { id } = events[0]?.response ?? { id: "" };
      expect((await get(id)).json).toMatchObject({ id, status: "in_progress" });
      expect((await get(`${id}/cancel`, { method: "POST" })).json).toMatchObject({
        id,
        status: "cancelled",
      });
    }
    expect(events.at(-1)).toMatchObject({
      type: "response.incomplete",
      response: { status: "cancelled" },
    });
    const { id } = events[0]?.response ?? { id: "" };
    expect((await get(id)).json).toMatchObject({ status: "cancelled" });
    expect((await get(`${id}/cancel`, { method: "POST" })).json).toMatchObject({
      status: "cancelled",
    });
    await answersAgain();
  });

  it("ends the work if the client leaves, and keeps the response as cancelled", async () => {
    world.script(hang("A bow"));
    let id = "";
    for await (const event of stream({ input: "Name a knot." })) {
      id ||= event.response.id;
      if (event.type === "response.output_text.delta") break;
    }
    for (;;) {
      const { status, json } = await get(id);
      if (status === 200 && json["status"] === "cancelled") break;
      await sleep(20);
    }
    await answersAgain();
  });

  it("pages through the items of the input", async () => {
    world.script("Three.");
    const input = ["a", "b", "c"].map((content) => ({ role: "user", content }));
    const { id } = await create({ input });
    const { json: page } = await get(`${id}/input_items?order=asc&limit=2`);
    expect(page).toMatchObject({ has_more: true, data: [{ role: "user" }, { role: "user" }] });
    const { json: rest } = await get(`${id}/input_items?order=asc&after=${page["last_id"]}`);
    expect(rest).toMatchObject({ has_more: false, data: [{ content: [{ text: "c" }] }] });
    expect((await get(`${id}/input_items?limit=0`)).json).toMatchObject({
      error: { param: "limit" },
    });
    expect((await get(`${id}/input_items?after=x`)).status).toBe(400);
    expect((await get(`${id}?stream=true`)).status).toBe(400);
  });
  it("ends as incomplete at the limit of tokens", async () => {
    world.script(always(maxTokens("A bow")));
    const response = await create({ input: "Name a knot." });
    expect(response).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
    });
    await answersAgain();
  });

  it("fails a stream in the middle with response.failed and an error", async () => {
    world.script(always(streamError("api_error", { after: "A bow" })));
    const events: Event[] = [];
    for await (const event of stream({ input: "Name a knot." })) events.push(event);
    expect(events.slice(-2)).toMatchObject([
      { type: "response.failed", response: { status: "failed", error: { code: "server_error" } } },
      { type: "error", error: { type: "server_error" } },
    ]);
    expect((await get(events[0]?.response.id ?? "")).json).toMatchObject({ status: "failed" });
    await answersAgain();
  });
});
