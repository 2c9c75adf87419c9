import { describe, expect, it } from "vitest";
import { isHawserError } from "../../src/errors/index.js";
import { validatePrompt } from "../../src/options/index.js";
import type { Prompt } from "../../src/wire/index.js";

const image = { type: "image", source: { type: "url", url: "http://127.0.0.1/a.png" } } as const;

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
    expect(refusal(prompt)).toBe("The prompt must be a text or an array of content blocks.");
  });

  it.each([[["hello"]], [[null]], [[{ text: "a" }]], [[{ type: "text" }]]])(
    "does not hold %j",
    (prompt) => {
      expect(refusal(prompt)).toBe("The prompt must hold content blocks only.");
    },
  );
});
