import { stepCountIs, streamText, tool } from "ai";
import { reply, toolUse } from "hawser/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { aiWorld } from "../support/ai-world.js";

const world = aiWorld();

// Texts were open when tools began (#95), streams stayed open (#102, #109), and `text-end` came twice (#124).
describe("ai-sdk-provider-claude-code #95, #102, #109 and #124", () => {
  it("closes each text once, before the tool that follows it", async () => {
    world.script(
      reply(["Let me tie.", toolUse("tie", { knot: "bowline" })], { chunks: 2 }),
      "Tied.",
    );
    const tie = tool({ inputSchema: z.object({ knot: z.string() }), execute: () => "ok" });
    const result = streamText({
      model: world.model(),
      prompt: "Tie a knot.",
      tools: { tie },
      stopWhen: stepCountIs(2),
    });
    await result.consumeStream();
    const types = world.streams[0]?.parts.map(({ type }) => type) ?? [];
    expect(types.filter((type) => type === "text-end")).toHaveLength(1);
    expect(types.indexOf("text-end")).toBeLessThan(types.indexOf("tool-input-start"));
  });

  it("closes the stream directly after finish", async () => {
    world.script("A bowline.");
    const { stream } = await world.model().doStream({
      prompt: [{ role: "user", content: [{ type: "text", text: "Name a knot." }] }],
    });
    const reader = stream.getReader();
    let last: string | undefined;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      last = value.type;
    }
    expect(last).toBe("finish");
    await reader.closed;
  });
});
