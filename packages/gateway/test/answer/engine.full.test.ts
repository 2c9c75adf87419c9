import { createApprovals } from "hawser";
import { type ModelRequest, wholeAnswer } from "hawser/answer";
import { always, hang, refusal, toolUse } from "hawser/testing";
import { describe, expect, it } from "vitest";
import { Answering } from "../../src/answer/answering.js";
import { gatewayWorld, testExchange } from "../support/gateway-world.js";

const world = gatewayWorld();

function request(more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: "sonnet",
    system: undefined,
    messages: [{ role: "user", content: "Name a knot." }],
    tools: [],
    toolChoice: "auto",
    allowsParallelCalls: true,
    schema: undefined,
    wantsJson: false,
    effort: undefined,
    thinking: undefined,
    stopSequences: [],
    ...more,
  };
}

function answering(): Answering {
  return new Answering({ pool: world.pool, approvals: createApprovals(), models: {}, agents: {} });
}

async function ask(more: Partial<ModelRequest> = {}) {
  return wholeAnswer(await answering().answer(testExchange(world.cliOptions), request(more)));
}

describe("Answering.answer()", () => {
  it("answers with the text, the usage and the cost of one request", async () => {
    world.script("A bowline.");
    const answer = await ask();
    expect(answer).toMatchObject({
      content: [{ type: "text", text: "A bowline." }],
      stopReason: "end_turn",
      usage: { input_tokens: 10, output_tokens: 5 },
    });
    expect(answer.costUsd).toBeGreaterThan(0);
    expect(world.calls).toHaveLength(1);
  });

  it("answers with the calls of client tools", async () => {
    world.script(["Wait.", toolUse("a", { x: 1 }), toolUse("b", {})]);
    const tool = (name: string) => ({ name, description: "", inputSchema: { type: "object" } });
    const { content, stopReason } = await ask({ tools: [tool("b"), tool("a")] });
    expect(stopReason).toBe("tool_use");
    expect(content).toMatchObject([
      { type: "text", text: "Wait." },
      { type: "tool_use", name: "a", input: { x: 1 } },
      { type: "tool_use", name: "b", input: {} },
    ]);
  });

  it.each([
    { said: ' {"knot": "bowline"} ', text: '{"knot": "bowline"}' },
    { said: 'Here:\n```json\n{"knot":"bowline"}\n```', text: '{"knot":"bowline"}' },
  ])("gives one JSON value of $said with wantsJson", async ({ said, text }) => {
    world.script(said);
    const { content } = await ask({ wantsJson: true, system: "Know knots." });
    expect(content).toEqual([{ type: "text", text }]);
    expect(world.calls[0]?.system).toMatch(/Know knots\.\n\n.*JSON/);
  });

  it("throws structured_output, which is 422, if an answer with wantsJson has no JSON", async () => {
    world.script("A bowline.");
    await expect(ask({ wantsJson: true })).rejects.toMatchObject({
      code: "structured_output",
      httpStatus: 422,
    });
  });

  it("ends with refusal if the model refuses a value by schema", async () => {
    world.script(always(refusal("I can not.")));
    const schema = { type: "object", properties: { knot: { type: "string" } } };
    const { stopReason, content } = await ask({ schema });
    expect(stopReason).toBe("refusal");
    expect(JSON.stringify(content)).toContain("I can not.");
  });

  it("ends with tool calls or with the JSON of a schema, as the model decides", async () => {
    const tools = [{ name: "look", description: "Looks.", inputSchema: { type: "object" } }];
    const schema = { type: "object", properties: { knot: { type: "string" } } };
    world.script(
      [{ type: "text", text: "Let me look." }, toolUse("look", { at: "rope" })],
      toolUse("StructuredOutput", { knot: "bowline" }),
    );
    const first = await ask({ tools, schema });
    expect(first).toMatchObject({
      stopReason: "tool_use",
      content: [
        { type: "text", text: "Let me look." },
        { type: "tool_use", name: "look", input: { at: "rope" } },
      ],
    });
    const second = await ask({ tools, schema });
    expect(second).toMatchObject({
      stopReason: "end_turn",
      content: [{ type: "text", text: '{"knot":"bowline"}' }],
    });
  });

  it("throws invalid_request if a call is forced and there is a schema", async () => {
    const tools = [{ name: "a", description: "", inputSchema: { type: "object" } }];
    const request = { tools, toolChoice: "required" as const, schema: { type: "object" } };
    await expect(ask(request)).rejects.toMatchObject({
      code: "invalid_request",
      param: "tool_choice",
    });
  });

  it("books what was used once, also for a reader that leaves", async () => {
    const settled: unknown[] = [];
    const exchange = testExchange(world.cliOptions);
    exchange.record.isStreamed = true;
    const admission = { limits: {}, settle: (used?: object) => void settled.push(used) };
    const tenant = { ...exchange.tenant, admit: () => admission };
    world.script(hang("one two three four", { chunks: 8 }));
    const answer = await answering().answer({ ...exchange, tenant }, request());
    for await (const event of answer) if (event.type === "block_delta") break;
    await world.settled();
    expect(settled).toMatchObject([
      { usage: { input_tokens: 10 }, costUsd: undefined, isEstimate: true },
    ]);
    expect(exchange.record).toMatchObject({ inputTokens: 10, isEstimate: true });
  });

  it("books an estimate of the request for a client that leaves before the first event", async () => {
    const settled: { usage: { input_tokens: number } }[] = [];
    const exchange = testExchange(world.cliOptions);
    const settle = (used?: object) => void settled.push(used as (typeof settled)[number]);
    const tenant = { ...exchange.tenant, admit: () => ({ limits: {}, settle }) };
    world.script(hang());
    const asked = world.nextCall();
    const content = "Name a knot. ".repeat(100);
    const answer = answering().answer(
      { ...exchange, tenant },
      request({ messages: [{ role: "user", content }] }),
    );
    await asked;
    exchange.abort();
    await expect(answer).rejects.toMatchObject({ code: "aborted" });
    await world.settled();
    expect(settled).toMatchObject([{ usage: { output_tokens: 0 }, isEstimate: true }]);
    expect(settled[0]?.usage.input_tokens).toBeGreaterThan(content.length / 4);
    expect(exchange.record).toMatchObject({ outputTokens: 0, isEstimate: true });
  });

  it("books nothing for a client that leaves before a process takes the request", async () => {
    const settled: unknown[] = [];
    const exchange = testExchange(world.cliOptions);
    const settle = (used?: object) => void settled.push(used);
    const tenant = { ...exchange.tenant, admit: () => ({ limits: {}, settle }) };
    world.script(hang());
    const first = testExchange(world.cliOptions);
    const asked = world.nextCall();
    const running = answering().answer(first, request());
    await asked;
    // The pool has one process.
    const waiting = answering().answer({ ...exchange, tenant }, request());
    exchange.abort();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
    expect(settled).toEqual([undefined]);
    first.abort();
    await expect(running).rejects.toMatchObject({ code: "aborted" });
  });
});
