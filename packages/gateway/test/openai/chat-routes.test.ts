import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  always,
  apiError,
  hang,
  maxTokens,
  redactedThinking,
  refusal,
  reply,
  streamError,
  text,
  thinking,
  toolUse,
} from "hawser/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { createGateway } from "../../src/gateway.js";
import { gatewayWorld } from "../support/gateway-world.js";

const world = gatewayWorld();
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==";
const MODEL = "claude-sonnet-5";
const HI = [{ role: "user", content: "Name a knot." }];
const WEATHER = {
  type: "function",
  function: {
    name: "weather",
    description: "Tells the weather of a city.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};

interface Choice {
  readonly finish_reason: string;
  readonly message: {
    readonly content: string;
    readonly tool_calls?: readonly {
      readonly id: string;
      readonly function: { readonly arguments: string };
    }[];
  };
}

async function post(body: object) {
  const response = await world.post("/v1/chat/completions", {
    model: MODEL,
    messages: HI,
    ...body,
  });
  const json = (await response.json()) as { readonly choices: readonly [Choice] };
  return { status: response.status, headers: response.headers, json };
}

/** The data of each event, parsed. */
async function stream(body: object) {
  const response = await world.post("/v1/chat/completions", {
    model: MODEL,
    messages: HI,
    stream: true,
    ...body,
  });
  const lines = (await response.text()).split("\n\n").filter((line) => line !== "");
  return {
    status: response.status,
    headers: response.headers,
    data: lines.map((line) => line.replace(/^data: /, "")),
  };
}

function joined(data: readonly string[]): string {
  const chunks = data.filter((line) => line !== "[DONE]").map((line) => JSON.parse(line));
  return chunks.map(({ choices }) => choices?.[0]?.delta.content ?? "").join("");
}

/**
 * The gateway goes on to answer. The CLI may ask the model once more before it is interrupted, so the reply does not
 * get used up.
 */
async function answersAgain(): Promise<void> {
  world.script(always("A sheet bend."));
  expect((await post({})).json.choices[0].message.content).toBe("A sheet bend.");
}

describe("POST /v1/chat/completions", () => {
  it("answers with a text", async () => {
    world.script(
      reply("A bowline.", {
        usage: { input_tokens: 7, output_tokens: 3, cache_read_input_tokens: 2 },
      }),
    );
    const { status, json, headers } = await post({
      temperature: 0,
      messages: [{ role: "system", content: "Be brief." }, ...HI],
    });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      object: "chat.completion",
      model: MODEL,
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "A bowline.", refusal: null },
          finish_reason: "stop",
        },
      ],
      usage: {
        prompt_tokens: 9,
        completion_tokens: 3,
        total_tokens: 12,
        prompt_tokens_details: { cached_tokens: 2 },
      },
    });
    expect(headers.get("x-hawser-ignored")).toBe("temperature");
    expect(headers.get("x-request-id")).toMatch(/^req_/);
    expect(Number(headers.get("x-hawser-cost-usd"))).toBeGreaterThan(0);
    expect(world.calls[0]?.system).toContain("Be brief.");
  });

  it("streams a text and its usage", async () => {
    world.script(reply("A bowline is a knot.", { chunks: 4 }));
    const { data, headers } = await stream({ stream_options: { include_usage: true } });
    expect(headers.get("content-type")).toContain("text/event-stream");
    expect(joined(data)).toBe("A bowline is a knot.");
    expect(data.at(-1)).toBe("[DONE]");
    const usage = JSON.parse(data.at(-2) ?? "");
    expect(usage).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 10, completion_tokens: 5 },
    });
    expect(JSON.parse(data.at(-3) ?? "").choices[0].finish_reason).toBe("stop");
  });

  it("leads through three rounds of tools with parallel calls, one request to the model each", async () => {
    world.script(
      [
        text("I look."),
        toolUse("weather", { city: "Oslo" }, { id: "toolu_1" }),
        toolUse("weather", { city: "Rome" }, { id: "toolu_2" }),
      ],
      [toolUse("weather", { city: "Bonn" }, { id: "toolu_3" })],
      (call) => call.toolResults.map((result) => result.text).join(" "),
    );
    const messages: object[] = [{ role: "user", content: "Weather in three cities?" }];
    let rounds = 0;
    for (;;) {
      const { json } = await post({ messages, tools: [WEATHER] });
      rounds += 1;
      const { message, finish_reason } = json.choices[0];
      if (message.tool_calls === undefined) {
        expect(finish_reason).toBe("stop");
        expect(message.content).toContain("sun in Bonn");
        break;
      }
      expect(finish_reason).toBe("tool_calls");
      messages.push(message);
      for (const { id, function: fn } of message.tool_calls) {
        messages.push({
          role: "tool",
          tool_call_id: id,
          content: `sun in ${JSON.parse(fn.arguments).city}`,
        });
      }
    }
    expect(rounds).toBe(3);
    expect(world.calls).toHaveLength(3);
  });

  it("streams parallel tool calls with whole inputs", async () => {
    world.script(
      reply(
        [
          toolUse("weather", { city: "Oslo" }, { id: "toolu_a" }),
          toolUse("weather", { city: "Rome" }, { id: "toolu_b" }),
        ],
        { chunks: 5 },
      ),
    );
    const { data } = await stream({ tools: [WEATHER] });
    const calls: Record<number, string> = {};
    for (const line of data.slice(0, -1)) {
      for (const call of JSON.parse(line).choices[0].delta.tool_calls ?? []) {
        calls[call.index] = (calls[call.index] ?? "") + call.function.arguments;
      }
    }
    expect(calls).toEqual({ 0: '{"city":"Oslo"}', 1: '{"city":"Rome"}' });
  });

  it("shows one call with parallel_tool_calls: false", async () => {
    world.script([toolUse("weather", { city: "Oslo" }), toolUse("weather", { city: "Rome" })]);
    const { json } = await post({ tools: [WEATHER], parallel_tool_calls: false });
    const [choice] = json.choices;
    expect(choice.message.tool_calls).toHaveLength(1);
  });

  it("forces a tool by its schema", async () => {
    world.script(toolUse("StructuredOutput", { city: "Oslo" }));
    const { json } = await post({
      tools: [WEATHER],
      tool_choice: { type: "function", function: { name: "weather" } },
    });
    expect(json.choices).toMatchObject([
      {
        message: { tool_calls: [{ function: { name: "weather", arguments: '{"city":"Oslo"}' } }] },
        finish_reason: "tool_calls",
      },
    ]);
  });

  it.each([false, true])(
    "answers in the JSON of response_format (stream: %s)",
    async (isStreamed) => {
      world.script(toolUse("StructuredOutput", { knot: "bowline" }));
      const schema = {
        type: "object",
        properties: { knot: { type: "string" } },
        required: ["knot"],
        additionalProperties: false,
      };
      const response_format = {
        type: "json_schema",
        json_schema: { name: "knot", strict: true, schema },
      };
      if (isStreamed) {
        expect(JSON.parse(joined((await stream({ response_format })).data))).toEqual({
          knot: "bowline",
        });
      } else {
        const [choice] = (await post({ response_format })).json.choices;
        expect(JSON.parse(choice.message.content)).toEqual({ knot: "bowline" });
      }
    },
  );

  it("passes images on", async () => {
    world.script("A red dot.");
    const url = `data:image/png;base64,${PNG}`;
    await post({
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is it?" },
            { type: "image_url", image_url: { url } },
          ],
        },
      ],
    });
    expect(JSON.stringify(world.calls[0]?.body)).toContain('"type":"image"');
  });

  it("ends before a stop sequence", async () => {
    world.script(reply("one two END three", { chunks: 8 }));
    const { data } = await stream({ stop: ["END"] });
    expect(joined(data)).toBe("one two ");
    expect(JSON.parse(data.at(-2) ?? "").choices[0].finish_reason).toBe("stop");
  });

  it("shows thinking as reasoning_content", async () => {
    world.script([thinking("Let me think."), redactedThinking("x"), text("A bowline.")]);
    const { json } = await post({ reasoning_effort: "low" });
    expect(json.choices).toMatchObject([
      { message: { reasoning_content: "Let me think.", content: "A bowline." } },
    ]);
    expect(world.calls[0]?.body).toMatchObject({ thinking: { type: "adaptive" } });
  });

  it.each([
    ["length", maxTokens("A bow")],
    ["content_filter", refusal("")],
  ])("ends with %s", async (finish_reason, answer) => {
    world.script(always(answer));
    const { json } = await post({});
    expect(json.choices).toMatchObject([{ finish_reason }]);
    await answersAgain();
  });

  it("answers a bad request with 400 in OpenAI's shape", async () => {
    const { status, json, headers } = await post({ n: 2 });
    expect(status).toBe(400);
    expect(json).toEqual({
      error: {
        message: expect.stringContaining("`n`"),
        type: "invalid_request_error",
        param: "n",
        code: "invalid_request",
      },
    });
    expect(headers.get("x-should-retry")).toBe("false");
    expect(world.calls).toHaveLength(0);
  });

  it("answers a body that is not JSON with 400", async () => {
    const response = await world.post("/v1/chat/completions", "{");
    expect(response.status).toBe(400);
  });

  it.each([false, true])(
    "passes an error of the API on as a status (stream: %s)",
    async (isStreamed) => {
      world.script(always(apiError(401)));
      const response = await world.post("/v1/chat/completions", {
        model: MODEL,
        messages: HI,
        stream: isStreamed,
      });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({
        error: { type: "authentication_error", code: "auth" },
      });
      await answersAgain();
    },
  );

  it("ends a stream that fails in the middle with an error and without [DONE]", async () => {
    world.script(always(streamError("api_error", { message: "Broken.", after: "A bow" })));
    const { data, status } = await stream({});
    expect(status).toBe(200);
    expect(joined(data.slice(0, -1))).toBe("A bow");
    expect(data).not.toContain("[DONE]");
    expect(JSON.parse(data.at(-1) ?? "")).toMatchObject({
      error: { message: expect.any(String), type: "server_error" },
    });
    await answersAgain();
  });

  it("ends the work if the client leaves, and hands the process on", async () => {
    world.script(hang("A bow"));
    const body = { model: MODEL, messages: HI, stream: true };
    const response = await world.post("/v1/chat/completions", body);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let read = ""; !read.includes("A bow"); ) read += (await reader?.read())?.value ?? "";
    await reader?.cancel();
    // The pool has one process, so the next request waits until it is free.
    await answersAgain();
    expect(world.pool.stats().calls.running).toBe(0);
  });

  it("fetches the URL of an image if fetchUrls is set", async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { "content-type": "image/png" }).end(Buffer.from(PNG, "base64"));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const part = { type: "image_url", image_url: { url: `http://127.0.0.1:${port}/a.png` } };
    const messages = [{ role: "user", content: [part] }];
    const refused = await post({ messages });
    expect(refused.status).toBe(400);
    expect(refused.json).toMatchObject({
      error: { param: "messages[0].content[0].image_url.url" },
    });

    world.script("A red dot.");
    const options = {
      fetchUrls: { allows: () => true },
      pool: world.pool,
      options: world.cliOptions,
    };
    const gateway = createGateway(options);
    onTestFinished(() => gateway.close());
    const response = await gateway.fetch(
      new Request("http://localhost/v1/chat/completions", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: MODEL, messages }),
      }),
    );
    expect(response.status).toBe(200);
    expect(JSON.stringify(world.calls[0]?.body)).toContain('"type":"image"');
  });
});
