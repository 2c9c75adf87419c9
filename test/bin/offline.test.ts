import { describe, expect, it } from "vitest";
import { answerTo } from "../../src/bin/offline/brain.js";
import { sampleOf } from "../../src/bin/offline/sample.js";

describe("the simulated model of the command", () => {
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

  it("says what the tool gave, and that it has none where there is none", () => {
    const results = [{ text: "Linux\n", isError: false }];
    expect(answerTo({ prompt: "", results })).toEqual({ say: "Done. It gave:\n\nLinux" });
    expect(answerTo({ prompt: "run ls", tools: ["Read"] })).toEqual({
      say: "I have no tool Bash here. Give me one: --tools Bash",
    });
  });
});

describe("a sample of a schema", () => {
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
  ])("of %j is %j", (schema, value) => {
    expect(sampleOf(schema)).toEqual(value);
  });

  it("comes to an end where the schema does not", () => {
    const tree = { type: "object", properties: { next: { $ref: "#" } } };
    expect(JSON.stringify(sampleOf(tree))).toMatch(/^(\{"next":)+null\}+$/);
  });
});
