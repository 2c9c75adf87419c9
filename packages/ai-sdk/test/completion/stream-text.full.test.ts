import { getEventListeners } from "node:events";
import { generateText, smoothStream, streamText } from "ai";
import {
  always,
  hang,
  maxTokens,
  refusal,
  reply,
  streamError,
  thinking,
  toolUse,
} from "hawser/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { aiWorld } from "../support/ai-world.js";

const world = aiWorld({ env: { extra: { CLAUDE_CODE_MAX_RETRIES: "0" } } });

function partsOf(at = 0) {
  return world.streams[at]?.parts ?? [];
}

describe("streamText() on hawser", () => {
  it("streams the text in the pieces of the model", async () => {
    world.script(reply("A bowline holds.", { chunks: 4 }));
    const { textStream, usage, finishReason, providerMetadata } = streamText({
      model: world.model(),
      prompt: "Name a knot.",
    });
    const pieces: string[] = [];
    for await (const piece of textStream) pieces.push(piece);
    expect(pieces.join("")).toBe("A bowline holds.");
    expect(pieces.length).toBe(4);
    expect(await finishReason).toBe("stop");
    expect(await usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
    expect((await providerMetadata)?.["hawser"]).toMatchObject({ stop: "completed" });
    expect(partsOf().map(({ type }) => type)).toEqual([
      "stream-start",
      "response-metadata",
      "text-start",
      ...Array<string>(4).fill("text-delta"),
      "text-end",
      "finish",
    ]);
  });

  it("streams reasoning before the text", async () => {
    world.script([thinking("Hm.", { signature: "c2ln" }), "A bowline."]);
    const result = streamText({ model: world.model(), prompt: "Name a knot.", reasoning: "high" });
    expect(await result.reasoningText).toBe("Hm.");
    expect(await result.text).toBe("A bowline.");
    expect(partsOf()).toContainEqual({
      type: "reasoning-end",
      id: "0",
      providerMetadata: { hawser: { signature: "c2ln" } },
    });
  });

  it("streams the input of a tool call", async () => {
    world.script(reply([toolUse("tie", { knot: "bowline" })], { chunks: 3 }), "Tied.");
    const result = streamText({
      model: world.model(),
      prompt: "Tie one.",
      tools: { tie: { inputSchema: z.object({ knot: z.string() }) } },
    });
    await result.consumeStream();
    const types = partsOf().map(({ type }) => type);
    expect(types.filter((type) => type === "tool-input-delta").length).toBeGreaterThan(1);
    expect(await result.toolCalls).toMatchObject([{ toolName: "tie", input: { knot: "bowline" } }]);
    expect(await result.finishReason).toBe("tool-calls");
  });

  it("ends at a stop sequence, with a warning", async () => {
    world.script(reply("One. END Two.", { chunks: 5 }));
    const result = streamText({ model: world.model(), prompt: "Count.", stopSequences: ["END"] });
    expect(await result.text).toBe("One. ");
    expect(await result.finishReason).toBe("stop");
    expect(await result.rawFinishReason).toBe("stop_sequence");
    expect(await result.warnings).toMatchObject([
      { type: "compatibility", feature: "stopSequences" },
    ]);
    expect((await result.providerMetadata)?.["hawser"]).toEqual({ stopSequence: "END" });
  });

  it("finishes with length at the output limit, and with content-filter after a refusal", async () => {
    // The CLI would ask the model to continue.
    world.script(always(maxTokens("A bowl")));
    const long = streamText({ model: world.model(), prompt: "Name a knot." });
    expect(await long.text).toBe("A bowl");
    expect(await long.finishReason).toBe("length");
    await world.settled();
    // The CLI would ask once more.
    world.script(always(refusal("I can not.")));
    const refused = streamText({ model: world.model(), prompt: "Name a knot." });
    expect(await refused.finishReason).toBe("content-filter");
  });

  it("gives the messages of the CLI as raw chunks if they are asked for", async () => {
    world.script("A bowline.");
    const result = streamText({
      model: world.model(),
      prompt: "Name a knot.",
      include: { rawChunks: true },
    });
    await result.consumeStream();
    const raw = partsOf().flatMap((part) => (part.type === "raw" ? [part.rawValue] : []));
    expect(raw).toContainEqual(expect.objectContaining({ type: "stream_event" }));
    expect(raw).toContainEqual(expect.objectContaining({ type: "result" }));
  });

  it("reports an error after the beginning as an error part, and finishes", async () => {
    // The CLI would repeat the request without streaming.
    world.script(always(streamError("overloaded_error", { after: "A bowl" })));
    const errors: unknown[] = [];
    const result = streamText({
      model: world.model(),
      prompt: "Name a knot.",
      onError: ({ error }) => void errors.push(error),
    });
    await result.consumeStream();
    expect(errors).toMatchObject([{ name: "AI_APICallError" }]);
    expect(partsOf().at(-1)).toMatchObject({ type: "finish", finishReason: { unified: "error" } });
  });

  it("hands the process on after an abort in mid-stream", async () => {
    world.script(hang("A bowline is"), "A sheet bend.");
    const controller = new AbortController();
    const result = streamText({
      model: world.model(),
      prompt: "Name a knot.",
      abortSignal: controller.signal,
    });
    const seen: string[] = [];
    for await (const part of result.fullStream) {
      seen.push(part.type);
      if (part.type === "text-delta") controller.abort(new Error("The user left."));
    }
    expect(seen.at(-1)).toBe("abort");
    await world.settled();
    const { started } = world.pool.stats().processes;
    const { text } = await generateText({ model: world.model(), prompt: "Another." });
    expect(text).toBe("A sheet bend.");
    expect(world.pool.stats().processes.started).toBe(started);
  });

  it("stops the model when the stream is cancelled", async () => {
    world.script(hang("A bowline is"));
    const { stream } = await world.hawser("sonnet").doStream({
      prompt: [{ role: "user", content: [{ type: "text", text: "Name a knot." }] }],
    });
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel();
    await world.settled();
  });

  it("fails a stream with the reason of the signal, and leaves no listener on it", async () => {
    world.script(hang("A bowline is"));
    const controller = new AbortController();
    const { stream } = await world.hawser("sonnet").doStream({
      prompt: [{ role: "user", content: [{ type: "text", text: "Name a knot." }] }],
      abortSignal: controller.signal,
    });
    const reason = new Error("The user left.");
    const drained = (async () => {
      for await (const part of stream) if (part.type === "text-delta") controller.abort(reason);
    })();
    expect(getEventListeners(controller.signal, "abort").length).toBeGreaterThan(0);
    await expect(drained).rejects.toBe(reason);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("works with smoothStream()", async () => {
    world.script("A bowline holds well.");
    const result = streamText({
      model: world.model(),
      prompt: "Name a knot.",
      experimental_transform: smoothStream({ delayInMs: null }),
    });
    expect(await result.text).toBe("A bowline holds well.");
  });
});
