import { describe, expect, it } from "vitest";
import { sampleValue } from "../../src/bin/offline/sample-value.js";
import { answerTo } from "../../src/bin/offline/scripted-model.js";
import { replyTo } from "../../src/bin/offline/world.js";
import * as testing from "../../src/testing/index.js";

describe("answerTo()", () => {
  it.each([
    [
      "run uname -a",
      { use: "Bash", input: { command: "uname -a", description: expect.any(String) } },
    ],
    ["read a b.txt", { use: "Read", input: { file_path: "a b.txt" } }],
    [
      "write a.txt: one\ntwo",
      { use: "Write", input: { file_path: "a.txt", content: "one\ntwo\n" } },
    ],
    ["write a.txt", { use: "Write", input: { file_path: "a.txt", content: "\n" } }],
    ["count to 3", { say: "1 2 3", slowly: true }],
    ["What is a bowline?", { say: expect.stringContaining("a loop") }],
    ["Hello", { say: expect.stringMatching(/^Hello! .* You said: Hello$/) }],
  ])("answers %j", (prompt, answer) => {
    expect(answerTo({ prompt })).toEqual(answer);
  });

  it("repeats the result of a tool, and says if the tool is not there", () => {
    const results = [{ text: "Linux\n", isError: false }];
    expect(answerTo({ prompt: "", results })).toEqual({ say: "Done. It gave:\n\nLinux" });
    expect(answerTo({ prompt: "run ls", tools: ["Read"] })).toEqual({
      say: "I have no tool Bash here. Give me one: --tools Bash",
    });
  });
});

describe("replyTo()", () => {
  const asked = (prompt: string) => {
    const body = { messages: [{ role: "user", content: prompt }] };
    return { prompt, body, tools: [], toolResults: [] } as unknown as testing.RecordedRequest;
  };

  it("takes the given time for each word, and none if that is 0", () => {
    const pace = (prompt: string, wordMs: number) => {
      const { options } = replyTo(asked(prompt), wordMs, testing) as testing.MessageReply;
      return [options.chunks, options.chunkDelayMs];
    };
    expect(pace("What is a clove hitch?", 15)).toEqual([9, 15]);
    expect(pace("What is a clove hitch?", 0)).toEqual([9, 0]);
    expect(pace("count to 3", 0)).toEqual([3, 100]);
  });

  it("uses no tokens, because the CLI computes a price for them", () => {
    for (const prompt of ["hello", "run ls"]) {
      expect(replyTo(asked(prompt), 0, testing)).toMatchObject({
        options: { usage: { input_tokens: 0, output_tokens: 0 } },
      });
    }
  });
});

describe("sampleValue()", () => {
  it.each([
    [{ type: "string" }, "sample"],
    [{ type: "string", minLength: 8 }, "sample.."],
    [{ type: "string", format: "date" }, "2026-01-31"],
    [{ enum: ["a", "b"] }, "a"],
    [{ const: 7 }, 7],
    [{ type: "integer", minimum: 5 }, 5],
    [{ type: "number", maximum: 0.5 }, 0.5],
    [{ type: ["null", "string"] }, null],
    [{ anyOf: [{ type: "boolean" }] }, true],
    [{ type: "array", items: { type: "integer" }, minItems: 2 }, [1, 1]],
    [
      { allOf: [{ properties: { a: { const: 1 } } }, { properties: { b: { const: 2 } } }] },
      { a: 1, b: 2 },
    ],
    [{ $ref: "#/$defs/x", $defs: { x: { const: "there" } } }, "there"],
    [true, null],
  ])("returns for %j the value %j", (schema, value) => {
    expect(sampleValue(schema)).toEqual(value);
  });

  it("ends for a recursive schema", () => {
    const tree = { type: "object", properties: { next: { $ref: "#" } } };
    expect(JSON.stringify(sampleValue(tree))).toMatch(/^(\{"next":)+null\}+$/);
  });
});
