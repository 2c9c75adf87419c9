// @openai/agents
import assert from "node:assert/strict";
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from "@openai/agents";
import { reply, toolUse } from "hawser/testing";
import { z } from "zod";
import { blocksAsked } from "../support/asked.js";
import { runChecks } from "../support/checks.js";
import { MODEL } from "../support/world.js";

// Traces would go to a server of the vendor.
setTracingDisabled(true);

await runChecks((world) => {
  const { script, calls } = world;
  const checks = {};
  for (const useResponses of [true, false]) {
    const api = useResponses ? "responses" : "chat";
    const runner = new Runner({
      modelProvider: new OpenAIProvider({
        apiKey: world.key,
        baseURL: `${world.url}/v1`,
        useResponses,
      }),
      tracingDisabled: true,
    });

    checks[`${api}: an agent with two tools in parallel`] = async () => {
      script(
        [
          toolUse("get_weather", { city: "Oslo" }, { id: "toolu_a" }),
          toolUse("get_time", { zone: "CET" }, { id: "toolu_b" }),
        ],
        "Dry at noon.",
      );
      const { agent, ran } = weatherAgent();
      const result = await runner.run(agent, "How is it in Oslo?");
      assert.equal(result.finalOutput, "Dry at noon.");
      assert.deepEqual(ran.sort(), ["CET", "Oslo"]);
      assert.equal(calls().length, 2);
      assert.match(calls()[0].system, /You tell the weather\./);
      assert.deepEqual(
        calls()[1].toolResults.map(({ text }) => text),
        ["Oslo: dry", "CET: noon"],
      );
    };

    checks[`${api}: a streamed run`] = async () => {
      script(toolUse("get_weather", { city: "Oslo" }), reply("It is dry.", { chunks: 3 }));
      const { agent } = weatherAgent();
      const result = await runner.run(agent, "Weather?", { stream: true });
      let text = "";
      for await (const piece of result.toTextStream()) text += piece;
      await result.completed;
      assert.equal(text, "It is dry.");
      assert.equal(result.finalOutput, "It is dry.");
    };

    checks[`${api}: a handoff`] = async () => {
      script(toolUse("transfer_to_Knots", {}), "Tie a bowline.");
      const knots = new Agent({ name: "Knots", instructions: "You know knots.", model: MODEL });
      const triage = Agent.create({
        name: "Triage",
        instructions: "You pass questions on.",
        model: MODEL,
        handoffs: [knots],
      });
      const result = await runner.run(triage, "Which knot?");
      assert.equal(result.finalOutput, "Tie a bowline.");
      assert.equal(result.lastAgent.name, "Knots");
      assert.deepEqual(calls()[0].tools, ["transfer_to_Knots"]);
      assert.match(calls()[1].system, /You know knots\./);
      assert.doesNotMatch(calls()[1].system, /You pass questions on\./);
    };

    checks[`${api}: outputType`] = async () => {
      script(toolUse("StructuredOutput", { knot: "bowline" }));
      const agent = new Agent({
        name: "Data",
        instructions: "You answer with data.",
        model: MODEL,
        outputType: z.object({ knot: z.string() }),
      });
      const result = await runner.run(agent, "A knot?");
      assert.deepEqual(result.finalOutput, { knot: "bowline" });
    };
  }

  checks["responses: a run that continues by previousResponseId"] = async () => {
    script("A bowline.", "Two.");
    const runner = new Runner({
      modelProvider: new OpenAIProvider({ apiKey: world.key, baseURL: `${world.url}/v1` }),
      tracingDisabled: true,
    });
    const agent = new Agent({ name: "Sailor", instructions: "You are a sailor.", model: MODEL });
    const first = await runner.run(agent, "A knot?");
    const second = await runner.run(agent, "How many turns?", {
      previousResponseId: first.lastResponseId,
    });
    assert.equal(second.finalOutput, "Two.");
    assert.deepEqual(
      blocksAsked(calls()[1], "user").map(({ text }) => text),
      ["A knot?", "How many turns?"],
    );
    assert.deepEqual(
      blocksAsked(calls()[1], "assistant").map(({ text }) => text),
      ["A bowline."],
    );
  };
  return checks;
});

function weatherAgent() {
  const ran = [];
  const make = (name, field, result) =>
    tool({
      name,
      description: `The ${name}.`,
      parameters: z.object({ [field]: z.string() }),
      execute: async (input) => {
        ran.push(input[field]);
        return `${input[field]}: ${result}`;
      },
    });
  const agent = new Agent({
    name: "Weather",
    instructions: "You tell the weather.",
    model: MODEL,
    tools: [make("get_weather", "city", "dry"), make("get_time", "zone", "noon")],
  });
  return { agent, ran };
}
