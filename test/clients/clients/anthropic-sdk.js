// @anthropic-ai/sdk
import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import { apiError, hang, reply, thinking, toolUse } from "hawser/testing";
import { z } from "zod";
import { blocksAsked, messagesAsked, toolsAsked } from "../support/asked.js";
import { comesTrue, runChecks } from "../support/checks.js";
import { failedAnswer, repeatedAnswer } from "../support/failures.js";
import { PDF, PNG } from "../support/files.js";
import { MODEL } from "../support/world.js";

const ASK = { model: MODEL, max_tokens: 1024 };
const WEATHER = {
  name: "get_weather",
  description: "Tells the weather of a city.",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

await runChecks((world) => {
  const { script, calls } = world;
  const client = clientWith();

  /** A client that counts its requests. */
  function clientWith(options = {}) {
    const made = {
      requests: 0,
      sdk: new Anthropic({
        baseURL: world.url,
        apiKey: world.key,
        ...options,
        fetch: (url, init) => {
          made.requests++;
          return fetch(url, init);
        },
      }),
    };
    return made;
  }

  const user = (content) => [{ role: "user", content }];

  return {
    "messages.create: text, stop reason, usage, cost, system prompt, history": async () => {
      script(
        reply("A bowline.", {
          usage: { input_tokens: 12, output_tokens: 7, cache_read_input_tokens: 30 },
        }),
      );
      const history = [
        { role: "user", content: "Name a knot." },
        { role: "assistant", content: "A reef knot." },
        { role: "user", content: "Another." },
      ];
      const { data: message, response } = await client.sdk.messages
        .create({ ...ASK, system: "You are a sailor.", messages: history })
        .withResponse();
      assert.deepEqual(
        message.content.map(({ type, text }) => [type, text]),
        [["text", "A bowline."]],
      );
      assert.equal(message.type, "message");
      assert.equal(message.role, "assistant");
      assert.equal(message.model, MODEL);
      assert.equal(message.stop_reason, "end_turn");
      assert.equal(message.usage.input_tokens, 12);
      assert.equal(message.usage.output_tokens, 7);
      assert.equal(message.usage.cache_read_input_tokens, 30);
      assert.ok(Number(response.headers.get("x-hawser-cost-usd")) > 0);
      assert.ok(message._request_id, "the SDK finds the id of the request");
      assert.equal(calls().length, 1);
      assert.match(calls()[0].system, /You are a sailor\./);
      assert.deepEqual(
        messagesAsked(calls()[0]).map(({ role, content }) => [role, content.map((b) => b.text)]),
        [
          ["user", ["Name a knot."]],
          ["assistant", ["A reef knot."]],
          ["user", ["Another."]],
        ],
      );
      assert.match(response.headers.get("x-hawser-ignored") ?? "", /max_tokens/);
    },

    "messages.stream: text events, finalMessage": async () => {
      script(reply("One two three four.", { chunks: 4 }));
      const pieces = [];
      const stream = client.sdk.messages.stream({ ...ASK, messages: user("Count.") });
      stream.on("text", (piece) => pieces.push(piece));
      const message = await stream.finalMessage();
      assert.ok(pieces.length >= 2, `streamed in ${pieces.length} pieces`);
      assert.equal(pieces.join(""), "One two three four.");
      assert.equal(await stream.finalText(), "One two three four.");
      assert.equal(message.stop_reason, "end_turn");
      assert.equal(message.usage.output_tokens, 5);
    },

    "messages.create with stream: true: the events in their order": async () => {
      script("Hello.");
      const stream = await client.sdk.messages.create({
        ...ASK,
        stream: true,
        messages: user("Greet."),
      });
      const types = [];
      for await (const { type } of stream) types.push(type);
      assert.deepEqual(
        types.filter((type, i) => type !== types[i - 1]),
        [
          "message_start",
          "content_block_start",
          "content_block_delta",
          "content_block_stop",
          "message_delta",
          "message_stop",
        ],
      );
    },

    "messages.stream: inputJson of two parallel tool calls": async () => {
      script(
        reply(
          [
            "Let me look.",
            toolUse("get_weather", { city: "Oslo" }, { id: "toolu_a" }),
            toolUse("get_weather", { city: "Bergen" }, { id: "toolu_b" }),
          ],
          { chunks: 3 },
        ),
      );
      const snapshots = [];
      const stream = client.sdk.messages.stream({
        ...ASK,
        messages: user("Weather?"),
        tools: [WEATHER],
      });
      stream.on("inputJson", (_, snapshot) => snapshots.push(snapshot));
      const message = await stream.finalMessage();
      assert.equal(message.stop_reason, "tool_use");
      assert.deepEqual(
        message.content.map(({ type, text, id, name, input }) => text ?? { type, id, name, input }),
        [
          "Let me look.",
          { type: "tool_use", id: "toolu_a", name: "get_weather", input: { city: "Oslo" } },
          { type: "tool_use", id: "toolu_b", name: "get_weather", input: { city: "Bergen" } },
        ],
      );
      assert.deepEqual(snapshots.at(-1), { city: "Bergen" });
      assert.equal(calls().length, 1);
      assert.deepEqual(
        toolsAsked(calls()[0]).map(({ name, description, input_schema }) => ({
          name,
          description,
          input_schema,
        })),
        [WEATHER],
      );
    },

    "beta.messages.toolRunner: three rounds of two parallel tools": async () => {
      const round = (n) => [
        toolUse("get_weather", { city: `city-${n}` }, { id: `toolu_${n}_a` }),
        toolUse("get_time", { zone: `zone-${n}` }, { id: `toolu_${n}_b` }),
      ];
      script(round(1), round(2), round(3), "It rains.");
      const ran = [];
      const tool = (name, field) =>
        betaZodTool({
          name,
          description: `The ${name}.`,
          inputSchema: z.object({ [field]: z.string() }),
          run: async (input) => {
            ran.push(input[field]);
            return `result of ${input[field]}`;
          },
        });
      const runner = client.sdk.beta.messages.toolRunner({
        ...ASK,
        messages: user("How is it everywhere?"),
        tools: [tool("get_weather", "city"), tool("get_time", "zone")],
      });
      const message = await runner;
      assert.equal(message.content[0].text, "It rains.");
      assert.deepEqual(ran, ["city-1", "zone-1", "city-2", "zone-2", "city-3", "zone-3"]);
      assert.equal(calls().length, 4, "no request to the model beyond the rounds");
      assert.deepEqual(calls()[3].tools, ["get_time", "get_weather"]);
      assert.deepEqual(
        messagesAsked(calls()[3]).map(({ role, content }) => [role, content.map(idOf)]),
        [
          ["user", ["How is it everywhere?"]],
          ...[1, 2, 3].flatMap((n) => [
            ["assistant", [`toolu_${n}_a`, `toolu_${n}_b`]],
            ["user", [`toolu_${n}_a: result of city-${n}`, `toolu_${n}_b: result of zone-${n}`]],
          ]),
        ],
      );
    },

    "beta.messages.toolRunner with stream: true": async () => {
      script(toolUse("get_weather", { city: "Oslo" }), "Dry.");
      const runner = client.sdk.beta.messages.toolRunner({
        ...ASK,
        stream: true,
        messages: user("Weather?"),
        tools: [
          betaZodTool({
            name: "get_weather",
            description: "The weather.",
            inputSchema: z.object({ city: z.string() }),
            run: ({ city }) => `${city} is dry`,
          }),
        ],
      });
      const texts = [];
      for await (const stream of runner) {
        stream.on("text", (piece) => texts.push(piece));
        await stream.finalMessage();
      }
      assert.equal(texts.join(""), "Dry.");
      assert.equal(calls()[1].toolResults[0].text, "Oslo is dry");
    },

    "tool results with an error and an image": async () => {
      script("I see.");
      const image = {
        type: "image",
        source: { type: "base64", media_type: "image/png", data: PNG },
      };
      await client.sdk.messages.create({
        ...ASK,
        tools: [WEATHER],
        messages: [
          ...user("Weather?"),
          {
            role: "assistant",
            content: [
              { type: "tool_use", id: "toolu_1", name: "get_weather", input: { city: "Oslo" } },
              { type: "tool_use", id: "toolu_2", name: "get_weather", input: { city: "Rome" } },
            ],
          },
          ...user([
            {
              type: "tool_result",
              tool_use_id: "toolu_1",
              is_error: true,
              content: "no such city",
            },
            { type: "tool_result", tool_use_id: "toolu_2", content: [image] },
          ]),
        ],
      });
      const results = blocksAsked(calls()[0], "user").filter(({ type }) => type === "tool_result");
      assert.equal(results[0].is_error, true);
      assert.match(JSON.stringify(results[0].content), /no such city/);
      assert.equal(results[1].content[0].source.data, PNG);
    },

    "images and PDFs": async () => {
      script("A point on a page.");
      const message = await client.sdk.messages.create({
        ...ASK,
        messages: user([
          { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
          {
            type: "document",
            source: { type: "base64", media_type: "application/pdf", data: PDF },
          },
          { type: "text", text: "What is this?" },
        ]),
      });
      assert.equal(message.content[0].text, "A point on a page.");
      const blocks = blocksAsked(calls()[0], "user");
      assert.deepEqual(
        blocks.map(({ type }) => type),
        ["image", "document", "text"],
      );
      assert.equal(blocks[0].source.data, PNG);
      assert.equal(blocks[1].source.data, PDF);
    },

    "messages.parse: structured output": async () => {
      script(toolUse("StructuredOutput", { knot: "bowline", turns: 2 }));
      const schema = z.object({ knot: z.string(), turns: z.number() });
      const message = await client.sdk.messages.parse({
        ...ASK,
        messages: user("A knot as data."),
        output_config: { format: zodOutputFormat(schema) },
      });
      assert.deepEqual(message.parsed_output, { knot: "bowline", turns: 2 });
      assert.equal(message.stop_reason, "end_turn");
    },

    "messages.stream: structured output": async () => {
      script(toolUse("StructuredOutput", { knot: "bowline" }));
      const stream = client.sdk.messages.stream({
        ...ASK,
        messages: user("A knot as data."),
        output_config: { format: zodOutputFormat(z.object({ knot: z.string() })) },
      });
      const message = await stream.finalMessage();
      assert.deepEqual(message.parsed_output, { knot: "bowline" });
      assert.equal(message.stop_reason, "end_turn");
    },

    "tool_choice: one tool, and none": async () => {
      script(toolUse("StructuredOutput", { city: "Oslo" }), "No tools.");
      const request = { ...ASK, messages: user("Weather?"), tools: [WEATHER] };
      const forced = await client.sdk.messages.create({
        ...request,
        tool_choice: { type: "tool", name: "get_weather" },
      });
      assert.equal(forced.stop_reason, "tool_use");
      const [{ type, name, input }] = forced.content;
      assert.deepEqual(
        { type, name, input },
        { type: "tool_use", name: "get_weather", input: { city: "Oslo" } },
      );
      const none = await client.sdk.messages.create({ ...request, tool_choice: { type: "none" } });
      assert.equal(none.content[0].text, "No tools.");
    },

    "thinking: the block, its signature, and the block in the next request": async () => {
      const answer = [thinking("Ropes...", { signature: "c2lnbmVk" }), "A bowline."];
      script(reply(answer, { chunks: 2 }), "Two turns.");
      const request = {
        ...ASK,
        max_tokens: 4096,
        thinking: { type: "enabled", budget_tokens: 2048 },
      };
      const stream = client.sdk.messages.stream({ ...request, messages: user("A knot?") });
      const signatures = [];
      stream.on("signature", (signature) => signatures.push(signature));
      const { content } = await stream.finalMessage();
      assert.deepEqual(signatures, ["c2lnbmVk"]);
      assert.equal(content[0].thinking, "Ropes...");
      assert.equal(content[0].signature, "c2lnbmVk");
      await client.sdk.messages.create({
        ...request,
        messages: [...user("A knot?"), { role: "assistant", content }, ...user("How many turns?")],
      });
      const asked = blocksAsked(calls()[1], "assistant");
      assert.deepEqual(
        asked.map(({ type }) => type),
        ["thinking", "text"],
      );
      assert.equal(asked[0].signature, "c2lnbmVk");
    },

    stop_sequences: async () => {
      script("one, two, three, four");
      const message = await client.sdk.messages.create({
        ...ASK,
        stop_sequences: ["three"],
        messages: user("Count."),
      });
      assert.equal(message.stop_reason, "stop_sequence");
      assert.equal(message.stop_sequence, "three");
      assert.equal(message.content[0].text, "one, two, ");
    },

    "stream.abort(): the process is handed on": async () => {
      script(hang("Once upon a time"), "The next caller.");
      const started = () => world.metric("hawser_pool_processes_started_total");
      const stream = client.sdk.messages.stream({ ...ASK, messages: user("Tell a story.") });
      stream.once("text", () => stream.abort());
      await assert.rejects(stream.done(), Anthropic.APIUserAbortError);
      assert.equal(stream.aborted, true);
      await comesTrue(
        async () => (await world.metric("hawser_pool_calls_running")) === 0,
        "the call of the client that is gone ends",
      );
      const before = await started();
      const next = await client.sdk.messages.create({ ...ASK, messages: user("Next.") });
      assert.equal(next.content[0].text, "The next caller.");
      assert.equal(await started(), before, "no new process");
      assert.doesNotMatch(JSON.stringify(calls()[1].body), /story|Once upon/);
    },

    "models.list and models.retrieve": async () => {
      const ids = [];
      for await (const model of client.sdk.models.list()) ids.push(model.id);
      assert.ok(ids.length > 0);
      const model = await client.sdk.models.retrieve(ids[0]);
      assert.equal(model.id, ids[0]);
      assert.equal(model.type, "model");
      await assert.rejects(client.sdk.models.retrieve("no-such-model"), Anthropic.NotFoundError);
    },

    "messages.countTokens: an estimate": async () => {
      const { input_tokens } = await client.sdk.messages.countTokens({
        model: MODEL,
        messages: user("How many tokens is this?"),
      });
      assert.ok(input_tokens > 0);
    },

    "AuthenticationError for a wrong key, without a retry": async () => {
      const wrong = clientWith({ apiKey: "hwk_wrong" });
      await assert.rejects(
        wrong.sdk.messages.create({ ...ASK, messages: user("Hello.") }),
        Anthropic.AuthenticationError,
      );
      assert.equal(wrong.requests, 1);
    },

    "BadRequestError names the parameter": async () => {
      const cases = [
        [{ messages: [] }, /messages/],
        [{ messages: [...user("Hi"), { role: "assistant", content: "{" }] }, /prefill/],
        [
          { messages: user("Hi"), tools: [{ type: "web_search_20250305", name: "web_search" }] },
          /tools\[0\]/,
        ],
        [
          {
            messages: user([
              { type: "image", source: { type: "url", url: "http://127.0.0.1/a.png" } },
            ]),
          },
          /fetchUrls/,
        ],
      ];
      for (const [fields, message] of cases) {
        const error = await rejection(client.sdk.messages.create({ ...ASK, ...fields }));
        assert.ok(error instanceof Anthropic.BadRequestError, String(error));
        assert.equal(error.type, "invalid_request_error");
        assert.match(error.message, message);
      }
    },

    "RateLimitError for the limit of the key, with its headers": async () => {
      script("Only one.");
      const limited = clientWith({ apiKey: world.limitedKey, maxRetries: 0 });
      await limited.sdk.messages.create({ ...ASK, messages: user("One.") });
      const error = await rejection(
        limited.sdk.messages.create({ ...ASK, messages: user("Two.") }),
      );
      assert.ok(error instanceof Anthropic.RateLimitError, String(error));
      assert.equal(error.type, "rate_limit_error");
      assert.ok(Number(error.headers.get("retry-after")) > 0);
      assert.equal(error.headers.get("anthropic-ratelimit-requests-limit"), "1");
    },

    "the classes of the model's own errors": async () => {
      const cases = [
        [apiError(400), Anthropic.APIError],
        [apiError(404), Anthropic.NotFoundError],
        [apiError(429), Anthropic.RateLimitError],
        [apiError(529), Anthropic.InternalServerError],
      ];
      const once = clientWith({ maxRetries: 0 });
      for (const [failure, kind] of cases) {
        // The CLI asks once more after some of them.
        script(failure, ...([400, 404].includes(failure.status) ? [failure] : []));
        const error = await rejection(once.sdk.messages.create({ ...ASK, messages: user("Hi.") }));
        assert.ok(error instanceof kind, `${failure.status}: ${error}`);
      }
      assert.equal(once.requests, cases.length);
    },

    "a failure before the model worked is repeated by the client": async () => {
      script(apiError(529), "At last.");
      const patient = clientWith();
      const message = await patient.sdk.messages.create({ ...ASK, messages: user("Hi.") });
      assert.equal(message.content[0].text, "At last.");
      assert.equal(patient.requests, 2);
    },

    "a failure that was paid for is not repeated": async () => {
      const eager = clientWith({ maxRetries: 5 });
      script(...failedAnswer());
      const error = await rejection(eager.sdk.messages.create({ ...ASK, messages: user("Hi.") }));
      assert.ok(error instanceof Anthropic.APIError, String(error));
      assert.equal(eager.requests, 1);
    },

    "a stream that fails throws and has no final message": async () => {
      const eager = clientWith({ maxRetries: 5 });
      script(...failedAnswer());
      const stream = eager.sdk.messages.stream({ ...ASK, messages: user("Hi.") });
      let text = "";
      stream.on("text", (piece) => {
        text += piece;
      });
      const error = await rejection(stream.finalMessage());
      assert.ok(error instanceof Anthropic.APIError, String(error));
      assert.equal(eager.requests, 1);
      assert.ok("Half an ans".startsWith(text));
    },

    "a stream that the CLI repeats is whole or fails": async () => {
      const { sdk } = clientWith({ maxRetries: 0 });
      script(...repeatedAnswer());
      const stream = sdk.messages.stream({ ...ASK, messages: user("Hi.") });
      const message = await stream.finalMessage().catch(() => undefined);
      if (message)
        assert.deepEqual(
          message.content.map(({ text }) => text),
          ["The whole answer."],
        );
    },
  };
});

async function rejection(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new assert.AssertionError({ message: "The request was answered." });
}

function idOf({ type, text, id, tool_use_id, content }) {
  if (type === "text") return text;
  if (type === "tool_use") return id;
  return `${tool_use_id}: ${typeof content === "string" ? content : content[0].text}`;
}
