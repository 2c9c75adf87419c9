import { generateText, Output, streamText, tool } from "ai";
import { always, maxTokens, reply, thinking, toolUse } from "hawser/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { aiWorld } from "../support/ai-world.js";

const world = aiWorld();

const knot = z.object({ name: z.string(), strands: z.number() });
const bowline = { name: "bowline", strands: 1 };

const OUTPUTS = [
  { name: "object", output: Output.object({ schema: knot }), said: bowline, value: bowline },
  {
    name: "array",
    output: Output.array({ element: knot }),
    said: { elements: [bowline, { name: "sheet bend", strands: 2 }] },
    value: [bowline, { name: "sheet bend", strands: 2 }],
  },
  {
    name: "choice",
    output: Output.choice({ options: ["bend", "hitch"] }),
    said: { result: "hitch" },
    value: "hitch",
  },
] as const;

describe("Output of the AI SDK on hawser", () => {
  it.each(OUTPUTS)(
    "Output.$name: generateText() gives the checked value",
    async ({ output, said, value }) => {
      world.script(toolUse("StructuredOutput", said));
      const result = await generateText({
        model: world.model(),
        prompt: "Name a knot.",
        output: output as never,
      });
      expect(result.output).toEqual(value);
      expect(result.finishReason).toBe("stop");
      expect(result.warnings ?? []).toEqual([]);
    },
  );

  it.each(OUTPUTS)(
    "Output.$name: streamText() shows the value while the model writes it",
    async ({ output, said, value }) => {
      world.script(reply(toolUse("StructuredOutput", said), { chunks: 6 }));
      const result = streamText({
        model: world.model(),
        prompt: "Name a knot.",
        output: output as never,
      });
      const partials: unknown[] = [];
      for await (const partial of result.partialOutputStream) partials.push(partial);
      expect(partials.length).toBeGreaterThan(0);
      expect(await result.output).toEqual(value);
      const deltas = world.streams[0]?.parts.filter(({ type }) => type === "text-delta") ?? [];
      expect(deltas.length).toBeGreaterThan(1);
    },
  );

  it("Output.json: generateText() and streamText() give JSON without a schema, with a warning", async () => {
    world.script('Here:\n```json\n{"a":1}\n```');
    const result = await generateText({
      model: world.model(),
      prompt: "JSON.",
      output: Output.json(),
    });
    expect(result.output).toEqual({ a: 1 });
    expect(result.warnings).toMatchObject([{ type: "compatibility", feature: "responseFormat" }]);
    await world.settled();

    world.script(reply('{"a":[1,2,3],"b":"c"}', { chunks: 6 }));
    const streamed = streamText({ model: world.model(), prompt: "JSON.", output: Output.json() });
    const partials: unknown[] = [];
    for await (const partial of streamed.partialOutputStream) partials.push(partial);
    expect(partials.length).toBeGreaterThan(1);
    expect(await streamed.output).toEqual({ a: [1, 2, 3], b: "c" });
    await world.settled();

    world.script(reply('Here:\n```json\n{"a":1}\n```', { chunks: 3 }));
    const fenced = streamText({ model: world.model(), prompt: "JSON.", output: Output.json() });
    expect(await fenced.output).toEqual({ a: 1 });
  });

  it("lets the model repair a value that was not shown", async () => {
    world.script(
      toolUse("StructuredOutput", { name: 1, strands: 1 }),
      toolUse("StructuredOutput", bowline),
    );
    const { output } = await generateText({
      model: world.model(),
      prompt: "Name a knot.",
      output: Output.object({ schema: knot }),
    });
    expect(output).toEqual(bowline);
    expect(world.calls).toHaveLength(2);
  });

  it("fails a stream with structured_output if the value had to be repaired after a part was shown", async () => {
    world.script(
      toolUse("StructuredOutput", { name: 1, strands: 1 }),
      toolUse("StructuredOutput", bowline),
    );
    const errors: unknown[] = [];
    const result = streamText({
      model: world.model(),
      prompt: "Name a knot.",
      output: Output.object({ schema: knot }),
      onError: ({ error }) => void errors.push(error),
    });
    await result.consumeStream();
    expect(errors).toMatchObject([
      {
        name: "AI_APICallError",
        statusCode: 422,
        cause: { code: "structured_output", partialText: '{"name":1,"strands":1}' },
      },
    ]);
  });

  it("shows the repaired value as a whole with partialObjects: false", async () => {
    world.script(
      toolUse("StructuredOutput", { name: 1, strands: 1 }),
      toolUse("StructuredOutput", bowline),
    );
    const result = streamText({
      model: world.model(),
      prompt: "Name a knot.",
      output: Output.object({ schema: knot }),
      providerOptions: { hawser: { partialObjects: false } },
    });
    expect(await result.output).toEqual(bowline);
    const deltas = world.streams[0]?.parts.filter(({ type }) => type === "text-delta");
    expect(deltas).toHaveLength(1);
  });

  it("hides what the model says beside the value, and shows its reasoning", async () => {
    world.script([thinking("Hm."), "Here it is:", toolUse("StructuredOutput", bowline)]);
    const result = streamText({
      model: world.model(),
      prompt: "Name a knot.",
      reasoning: "low",
      output: Output.object({ schema: knot }),
    });
    expect(await result.output).toEqual(bowline);
    expect(await result.text).toBe(JSON.stringify(bowline));
    expect(await result.reasoningText).toBe("Hm.");
  });

  it("shows the reasoning of an answer that is not streamed", async () => {
    world.script([thinking("Hm.", { signature: "c2ln" }), toolUse("StructuredOutput", bowline)]);
    const result = await generateText({
      model: world.model(),
      prompt: "Name a knot.",
      reasoning: "low",
      output: Output.object({ schema: knot }),
    });
    expect(result.output).toEqual(bowline);
    expect(result.reasoning).toMatchObject([
      { text: "Hm.", providerMetadata: { hawser: { signature: "c2ln" } } },
    ]);
  });

  it("shows the reasoning before JSON without a schema that is not streamed", async () => {
    world.script([thinking("Hm.", { signature: "c2ln" }), JSON.stringify(bowline)]);
    const result = await generateText({
      model: world.model(),
      prompt: "Name a knot.",
      reasoning: "low",
      output: Output.json(),
    });
    expect(result.output).toEqual(bowline);
    expect(result.content).toMatchObject([
      { type: "reasoning", text: "Hm.", providerMetadata: { hawser: { signature: "c2ln" } } },
      { type: "text" },
    ]);
  });

  it("gives tools and a value together", async () => {
    world.script(
      ["Wait.", toolUse("measure", { name: "bowline" })],
      toolUse("StructuredOutput", bowline),
    );
    const measure = tool({
      inputSchema: z.object({ name: z.string() }),
      execute: () => "1 strand",
    });
    const result = streamText({
      model: world.model(),
      prompt: "Name a knot.",
      tools: { measure },
      output: Output.object({ schema: knot }),
      stopWhen: ({ steps }) => steps.length === 2,
    });
    expect(await result.output).toEqual(bowline);
    expect(world.calls[1]?.toolResults).toMatchObject([{ text: "1 strand" }]);
  });

  it("finishes with length if the model stops at the output limit while it writes the value", async () => {
    world.script(always(maxTokens(toolUse("StructuredOutput", bowline))));
    const result = streamText({
      model: world.model(),
      prompt: "Name a knot.",
      output: Output.object({ schema: knot }),
    });
    await result.consumeStream();
    expect(await result.finishReason).toBe("length");
  });

  it("shows a union at the root as a whole, because the model writes it inside an object", async () => {
    world.script(reply(toolUse("StructuredOutput", { value: "bowline" }), { chunks: 4 }));
    const { stream } = await world.model().doStream({
      prompt: [{ role: "user", content: [{ type: "text", text: "Name a knot." }] }],
      responseFormat: { type: "json", schema: { anyOf: [{ type: "string" }, { type: "number" }] } },
    });
    const texts: string[] = [];
    for await (const part of stream) if (part.type === "text-delta") texts.push(part.delta);
    expect(texts).toEqual(['"bowline"']);
  });
});
