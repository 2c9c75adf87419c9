import { describe, expect, it } from "vitest";
import { isHawserError } from "../../src/base/index.js";
import { extractJson, stripFence } from "../../src/complete/parse/extract-json.js";
import { fc } from "../support/fc.js";

function lines(...each: string[]): string {
  return each.join("\n");
}

describe("extractJson()", () => {
  it.each<[string, string, unknown]>([
    ["bare JSON", '{"a":1}', { a: 1 }],
    ["a bare scalar", " 42\n", 42],
    ["a bare string with braces in it", '"{1}"', "{1}"],
    ["a byte order mark", '\uFEFF{"a":1}', { a: 1 }],
    ["a fence", lines("```json", '{"a":1}', "```"), { a: 1 }],
    ["a fence with Windows line ends", '```json\r\n{"a":1}\r\n```\r\n', { a: 1 }],
    ["a fence without a language", lines("```", "[1]", "```"), [1]],
    ["a fence of tildes", lines("~~~ json title=x", "[1]", "~~~"), [1]],
    ["a scalar in a fence", lines("It is:", "```", "true", "```"), true],
    ["an indented fence", lines("1. So:", "   ```json", '   {"a":1}', "   ```"), { a: 1 }],
    ["only an opening fence", lines("Sure:", "```json", '{"a":1}'), { a: 1 }],
    ["an open fence with words after it", lines("```json", '{"a":1}', "", "Done."), { a: 1 }],
    ["a fence within a line", 'So ```{"a":1}``` it is.', { a: 1 }],
    ["words around", 'The answer is {"a":[1,{"b":"}"}]}. Enjoy!', { a: [1, { b: "}" }] }],
    ["braces in the words before", 'Fill {name} and {{x}}: {"a":1}', { a: 1 }],
    ["a quote in the words before", 'A 3" pipe, {"a":1}', { a: 1 }],
    ["an unfinished value before", '{"a": [1, 2 … no: {"a":1}', { a: 1 }],
    ["a brace in the words before", 'Between { and [ comes {"a":1}', { a: 1 }],
    ["a footnote before", 'By [1] it is {"a":1}.', { a: 1 }],
    ["an array in words", "Take [1, 2, 3].", [1, 2, 3]],
    [
      "fences within a string",
      lines("```json", JSON.stringify({ a: "x\n```json\n{}\n```\n" }), "```"),
      { a: "x\n```json\n{}\n```\n" },
    ],
    [
      "the JSON fence among others",
      lines("```json", '{"a":1}', "```", "Use it so:", "```ts", "[2]", "```"),
      { a: 1 },
    ],
    [
      "the last of several JSON fences",
      lines("```json", '{"a":1}', "```", "No, wait:", "```JSON", '{"a":2}', "```"),
      { a: 2 },
    ],
    [
      "the last JSON fence that is JSON",
      lines("```json", '{"a":1}', "```", "Its form:", "```json", '{"a": …}', "```"),
      { a: 1 },
    ],
    [
      "JSON in a fence of Markdown",
      lines("```markdown", "# Result", "```json", '{"a":1}', "```", "```"),
      { a: 1 },
    ],
  ])("takes a value out of %s", (_, text, value) => {
    expect(extractJson(text)).toEqual(value);
  });

  it.each([
    ["an empty text", ""],
    ["words", "I cannot say."],
    ["a scalar in words", "The answer is 42."],
    ["a trailing comma", '{"a":{"b":1},}'],
    ["a trailing comma in a fence", lines("```json", '[{"a":1},]', "```")],
    ["a comment", lines("```json", "{ // so", '"a": {"b":1} }', "```")],
    ["code", 'f({ ...rest, "a": {"b":1} })'],
    ["a value that is cut off", 'So: {"a":{"b":1},"c":["d'],
  ])("throws if there is no value in %s", (_, text) => {
    let thrown: unknown;
    try {
      extractJson(text);
    } catch (error) {
      thrown = error;
    }
    expect(isHawserError(thrown, "structured_output")).toBe(true);
    expect(thrown).toMatchObject({
      message: "The text holds no JSON value.",
      hint: expect.stringContaining("`schema`"),
      partialText: text,
    });
  });

  it.each<[string, (json: string) => string]>([
    ["nothing", (json) => json],
    ["a fence", (json) => `\`\`\`json\n${json}\n\`\`\``],
    ["an open fence", (json) => `Here:\n\`\`\`json\n${json}`],
    ["tildes", (json) => `~~~\n${json}\n~~~\nAs you see.`],
    ["Windows lines", (json) => `Well,\r\n\`\`\`JSON\r\n${json}\r\n\`\`\`\r\nDone.`],
    ["other fences", (json) => `\`\`\`sh\nls {a,b}\n\`\`\`\n\`\`\`json\n${json}\n\`\`\`\n{ x }`],
  ])("gives back any value that is wrapped in %s", (_, wrap) => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        const json = JSON.stringify(value, null, indent);
        expect(extractJson(wrap(json))).toEqual(JSON.parse(json));
      }),
    );
  });

  it("gives back any object or array between words", () => {
    const containers = fc.jsonValue().map((value) => [value, "long enough to be the longest"]);
    fc.assert(
      fc.property(containers, (value) => {
        const json = JSON.stringify(value);
        expect(extractJson(`A {b} [c] "d ${json} e" {f`)).toEqual(JSON.parse(json));
      }),
    );
  });

  it("takes linear time for repeated openings", () => {
    const units = [
      "[",
      "{",
      "`",
      '"',
      "```\n",
      "```json\n{",
      '{"',
      '["[",',
      '{"a":',
      "[1,",
      "\\",
      '["", ',
    ];
    for (const unit of units) {
      const text = unit.repeat(Math.ceil(2 ** 20 / unit.length));
      const start = process.cpuUsage();
      expect(() => extractJson(text)).toThrow();
      stripFence(text);
      const { user, system } = process.cpuUsage(start);
      // Linear time takes less than a second; quadratic time would take hours.
      expect((user + system) / 1_000_000, unit).toBeLessThan(20);
    }
  }, 300_000);
});

describe("stripFence()", () => {
  it.each([
    ["a fence of JSON", lines("```json", '{"a":1}', "```"), '{"a":1}'],
    ["a bare fence, blanks around", lines("", "```", "a", "", "b", "```", ""), lines("a", "", "b")],
    ["Windows lines", "```json\r\n{}\r\n```\r\n", "{}"],
    ["a fence without an end", lines("```json", "{", "}"), lines("{", "}")],
    ["an end on the last line", lines("```json", '{"a":1}```', ""), '{"a":1}'],
    ["an empty fence", lines("```", "```"), ""],
    [
      "a fence with fences in it",
      lines("```md", "# A", "```ts", "x", "```", "end", "```"),
      lines("# A", "```ts", "x", "```", "end"),
    ],
    ["a long fence", lines("````md", "```", "x", "```", "````"), lines("```", "x", "```")],
  ])("removes %s", (_, text, stripped) => {
    expect(stripFence(text)).toBe(stripped);
  });

  it.each([
    ["no fence", " plain text\n"],
    ["words before the fence", lines("So:", "```", "x", "```")],
    ["words after the fence", lines("```", "x", "```", "So.")],
    ["two fences", lines("```", "x", "```", "```", "y", "```")],
    ["code within a line", "```x``` is x"],
  ])("leaves a text with %s unchanged", (_, text) => {
    expect(stripFence(text)).toBe(text);
  });

  it("refuses a value that is not a string", () => {
    expect(() => stripFence(Buffer.from("x") as unknown as string)).toThrow(
      expect.objectContaining({ code: "invalid_options", message: "stripFence() takes a string." }),
    );
  });
});

describe("extractJson() on text that was crafted to be slow", () => {
  it.each([
    ["fences that are marked json", "```json\nx\n```\n".repeat(300_000)],
    ["fences without a mark", "```\n{x}\n```\n".repeat(100_000)],
    ["fences that never end", "~~~\n```\n".repeat(300_000)],
    ["one long line of backticks", `${"`".repeat(2_000_000)} x`],
    ["openings of arrays", "[".repeat(2_000_000)],
    ["objects that are cut off", '{"a":'.repeat(400_000)],
    ["strings that never end", '{"'.repeat(1_000_000)],
  ])(
    "takes linear time: %s",
    (_, text) => {
      const begun = process.cpuUsage();
      expect(() => extractJson(text)).toThrow("no JSON value");
      // Linear work takes a second or two, quadratic work a minute.
      expect(process.cpuUsage(begun).user / 1000).toBeLessThan(15_000);
    },
    60_000,
  );

  it("stripFence() takes linear time for backticks and blanks", () => {
    const begun = performance.now();
    const inner = `${"`".repeat(1_000_000)}${" ".repeat(1_000_000)}x`;
    expect(stripFence(`~~~\n${inner}`)).toBe(inner);
    expect(stripFence(`\`\`\`json\n1\`\`\`  \n`)).toBe("1");
    expect(performance.now() - begun).toBeLessThan(15_000);
  }, 60_000);
});
