// @langchain/openai and @langchain/anthropic
import assert from "node:assert/strict";
import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { apiError, reply, toolUse } from "hawser/testing";
import { z } from "zod";
import { messagesAsked } from "../support/asked.js";
import { runChecks } from "../support/checks.js";
import { PNG } from "../support/files.js";
import { MODEL } from "../support/world.js";

const USAGE = { input_tokens: 12, output_tokens: 7, cache_read_input_tokens: 30 };

const weather = tool(async ({ city }) => `${city} is dry`, {
  name: "get_weather",
  description: "Tells the weather of a city.",
  schema: z.object({ city: z.string() }),
});

await runChecks((world) => {
  const { script, calls } = world;
  const openAi = (fields = {}) =>
    new ChatOpenAI({
      model: MODEL,
      apiKey: world.key,
      configuration: { baseURL: `${world.url}/v1` },
      maxRetries: 0,
      ...fields,
    });
  const models = {
    "ChatOpenAI (chat)": (fields) => openAi(fields),
    "ChatOpenAI (responses)": (fields) => openAi({ useResponsesApi: true, ...fields }),
    ChatAnthropic: (fields) =>
      new ChatAnthropic({
        model: MODEL,
        apiKey: world.key,
        anthropicApiUrl: world.url,
        maxRetries: 0,
        ...fields,
      }),
  };

  const checks = {};
  for (const [name, open] of Object.entries(models)) {
    checks[`${name}: invoke, with usage_metadata`] = async () => {
      script(reply("A bowline.", { usage: USAGE }));
      const answer = await open().invoke([
        new SystemMessage("You are a sailor."),
        new HumanMessage("Name a knot."),
      ]);
      assert.equal(answer.text, "A bowline.");
      assert.equal(answer.usage_metadata.input_tokens, 42);
      assert.equal(answer.usage_metadata.output_tokens, 7);
      assert.equal(answer.usage_metadata.input_token_details.cache_read, 30);
      assert.match(calls()[0].system, /You are a sailor\./);
      assert.equal(calls()[0].prompt, "Name a knot.");
    };

    checks[`${name}: stream, with usage_metadata`] = async () => {
      script(reply("One two three four.", { chunks: 4, usage: USAGE }));
      let whole;
      let pieces = 0;
      for await (const chunk of await open().stream("Count.")) {
        if (chunk.text !== "") pieces++;
        whole = whole === undefined ? chunk : whole.concat(chunk);
      }
      assert.ok(pieces >= 2);
      assert.equal(whole.text, "One two three four.");
      // ChatAnthropic adds the first count of a stream, 1, to the last, which holds all. It does so with the API too.
      assert.equal(whole.usage_metadata.output_tokens, name === "ChatAnthropic" ? 8 : 7);
      assert.equal(whole.usage_metadata.input_tokens, 42);
    };

    checks[`${name}: bindTools, two calls, and their results`] = async () => {
      script(
        [
          toolUse("get_weather", { city: "Oslo" }, { id: "toolu_a" }),
          toolUse("get_weather", { city: "Rome" }, { id: "toolu_b" }),
        ],
        "Dry in both.",
      );
      const model = open().bindTools([weather]);
      const question = new HumanMessage("Weather?");
      const first = await model.invoke([question]);
      assert.deepEqual(
        first.tool_calls.map(({ name, args }) => [name, args.city]),
        [
          ["get_weather", "Oslo"],
          ["get_weather", "Rome"],
        ],
      );
      const results = await Promise.all(first.tool_calls.map((call) => weather.invoke(call)));
      assert.ok(results.every((result) => result instanceof ToolMessage));
      const second = await model.invoke([question, first, ...results]);
      assert.equal(second.text, "Dry in both.");
      assert.deepEqual(
        calls()[1].toolResults.map(({ text }) => text),
        ["Oslo is dry", "Rome is dry"],
      );
      assert.deepEqual(
        messagesAsked(calls()[1]).map(({ role, content }) => [
          role,
          content.map(({ type }) => type),
        ]),
        [
          ["user", ["text"]],
          ["assistant", ["tool_use", "tool_use"]],
          ["user", ["tool_result", "tool_result"]],
        ],
      );
    };

    checks[`${name}: bindTools, streamed`] = async () => {
      script(reply(["Let me look.", toolUse("get_weather", { city: "Oslo" })], { chunks: 3 }));
      let whole;
      for await (const chunk of await open().bindTools([weather]).stream("Weather?")) {
        whole = whole === undefined ? chunk : whole.concat(chunk);
      }
      assert.equal(whole.text, "Let me look.");
      assert.deepEqual(
        whole.tool_calls.map(({ args }) => args),
        [{ city: "Oslo" }],
      );
    };

    for (const method of ["jsonSchema", "functionCalling"]) {
      checks[`${name}: withStructuredOutput by ${method}`] = async () => {
        script(toolUse("StructuredOutput", { knot: "bowline", turns: 2 }));
        const schema = z.object({ knot: z.string(), turns: z.number() });
        const model = open().withStructuredOutput(schema, { method, name: "knot" });
        assert.deepEqual(await model.invoke("A knot as data."), { knot: "bowline", turns: 2 });
      };
    }

    checks[`${name}: an image`] = async () => {
      script("A point.");
      const answer = await open().invoke([
        new HumanMessage({
          contentBlocks: [
            { type: "text", text: "What is this?" },
            { type: "image", mimeType: "image/png", data: PNG },
          ],
        }),
      ]);
      assert.equal(answer.text, "A point.");
      const [{ content }] = messagesAsked(calls()[0]);
      assert.equal(content[1].source.data, PNG);
    };

    checks[`${name}: errors have the status`] = async () => {
      script(apiError(429));
      await assert.rejects(open().invoke("Hi."), { status: 429 });
      await assert.rejects(open({ apiKey: "hwk_wrong" }).invoke("Hi."), { status: 401 });
    };
  }
  return checks;
});
