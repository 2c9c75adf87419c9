import { generateText } from "ai";
import { redactedThinking, reply, thinking } from "hawser/testing";
import { describe, expect, it } from "vitest";
import { aiWorld } from "../support/ai-world.js";
import { PIXEL } from "../support/pixel.js";

const world = aiWorld();

describe("generateText() on hawser", () => {
  it("answers with the text, the usage, the finish reason and the facts of the call", async () => {
    world.script(
      reply("A bowline.", {
        usage: {
          input_tokens: 10,
          output_tokens: 5,
          cache_read_input_tokens: 7,
          cache_creation_input_tokens: 3,
        },
      }),
    );
    const result = await generateText({
      model: world.model(),
      instructions: "Know knots.",
      prompt: "Name a knot.",
    });
    expect(result.text).toBe("A bowline.");
    expect(result.finishReason).toBe("stop");
    expect(result.rawFinishReason).toBe("end_turn");
    expect(result.usage).toMatchObject({
      inputTokens: 20,
      inputTokenDetails: { noCacheTokens: 10, cacheReadTokens: 7, cacheWriteTokens: 3 },
      outputTokens: 5,
      totalTokens: 25,
    });
    expect(result.warnings ?? []).toEqual([]);
    expect(result.response).toMatchObject({ id: expect.stringMatching(/^msg_/) });
    expect(result.response.modelId).toContain("sonnet");
    expect(result.providerMetadata?.["hawser"]).toMatchObject({
      sessionId: expect.any(String),
      costUsd: expect.any(Number),
      timing: { totalMs: expect.any(Number), firstTokenMs: expect.any(Number) },
      credential: "apiKey",
      permissionDenials: [],
      stop: "completed",
      turns: 1,
    });
    expect(world.calls).toHaveLength(1);
    expect(world.calls[0]?.system).toContain("Know knots.");
    expect(world.calls[0]?.tools).toEqual([]);
  });

  it("sends the conversation as messages, with images and PDF", async () => {
    world.script("Yes.");
    await generateText({
      model: world.model(),
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "file", mediaType: "image/png", data: Buffer.from(PIXEL, "base64") },
            {
              type: "file",
              mediaType: "application/pdf",
              filename: "a.pdf",
              data: Buffer.from("%PDF-1.4"),
            },
          ],
        },
        { role: "assistant", content: [{ type: "text", text: "A knot." }] },
        { role: "user", content: "Sure?" },
      ],
    });
    const { messages } = world.asked(0);
    const own = messages.filter(({ role }) => role !== "system");
    expect(own.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(own[0]?.content).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: "text", text: "What is this?" }),
        expect.objectContaining({
          type: "image",
          source: { type: "base64", media_type: "image/png", data: PIXEL },
        }),
        expect.objectContaining({
          type: "document",
          title: "a.pdf",
          source: {
            type: "base64",
            media_type: "application/pdf",
            data: Buffer.from("%PDF-1.4").toString("base64"),
          },
        }),
      ]),
    );
  });

  it("shows reasoning, and takes it back with its signature in the next call", async () => {
    world.script([
      thinking("Hm.", { signature: "c2ln" }),
      redactedThinking("ZGF0YQ=="),
      "A bowline.",
    ]);
    const first = await generateText({
      model: world.model(),
      prompt: "Name a knot.",
      reasoning: "medium",
    });
    expect(first.reasoningText).toBe("Hm.");
    expect(first.warnings ?? []).toEqual([]);
    const { thinking: asked, output_config } = world.asked();
    expect(asked).toMatchObject({ type: "adaptive" });
    expect(output_config?.effort).toBe("medium");

    world.script("A sheet bend.");
    const second = await generateText({
      model: world.model(),
      reasoning: "medium",
      messages: [
        { role: "user", content: "Name a knot." },
        ...first.response.messages,
        { role: "user", content: "Another." },
      ],
    });
    expect(second.warnings ?? []).toEqual([]);
    const { messages } = world.asked(1);
    expect(messages.find(({ role }) => role === "assistant")?.content).toMatchObject([
      { type: "thinking", thinking: "Hm.", signature: "c2ln" },
      { type: "redacted_thinking", data: "ZGF0YQ==" },
      { type: "text", text: "A bowline." },
    ]);
  });

  it("does not think unless it is asked to", async () => {
    world.script("A bowline.");
    // The models behind the aliases always think, and the CLI knows that.
    const model = world.model("claude-haiku-4-5");
    await generateText({ model, prompt: "Name a knot.", reasoning: "none" });
    const { thinking: asked } = world.asked();
    expect(asked).toEqual({ type: "disabled" });
  });

  it("serves a second call by the same process, without a word of the first", async () => {
    world.script("One.", "Two.");
    await generateText({ model: world.model(), prompt: "The word is heron." });
    await world.settled();
    const { started } = world.pool.stats().processes;
    await generateText({ model: world.model(), prompt: "Which word?" });
    expect(JSON.stringify(world.calls[1]?.body)).not.toContain("heron");
    expect(world.pool.stats().processes.started).toBe(started);
  });
});
