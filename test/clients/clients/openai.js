// openai. Its accumulators of streams are strict, so they test the order and the fields of events.
import assert from "node:assert/strict";
import { apiError, hang, reply, toolUse } from "hawser/testing";
import OpenAI from "openai";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";
import { blocksAsked, messagesAsked, toolsAsked } from "../support/asked.js";
import { comesTrue, runChecks } from "../support/checks.js";
import { failedAnswer, repeatedAnswer } from "../support/failures.js";
import { PDF, PNG } from "../support/files.js";
import { MODEL } from "../support/world.js";

const PARAMETERS = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const DESCRIPTION = "Tells the weather of a city.";
const CHAT_TOOL = {
  type: "function",
  function: { name: "get_weather", description: DESCRIPTION, parameters: PARAMETERS, strict: true },
};
const RESPONSES_TOOL = {
  type: "function",
  name: "get_weather",
  description: DESCRIPTION,
  parameters: PARAMETERS,
  strict: true,
};
const KNOT = z.object({ knot: z.string(), turns: z.number() });
const USAGE = { input_tokens: 12, output_tokens: 7, cache_read_input_tokens: 30 };

await runChecks((world) => {
  const { script, calls } = world;
  const { sdk } = clientWith();

  /** A client that counts its requests. */
  function clientWith(options = {}) {
    const made = {
      requests: 0,
      sdk: new OpenAI({
        baseURL: `${world.url}/v1`,
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

  const chat = (content, more = {}) => ({
    model: MODEL,
    messages: [{ role: "user", content }],
    ...more,
  });
  const respond = (input, more = {}) => ({ model: MODEL, input, ...more });
  const started = () => world.metric("hawser_pool_processes_started_total");
  const settled = () =>
    comesTrue(
      async () => (await world.metric("hawser_pool_calls_running")) === 0,
      "the call of the client that is gone ends",
    );

  return {
    "chat.completions.create: text, finish reason, usage, instructions, history": async () => {
      script(reply("A bowline.", { usage: USAGE }));
      const { data: completion, response } = await sdk.chat.completions
        .create({
          model: MODEL,
          temperature: 0.2,
          messages: [
            { role: "system", content: "You are a sailor." },
            { role: "developer", content: "Be brief." },
            { role: "user", content: "Name a knot." },
            { role: "assistant", content: "A reef knot." },
            { role: "user", content: "Another." },
          ],
        })
        .withResponse();
      assert.equal(completion.object, "chat.completion");
      assert.equal(completion.choices[0].message.content, "A bowline.");
      assert.equal(completion.choices[0].finish_reason, "stop");
      assert.equal(completion.usage.prompt_tokens, 42);
      assert.equal(completion.usage.completion_tokens, 7);
      assert.equal(completion.usage.total_tokens, 49);
      assert.equal(completion.usage.prompt_tokens_details.cached_tokens, 30);
      assert.match(response.headers.get("x-hawser-ignored") ?? "", /temperature/);
      assert.ok(Number(response.headers.get("x-hawser-cost-usd")) > 0);
      assert.ok(completion._request_id);
      assert.match(calls()[0].system, /You are a sailor\.\s+Be brief\./);
      assert.deepEqual(
        messagesAsked(calls()[0]).map(({ role, content }) => [role, content[0].text]),
        [
          ["user", "Name a knot."],
          ["assistant", "A reef knot."],
          ["user", "Another."],
        ],
      );
    },

    "chat.completions.stream: deltas, final completion, include_usage": async () => {
      script(reply("One two three four.", { chunks: 4, usage: USAGE }));
      const stream = sdk.chat.completions.stream(
        chat("Count.", { stream_options: { include_usage: true } }),
      );
      const pieces = [];
      stream.on("content", (piece) => pieces.push(piece));
      const completion = await stream.finalChatCompletion();
      assert.ok(pieces.length >= 2);
      assert.equal(pieces.join(""), "One two three four.");
      assert.equal(completion.choices[0].message.content, "One two three four.");
      assert.equal(completion.choices[0].finish_reason, "stop");
      assert.equal((await stream.totalUsage()).completion_tokens, 7);
      assert.equal(completion.usage.prompt_tokens, 42);
    },

    "chat.completions.create with stream: true has no usage unless it is asked for": async () => {
      script("Hello.", "Hello.");
      for (const isAsked of [false, true]) {
        const options = isAsked ? { stream_options: { include_usage: true } } : {};
        const stream = await sdk.chat.completions.create(chat("Hi.", { stream: true, ...options }));
        const chunks = [];
        for await (const chunk of stream) chunks.push(chunk);
        assert.equal(chunks[0].choices[0].delta.role, "assistant");
        const withUsage = chunks.filter(({ usage }) => Boolean(usage));
        assert.equal(withUsage.length, isAsked ? 1 : 0);
        if (isAsked) assert.deepEqual(withUsage[0].choices, []);
        assert.equal(new Set(chunks.map(({ id }) => id)).size, 1);
      }
    },

    "chat.completions.stream: two parallel tool calls": async () => {
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
      const stream = sdk.chat.completions.stream(chat("Weather?", { tools: [CHAT_TOOL] }));
      const done = [];
      stream.on("tool_calls.function.arguments.done", ({ index, name, arguments: json }) =>
        done.push([index, name, JSON.parse(json)]),
      );
      const [choice] = (await stream.finalChatCompletion()).choices;
      assert.equal(choice.finish_reason, "tool_calls");
      assert.equal(choice.message.content, "Let me look.");
      assert.deepEqual(done, [
        [0, "get_weather", { city: "Oslo" }],
        [1, "get_weather", { city: "Bergen" }],
      ]);
      assert.deepEqual(toolsAsked(calls()[0]), [
        { name: "get_weather", description: DESCRIPTION, input_schema: PARAMETERS },
      ]);
    },

    "chat.completions.parse: json_schema": async () => {
      script(toolUse("StructuredOutput", { knot: "bowline", turns: 2 }));
      const completion = await sdk.chat.completions.parse(
        chat("A knot as data.", { response_format: zodResponseFormat(KNOT, "knot") }),
      );
      assert.deepEqual(completion.choices[0].message.parsed, { knot: "bowline", turns: 2 });
    },

    "chat.completions.stream: json_schema": async () => {
      script(reply(toolUse("StructuredOutput", { knot: "bowline", turns: 2 }), { chunks: 3 }));
      const stream = sdk.chat.completions.stream(
        chat("A knot as data.", { response_format: zodResponseFormat(KNOT, "knot") }),
      );
      const completion = await stream.finalChatCompletion();
      assert.deepEqual(completion.choices[0].message.parsed, { knot: "bowline", turns: 2 });
      assert.equal(completion.choices[0].finish_reason, "stop");
    },

    "chat.completions.create: json_object": async () => {
      script('{"knot":"bowline"}');
      const completion = await sdk.chat.completions.create(
        chat("A knot as JSON.", { response_format: { type: "json_object" } }),
      );
      assert.deepEqual(JSON.parse(completion.choices[0].message.content), { knot: "bowline" });
    },

    "chat.completions.runTools: three rounds of two tools": async () => {
      const round = (n) => [
        toolUse("get_weather", { city: `city-${n}` }, { id: `toolu_${n}_a` }),
        toolUse("get_time", { zone: `zone-${n}` }, { id: `toolu_${n}_b` }),
      ];
      script(round(1), round(2), round(3), "It rains.");
      const ran = [];
      const runner = sdk.chat.completions.runTools(
        chat("How is it everywhere?", { tools: runnableTools(ran) }),
      );
      assert.equal(await runner.finalContent(), "It rains.");
      assert.deepEqual(ran, ["city-1", "zone-1", "city-2", "zone-2", "city-3", "zone-3"]);
      assert.equal(calls().length, 4);
      const results = blocksAsked(calls()[3], "user").filter(({ type }) => type === "tool_result");
      assert.deepEqual(
        results.map(({ tool_use_id }) => tool_use_id),
        ["toolu_1_a", "toolu_1_b", "toolu_2_a", "toolu_2_b", "toolu_3_a", "toolu_3_b"],
      );
      assert.match(JSON.stringify(results[5].content), /result of zone-3/);
    },

    "chat.completions.runTools with stream: true": async () => {
      script(toolUse("get_weather", { city: "Oslo" }), reply("It is dry.", { chunks: 2 }));
      const ran = [];
      const runner = sdk.chat.completions.runTools(
        chat("Weather?", { stream: true, tools: runnableTools(ran) }),
      );
      let text = "";
      runner.on("content", (piece) => {
        text += piece;
      });
      assert.equal(await runner.finalContent(), "It is dry.");
      assert.equal(text, "It is dry.");
      assert.deepEqual(ran, ["Oslo"]);
    },

    "chat.completions.create: tool_choice, and parallel_tool_calls: false": async () => {
      script(toolUse("StructuredOutput", { city: "Oslo" }), "No tools.", [
        toolUse("get_weather", { city: "A" }),
        toolUse("get_weather", { city: "B" }),
      ]);
      const ask = (more) =>
        sdk.chat.completions.create(chat("Hi", { tools: [CHAT_TOOL], ...more }));
      const forced = await ask({
        tool_choice: { type: "function", function: { name: "get_weather" } },
      });
      const [call] = forced.choices[0].message.tool_calls;
      assert.deepEqual(
        [call.function.name, JSON.parse(call.function.arguments)],
        ["get_weather", { city: "Oslo" }],
      );
      const none = await ask({ tool_choice: "none" });
      assert.equal(none.choices[0].message.content, "No tools.");
      const single = await ask({ parallel_tool_calls: false });
      assert.deepEqual(
        single.choices[0].message.tool_calls.map((each) => each.function.arguments),
        ['{"city":"A"}'],
      );
    },

    "chat.completions.create: images, files and stop": async () => {
      script("A point. END of it");
      const completion = await sdk.chat.completions.create({
        model: MODEL,
        stop: ["END"],
        messages: [
          {
            role: "user",
            content: [
              { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
              {
                type: "file",
                file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${PDF}` },
              },
              { type: "text", text: "What is this?" },
            ],
          },
        ],
      });
      assert.equal(completion.choices[0].message.content, "A point. ");
      assert.equal(completion.choices[0].finish_reason, "stop");
      const blocks = blocksAsked(calls()[0], "user");
      assert.deepEqual(
        blocks.map(({ type }) => type),
        ["image", "document", "text"],
      );
      assert.deepEqual([blocks[0].source.data, blocks[1].source.data], [PNG, PDF]);
    },

    "chat.completions.stream: abort hands the process on": async () => {
      script(hang("Once upon a time"), "The next caller.");
      const stream = sdk.chat.completions.stream(chat("Tell a story."));
      stream.once("content", () => stream.abort());
      await assert.rejects(stream.done(), OpenAI.APIUserAbortError);
      await settled();
      const before = await started();
      const next = await sdk.chat.completions.create(chat("Next."));
      assert.equal(next.choices[0].message.content, "The next caller.");
      assert.equal(await started(), before, "no new process");
    },

    "responses.create: text, usage, instructions": async () => {
      script(reply("A bowline.", { usage: USAGE }));
      const response = await sdk.responses.create(
        respond("Name a knot.", { instructions: "You are a sailor." }),
      );
      assert.equal(response.object, "response");
      assert.equal(response.status, "completed");
      assert.equal(response.output_text, "A bowline.");
      assert.equal(response.usage.input_tokens, 42);
      assert.equal(response.usage.input_tokens_details.cached_tokens, 30);
      assert.equal(response.usage.output_tokens, 7);
      assert.match(calls()[0].system, /You are a sailor\./);
      assert.deepEqual(
        blocksAsked(calls()[0], "user").map(({ text }) => text),
        ["Name a knot."],
      );
    },

    "responses.stream: events, deltas, final response": async () => {
      script(reply("One two three four.", { chunks: 4 }));
      const stream = sdk.responses.stream(respond("Count."));
      const types = [];
      let text = "";
      for await (const event of stream) {
        if (event.type !== types.at(-1)) types.push(event.type);
        if (event.type === "response.output_text.delta") text += event.delta;
      }
      assert.equal(text, "One two three four.");
      assert.deepEqual(types, [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
      ]);
      const response = await stream.finalResponse();
      assert.equal(response.output_text, "One two three four.");
      assert.equal(response.status, "completed");
    },

    "responses.parse and responses.stream: json_schema": async () => {
      script(
        toolUse("StructuredOutput", { knot: "bowline", turns: 2 }),
        reply(toolUse("StructuredOutput", { knot: "reef", turns: 1 }), { chunks: 3 }),
      );
      const format = { text: { format: zodTextFormat(KNOT, "knot") } };
      const response = await sdk.responses.parse(respond("A knot as data.", format));
      assert.deepEqual(response.output_parsed, { knot: "bowline", turns: 2 });
      const stream = sdk.responses.stream(respond("Another.", format));
      assert.deepEqual((await stream.finalResponse()).output_parsed, { knot: "reef", turns: 1 });
    },

    "responses.create: tool calls, and previous_response_id with their results": async () => {
      script(
        [
          toolUse("get_weather", { city: "Oslo" }, { id: "toolu_a" }),
          toolUse("get_weather", { city: "Rome" }, { id: "toolu_b" }),
        ],
        "Dry in both.",
        "You asked for the weather.",
      );
      const tools = [RESPONSES_TOOL];
      const first = await sdk.responses.create(respond("Weather?", { tools, store: true }));
      const wanted = first.output.filter(({ type }) => type === "function_call");
      assert.deepEqual(
        wanted.map((call) => JSON.parse(call.arguments)),
        [{ city: "Oslo" }, { city: "Rome" }],
      );
      const second = await sdk.responses.create(
        respond(
          wanted.map(({ call_id }) => ({
            type: "function_call_output",
            call_id,
            output: `dry ${call_id}`,
          })),
          { tools, previous_response_id: first.id },
        ),
      );
      assert.equal(second.output_text, "Dry in both.");
      assert.equal(second.previous_response_id, first.id);
      const third = await sdk.responses.create(
        respond("What did I ask?", { tools, previous_response_id: second.id }),
      );
      assert.equal(third.output_text, "You asked for the weather.");
      assert.deepEqual(
        messagesAsked(calls()[2]).map(({ role, content }) => [
          role,
          content.map(({ type }) => type),
        ]),
        [
          ["user", ["text"]],
          ["assistant", ["tool_use", "tool_use"]],
          ["user", ["tool_result", "tool_result"]],
          ["assistant", ["text"]],
          ["user", ["text"]],
        ],
      );
      assert.deepEqual((await sdk.responses.retrieve(second.id)).output_text, "Dry in both.");
      const items = [];
      for await (const item of sdk.responses.inputItems.list(first.id)) items.push(item.type);
      assert.deepEqual(items, ["message"]);
      await sdk.responses.delete(second.id);
      await assert.rejects(sdk.responses.retrieve(second.id), OpenAI.NotFoundError);
    },

    "responses.stream: two parallel tool calls": async () => {
      script(
        reply(
          [
            "Let me look.",
            toolUse("get_weather", { city: "Oslo" }, { id: "toolu_a" }),
            toolUse("get_weather", { city: "Rome" }, { id: "toolu_b" }),
          ],
          { chunks: 3 },
        ),
      );
      const stream = sdk.responses.stream(respond("Weather?", { tools: [RESPONSES_TOOL] }));
      const response = await stream.finalResponse();
      assert.deepEqual(
        response.output.map((item) => item.arguments ?? item.content[0].text),
        ["Let me look.", '{"city":"Oslo"}', '{"city":"Rome"}'],
      );
    },

    "responses.create: a response that is not stored, and an id that does not exist": async () => {
      script("Not kept.");
      const response = await sdk.responses.create(respond("Hi.", { store: false }));
      await assert.rejects(sdk.responses.retrieve(response.id), OpenAI.NotFoundError);
      const error = await rejection(
        sdk.responses.create(respond("Hi.", { previous_response_id: "resp_none" })),
      );
      assert.ok(error instanceof OpenAI.APIError, String(error));
      assert.equal(error.code, "previous_response_not_found");
    },

    "responses.stream: abort hands the process on": async () => {
      script(hang("Once upon a time"), "The next caller.");
      const stream = sdk.responses.stream(respond("Tell a story."));
      stream.on("response.output_text.delta", () => stream.abort());
      await assert.rejects(stream.done(), OpenAI.APIUserAbortError);
      await settled();
      const before = await started();
      assert.equal((await sdk.responses.create(respond("Next."))).output_text, "The next caller.");
      assert.equal(await started(), before, "no new process");
    },

    "models.list and models.retrieve": async () => {
      const ids = [];
      for await (const model of sdk.models.list()) ids.push(model.id);
      assert.ok(ids.length > 0);
      assert.equal((await sdk.models.retrieve(ids[0])).object, "model");
      await assert.rejects(sdk.models.retrieve("no-such-model"), OpenAI.NotFoundError);
    },

    "the classes of errors": async () => {
      const wrong = clientWith({ apiKey: "hwk_wrong" });
      await assert.rejects(
        wrong.sdk.chat.completions.create(chat("Hi.")),
        OpenAI.AuthenticationError,
      );
      assert.equal(wrong.requests, 1);
      const refused = [
        [chat("Hi.", { n: 2 }), "n"],
        [chat("Hi.", { logprobs: true }), "logprobs"],
        [{ model: MODEL, messages: "Hi." }, "messages"],
      ];
      for (const [body, param] of refused) {
        const error = await rejection(sdk.chat.completions.create(body));
        assert.ok(error instanceof OpenAI.BadRequestError, String(error));
        assert.equal(error.param, param);
      }
      const hosted = respond("Hi.", { tools: [{ type: "web_search" }] });
      await assert.rejects(sdk.responses.create(hosted), OpenAI.BadRequestError);
      const once = clientWith({ maxRetries: 0 });
      for (const [status, kind] of [
        [404, OpenAI.NotFoundError],
        [429, OpenAI.RateLimitError],
        [529, OpenAI.InternalServerError],
      ]) {
        for (const failing of [
          () => once.sdk.chat.completions.create(chat("Hi.")),
          () => once.sdk.responses.create(respond("Hi.")),
        ]) {
          // The CLI asks once more after a 404.
          script(apiError(status), ...(status === 404 ? [apiError(status)] : []));
          const error = await rejection(failing());
          assert.ok(error instanceof kind, `${status}: ${error}`);
        }
      }
    },

    "RateLimitError for the limit of the key, with its headers": async () => {
      script("Only one.");
      const limited = clientWith({ apiKey: world.limitedKey, maxRetries: 0 });
      await limited.sdk.chat.completions.create(chat("One."));
      const error = await rejection(limited.sdk.chat.completions.create(chat("Two.")));
      assert.ok(error instanceof OpenAI.RateLimitError, String(error));
      assert.ok(Number(error.headers.get("retry-after")) > 0);
      assert.equal(error.headers.get("x-ratelimit-limit-requests"), "1");
    },

    "x-should-retry: repeated before the model worked, not after": async () => {
      const client = clientWith({ maxRetries: 5 });
      script(apiError(529), "At last.");
      const completion = await client.sdk.chat.completions.create(chat("Hi."));
      assert.equal(completion.choices[0].message.content, "At last.");
      assert.equal(client.requests, 2);
      script(...failedAnswer());
      await assert.rejects(client.sdk.chat.completions.create(chat("Hi.")), OpenAI.APIError);
      script(...failedAnswer());
      await assert.rejects(client.sdk.responses.create(respond("Hi.")), OpenAI.APIError);
      assert.equal(client.requests, 4);
    },

    "streams that fail throw and have no final answer": async () => {
      const client = clientWith({ maxRetries: 5 });
      script(...failedAnswer(), ...failedAnswer());
      const chatStream = client.sdk.chat.completions.stream(chat("Hi."));
      await assert.rejects(chatStream.finalChatCompletion(), OpenAI.OpenAIError);
      const responseStream = client.sdk.responses.stream(respond("Hi."));
      const outcome = await responseStream.finalResponse().catch((error) => error);
      if (!(outcome instanceof OpenAI.OpenAIError)) assert.equal(outcome.status, "failed");
      assert.equal(client.requests, 2);
    },

    "a stream that the CLI repeats is whole or fails": async () => {
      const { sdk: once } = clientWith({ maxRetries: 0 });
      script(...repeatedAnswer(), ...repeatedAnswer());
      const chatStream = once.chat.completions.stream(chat("Hi."));
      const completion = await chatStream.finalChatCompletion().catch(() => undefined);
      if (completion) assert.equal(completion.choices[0].message.content, "The whole answer.");
      const responseStream = once.responses.stream(respond("Hi."));
      const response = await responseStream.finalResponse().catch(() => undefined);
      if (response?.status === "completed") assert.equal(response.output_text, "The whole answer.");
    },
  };
});

function runnableTools(ran) {
  const tool = (name, field) => ({
    type: "function",
    function: {
      name,
      description: `The ${name}.`,
      parameters: {
        type: "object",
        properties: { [field]: { type: "string" } },
        required: [field],
      },
      parse: JSON.parse,
      function: async (input) => {
        ran.push(input[field]);
        return `result of ${input[field]}`;
      },
    },
  });
  return [tool("get_weather", "city"), tool("get_time", "zone")];
}

async function rejection(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new assert.AssertionError({ message: "The request was answered." });
}
