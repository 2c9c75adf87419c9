import { createApprovals } from "hawser";
import { toolUse } from "hawser/testing";
import { describe, expect, it } from "vitest";
import { Answering } from "../../src/answer/answering.js";
import type { ModelRequest } from "../../src/answer/model-request.js";
import { wholeAnswer } from "../../src/answer/whole-answer.js";
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

async function ask(more: Partial<ModelRequest> = {}) {
  const answering = new Answering({
    pool: world.pool,
    approvals: createApprovals(),
    models: {},
    agents: {},
  });
  return wholeAnswer(await answering.answer(testExchange(world.cliOptions), request(more)));
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
});
