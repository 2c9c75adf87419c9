import { Output, streamText } from "ai";
import { hang, toolUse } from "hawser/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { aiWorld } from "../support/ai-world.js";

const world = aiWorld();

// Texts (#77) and objects (#78) came as a whole, at the end.
describe("ai-sdk-provider-claude-code #77 and #78", () => {
  it("shows a text while the model still writes it", async () => {
    // The model never finishes this answer, so that whatever is seen was streamed.
    world.script(hang("A bowline is a knot."));
    const abort = new AbortController();
    const { textStream } = streamText({
      model: world.model(),
      prompt: "Name a knot.",
      abortSignal: abort.signal,
    });
    let seen = "";
    for await (const piece of textStream) {
      seen += piece;
      abort.abort();
    }
    expect("A bowline is a knot.".startsWith(seen)).toBe(true);
    expect(seen).not.toBe("");
  });

  it("shows an object while the model still writes it", async () => {
    world.script(
      hang(toolUse("StructuredOutput", { knot: "bowline", use: "a loop at the end of a rope" })),
    );
    const abort = new AbortController();
    const { partialOutputStream } = streamText({
      model: world.model(),
      prompt: "Name a knot.",
      output: Output.object({ schema: z.object({ knot: z.string(), use: z.string() }) }),
      abortSignal: abort.signal,
    });
    const seen: unknown[] = [];
    for await (const partial of partialOutputStream) {
      seen.push(partial);
      abort.abort();
    }
    expect(seen[0]).toMatchObject({ knot: expect.stringMatching(/^bowline/) });
  });
});
