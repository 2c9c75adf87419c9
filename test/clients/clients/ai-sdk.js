// The AI SDK with its own providers
import assert from "node:assert/strict";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount, Output, streamText, tool } from "ai";
import { apiError, hang, reply, toolUse } from "hawser/testing";
import { z } from "zod";
import { messagesAsked } from "../support/asked.js";
import { comesTrue, runChecks } from "../support/checks.js";
import { PDF, PNG } from "../support/files.js";
import { MODEL } from "../support/world.js";

const USAGE = { input_tokens: 12, output_tokens: 7, cache_read_input_tokens: 30 };

await runChecks((world) => {
  const { script, calls } = world;
  const connection = { apiKey: world.key, baseURL: `${world.url}/v1` };
  const openAi = createOpenAI(connection);
  const models = {
    "@ai-sdk/openai (responses)": openAi.responses(MODEL),
    "@ai-sdk/openai (chat)": openAi.chat(MODEL),
    "@ai-sdk/anthropic": createAnthropic(connection)(MODEL),
    "@ai-sdk/openai-compatible": createOpenAICompatible({
      ...connection,
      name: "hawser",
      includeUsage: true,
      supportsStructuredOutputs: true,
    })(MODEL),
  };

  const checks = {};
  for (const [name, model] of Object.entries(models)) {
    checks[`${name}: generateText`] = async () => {
      script(reply("A bowline.", { usage: USAGE }));
      const result = await generateText({
        model,
        instructions: "You are a sailor.",
        prompt: "Name a knot.",
      });
      assert.equal(result.text, "A bowline.");
      assert.equal(result.finishReason, "stop");
      assert.equal(result.usage.inputTokens, 42);
      assert.equal(result.usage.outputTokens, 7);
      assert.match(calls()[0].system, /You are a sailor\./);
      assert.equal(calls()[0].prompt, "Name a knot.");
    };

    checks[`${name}: streamText with tools over several steps`] = async () => {
      script(
        reply(
          [
            "Let me look.",
            toolUse("get_weather", { city: "Oslo" }, { id: "toolu_a" }),
            toolUse("get_weather", { city: "Rome" }, { id: "toolu_b" }),
          ],
          { chunks: 3 },
        ),
        toolUse("get_weather", { city: "Bergen" }, { id: "toolu_c" }),
        reply("Dry but for Bergen.", { chunks: 3 }),
      );
      const errors = [];
      const result = streamText({
        model,
        prompt: "Weather?",
        tools: weatherTools(),
        stopWhen: isStepCount(5),
        onError: ({ error }) => errors.push(error),
      });
      let text = "";
      for await (const piece of result.textStream) text += piece;
      assert.deepEqual(errors, []);
      assert.equal(text, "Let me look.Dry but for Bergen.");
      const steps = await result.steps;
      assert.deepEqual(
        steps.map(({ toolCalls }) => toolCalls.map(({ input }) => input.city)),
        [["Oslo", "Rome"], ["Bergen"], []],
      );
      assert.equal(await result.finishReason, "stop");
      assert.equal(calls().length, 3);
      assert.deepEqual(
        messagesAsked(calls()[2]).map(({ role, content }) => [
          role,
          content.map(({ type }) => type),
        ]),
        [
          ["user", ["text"]],
          ["assistant", ["text", "tool_use", "tool_use"]],
          ["user", ["tool_result", "tool_result"]],
          ["assistant", ["tool_use"]],
          ["user", ["tool_result"]],
        ],
      );
      assert.match(calls()[2].toolResults[0].text, /Bergen is dry/);
    };

    checks[`${name}: streamText has usage`] = async () => {
      script(reply("One two.", { chunks: 2, usage: USAGE }));
      const result = streamText({ model, prompt: "Count." });
      assert.equal(await result.text, "One two.");
      const usage = await result.totalUsage;
      assert.equal(usage.inputTokens, 42);
      assert.equal(usage.outputTokens, 7);
    };

    checks[`${name}: Output.object, generated and streamed`] = async () => {
      script(
        toolUse("StructuredOutput", { knot: "bowline" }),
        reply(toolUse("StructuredOutput", { knot: "reef" }), { chunks: 3 }),
      );
      const output = Output.object({ schema: z.object({ knot: z.string() }) });
      const generated = await generateText({ model, output, prompt: "A knot as data." });
      assert.deepEqual(generated.output, { knot: "bowline" });
      const streamed = streamText({ model, output, prompt: "Another." });
      assert.deepEqual(await streamed.output, { knot: "reef" });
    };

    checks[`${name}: toolChoice`] = async () => {
      script(toolUse("StructuredOutput", { city: "Oslo" }));
      const { toolCalls } = await generateText({
        model,
        prompt: "Weather?",
        tools: { get_weather: tool({ inputSchema: z.object({ city: z.string() }) }) },
        toolChoice: { type: "tool", toolName: "get_weather" },
      });
      assert.deepEqual(
        toolCalls.map(({ toolName, input }) => [toolName, input]),
        [["get_weather", { city: "Oslo" }]],
      );
    };

    checks[`${name}: an image and a PDF`] = async () => {
      script("A point on a page.");
      await generateText({
        model,
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "What is this?" },
              { type: "file", mediaType: "image/png", data: PNG },
              { type: "file", mediaType: "application/pdf", data: PDF, filename: "a.pdf" },
            ],
          },
        ],
      });
      const [{ content }] = messagesAsked(calls()[0]);
      assert.deepEqual(
        content.map(({ type }) => type),
        ["text", "image", "document"],
      );
      assert.deepEqual([content[1].source.data, content[2].source.data], [PNG, PDF]);
    };

    checks[`${name}: an abort ends the call`] = async () => {
      script(hang("Once upon a time"));
      const controller = new AbortController();
      const result = streamText({ model, prompt: "A story.", abortSignal: controller.signal });
      for await (const part of result.stream) if (part.type === "text-delta") controller.abort();
      await comesTrue(
        async () => (await world.metric("hawser_pool_calls_running")) === 0,
        "the call of the client that is gone ends",
      );
    };

    checks[`${name}: an error has the status, and is not repeated if it was the client's`] =
      async () => {
        const wrong = generateText({
          model,
          prompt: "Hi.",
          headers: { "x-api-key": "hwk_wrong", authorization: "Bearer hwk_wrong" },
        });
        await assert.rejects(wrong, { statusCode: 401 });
        script(apiError(529), "At last.");
        assert.equal((await generateText({ model, prompt: "Hi." })).text, "At last.");
      };
  }
  return checks;
});

function weatherTools() {
  return {
    get_weather: tool({
      description: "Tells the weather of a city.",
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => `${city} is dry`,
    }),
  };
}
