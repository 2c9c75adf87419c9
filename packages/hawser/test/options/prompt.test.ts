import { describe, expect, it } from "vitest";
import { isHawserError } from "../../src/base/index.js";
import { validatePrompt, validateSendOptions } from "../../src/options/index.js";
import type { Prompt } from "../../src/wire/index.js";

const image = { type: "image", source: { type: "url", url: "http://127.0.0.1/a.png" } } as const;

const hello = { type: "text", text: "hello" } as const;

function refusal(prompt: unknown): unknown {
  try {
    validatePrompt(prompt as Prompt);
    return undefined;
  } catch (error) {
    return isHawserError(error, "invalid_options") ? error.message : error;
  }
}

describe("a prompt", () => {
  it.each([
    ["text", "hello"],
    ["text that begins with a dash", "--model"],
    ["a text block", [{ type: "text", text: "hello" }]],
    ["an image alone", [image]],
    ["an empty text beside an image", [{ type: "text", text: "" }, image]],
    ["a block of a kind that is not known", [{ type: "audio", data: "" }]],
    ["a source of a kind that is not known", [{ type: "document", source: { type: "content" } }]],
    ["a result with blocks", [{ type: "tool_result", tool_use_id: "a", content: [hello, image] }]],
    ["a block with more than is known", [{ ...hello, cache_control: null, later: 1 }]],
  ])("may be %s", (_, prompt) => {
    expect(refusal(prompt)).toBeUndefined();
  });

  it.each([
    ["empty", ""],
    ["blank", " \n\t"],
    ["no block at all", []],
    [
      "empty text blocks",
      [
        { type: "text", text: "" },
        { type: "text", text: " " },
      ],
    ],
  ])("may not be %s", (_, prompt) => {
    expect(refusal(prompt)).toBe("The prompt is empty.");
  });

  it.each([[undefined], [null], [5], [{}], [() => {}]])("is not %j", (prompt) => {
    expect(refusal(prompt)).toBe("The prompt must be a string or an array of content blocks.");
  });

  it.each<[place: string, prompt: unknown]>([
    ["prompt[0] must be a content block.", ["hello"]],
    ["prompt[0] must be a content block.", [null]],
    ["prompt[0].type is missing.", [{ text: "a" }]],
    ["prompt[0].type must be a string, not a number.", [{ type: 5 }]],
    ["prompt[0].text is missing.", [{ type: "text" }]],
    ["prompt[0].text must be a string, not a number.", [{ type: "text", text: 5 }]],
    ["prompt[1].source is missing.", [hello, { type: "image", data: "AA==" }]],
    ["prompt[1].source.type is missing.", [hello, { type: "image", source: { data: "AA==" } }]],
    ["prompt[0].source must be an object, not a string.", [{ type: "document", source: "a.pdf" }]],
    [
      "prompt[0].source.media_type is missing.",
      [{ type: "image", source: { type: "base64", mediaType: "image/png", data: "AA==" } }],
    ],
    [
      "prompt[0].source.data must be a string.",
      [
        {
          type: "image",
          source: { type: "base64", media_type: "image/png", data: Buffer.alloc(1) },
        },
      ],
    ],
    ["prompt[0].source.url is missing.", [{ type: "image", source: { type: "url" } }]],
    ["prompt[0].tool_use_id is missing.", [{ type: "tool_result", content: "x" }]],
    [
      "prompt[0].content[0].source is missing.",
      [{ type: "tool_result", tool_use_id: "a", content: [{ type: "image" }] }],
    ],
    ["prompt[0].type is missing (and 1 more problem: see `issues`).", [{}, { type: "text" }]],
  ])("is refused with its path: %s", (message, prompt) => {
    expect(refusal(prompt)).toBe(message);
  });

  it("that is refused comes with an example of a block", () => {
    expect(() => validatePrompt([{ type: "image" }])).toThrow(
      expect.objectContaining({
        hint: expect.stringContaining('source: { type: "base64", media_type'),
        issues: [{ path: "prompt[0].source", message: "is missing" }],
      }),
    );
  });

  it("with the bytes of an image instead of text says how to encode them", () => {
    const source = { type: "base64", media_type: "image/png", data: Buffer.from("knot") };
    expect(() => validatePrompt([{ type: "image", source } as never])).toThrow(
      expect.objectContaining({ hint: "Pass buffer.toString('base64')." }),
    );
  });
});

describe("the options of send()", () => {
  it("may all be given, or none", () => {
    const { signal } = new AbortController();
    validateSendOptions({ uuid: "a", shouldQuery: false, signal });
    validateSendOptions({ uuid: undefined });
  });

  it.each<[message: string, hint: string, options: object]>([
    [
      "options.shouldquery is not known; did you mean options.shouldQuery?",
      "Use `options.shouldQuery`.",
      { shouldquery: true },
    ],
    ["options.priority is not known.", "Leave it out.", { priority: 1 }],
    [
      "options.uuid must be a string, not a number.",
      "Change `options.uuid`, or leave it out.",
      { uuid: 5 },
    ],
    [
      "options.signal must be an AbortSignal.",
      "Change `options.signal`, or leave it out.",
      { signal: {} },
    ],
    ["options must be an object, not an array.", "Change `options`, or leave it out.", ["x"]],
  ])("are checked: %s", (message, hint, options) => {
    expect(() => validateSendOptions(options)).toThrow(
      expect.objectContaining({ code: "invalid_options", message, hint }),
    );
  });
});
