import { generateText, type ModelMessage } from "ai";
import { describe, expect, it } from "vitest";
import { aiWorld } from "../support/ai-world.js";

const world = aiWorld();

// Every turn of a chat started a process of its own.
describe("ai-sdk-provider-claude-code #83", () => {
  it("serves all turns of a chat by one process", async () => {
    world.script("One.", "Two.", "Three.", "Four.");
    const messages: ModelMessage[] = [];
    for (const word of ["first", "second", "third", "fourth"]) {
      messages.push({ role: "user", content: word });
      const { response } = await generateText({ model: world.model(), messages });
      messages.push(...response.messages);
      await world.settled();
    }
    expect(world.pool.stats().processes.started).toBe(1);
    const last = world.asked(3).messages.filter(({ role }) => role !== "system");
    expect(last.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
  });
});
