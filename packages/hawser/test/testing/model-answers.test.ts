import { describe, expect, it } from "vitest";
import {
  maxTokens,
  redactedThinking,
  refusal,
  reply,
  SimulatedModel,
  thinking,
  toolUse,
} from "../../src/testing/index.js";
import { fc } from "../support/fc.js";
import { events, post, type Said, stream } from "./http-client.helper.js";

describe("SimulatedModel streamed answer", () => {
  it("has the bytes of the Messages API", async () => {
    await using model = await SimulatedModel.start({
      replies: [reply("Hé", { id: "msg_1", chunks: 2, usage: { output_tokens: 9 } })],
    });
    const response = await stream(model);
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("request-id")).toMatch(/^req_/);
    expect(await response.text()).toBe(
      [
        'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":1}}}',
        'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
        'event: ping\ndata: {"type":"ping"}',
        'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"H"}}',
        'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"é"}}',
        'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}',
        'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":9}}',
        'event: message_stop\ndata: {"type":"message_stop"}',
        "",
      ].join("\n\n"),
    );
  });

  it("streams thinking with its signature, and the input of a tool as JSON text", async () => {
    await using model = await SimulatedModel.start({
      replies: [
        [
          thinking("hm", { signature: "sig" }),
          redactedThinking("xyz"),
          toolUse("Bash", { command: "ls" }, { id: "toolu_1" }),
        ],
      ],
    });
    const sent = events(await (await stream(model)).text()).slice(1);
    expect(sent).toEqual([
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "thinking", thinking: "", signature: "" },
      },
      { type: "ping" },
      {
        type: "content_block_delta",
        index: 0,
        delta: { type: "thinking_delta", thinking: "hm" },
      },
      {
        type: "content_block_delta",
        index: 0,
        delta: { type: "signature_delta", signature: "sig" },
      },
      { type: "content_block_stop", index: 0 },
      {
        type: "content_block_start",
        index: 1,
        content_block: { type: "redacted_thinking", data: "xyz" },
      },
      { type: "content_block_stop", index: 1 },
      {
        type: "content_block_start",
        index: 2,
        content_block: { type: "tool_use", id: "toolu_1", name: "Bash", input: {} },
      },
      {
        type: "content_block_delta",
        index: 2,
        delta: { type: "input_json_delta", partial_json: '{"command":"ls"}' },
      },
      { type: "content_block_stop", index: 2 },
      {
        type: "message_delta",
        delta: { stop_reason: "tool_use", stop_sequence: null },
        usage: { output_tokens: 5 },
      },
      { type: "message_stop" },
    ]);
  });

  it("joins to the text, for any number of chunks", async () => {
    const answers = fc.array(
      fc.record({ said: fc.string({ unit: "grapheme" }), chunks: fc.integer({ min: 1, max: 30 }) }),
      { minLength: 1, maxLength: 5 },
    );
    await fc.assert(
      fc.asyncProperty(answers, async (parts) => {
        await using model = await SimulatedModel.start({
          replies: parts.map(({ said, chunks }) => reply(said, { chunks })),
        });
        for (const { said, chunks } of parts) {
          const sent = events(await (await stream(model)).text());
          const pieces = sent.flatMap((event) => event.delta?.text ?? []);
          expect(pieces.join("")).toBe(said);
          expect(pieces.length).toBeLessThanOrEqual(chunks);
          expect(pieces.map((piece) => Buffer.from(piece).toString())).toEqual(pieces);
        }
      }),
      { numRuns: 30 },
    );
  });

  it("waits chunkDelayMs between its chunks", async () => {
    await using model = await SimulatedModel.start({
      replies: [reply("abc", { chunks: 3, chunkDelayMs: 50, delayMs: 50 })],
    });
    const before = performance.now();
    await (await stream(model)).text();
    expect(performance.now() - before).toBeGreaterThan(140);
  });
});

describe("SimulatedModel answer without streaming", () => {
  it("is one JSON message", async () => {
    await using model = await SimulatedModel.start({
      replies: [
        reply(["Hi", toolUse("Read", { file_path: "/f" }, { id: "toolu_9" })], {
          id: "msg_2",
          model: "other",
          usage: { input_tokens: 3 },
        }),
      ],
    });
    expect(await (await post(model)).json()).toEqual({
      id: "msg_2",
      type: "message",
      role: "assistant",
      model: "other",
      content: [
        { type: "text", text: "Hi" },
        { type: "tool_use", id: "toolu_9", name: "Read", input: { file_path: "/f" } },
      ],
      stop_reason: "tool_use",
      stop_sequence: null,
      usage: {
        input_tokens: 3,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 5,
      },
    });
  });

  it("has the stop reason of a refusal and of the output limit", async () => {
    await using model = await SimulatedModel.start({ replies: [refusal("no"), maxTokens("lo")] });
    expect(await (await post(model)).json()).toMatchObject({ stop_reason: "refusal" });
    expect(await (await post(model)).json()).toMatchObject({ stop_reason: "max_tokens" });
  });
});

it("two SimulatedModel servers run side by side and create no id twice", async () => {
  await using one = await SimulatedModel.start({ replies: () => toolUse("Bash") });
  await using two = await SimulatedModel.start({ replies: () => toolUse("Bash") });
  const answers = (await Promise.all(
    [one, one, two, two].map(async (model) => (await post(model)).json()),
  )) as Said[];
  const ids = answers.flatMap((answer) => [answer.id, answer.content[0]?.id]);
  expect(new Set(ids).size).toBe(8);
});
