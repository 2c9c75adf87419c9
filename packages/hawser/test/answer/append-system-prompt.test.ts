import { describe, expect, it } from "vitest";
import { appendSystemPrompt } from "../../src/answer/append-system-prompt.js";

const PRESET = { type: "preset", preset: "claude_code" } as const;

describe("appendSystemPrompt()", () => {
  it.each([
    { own: undefined, whole: { ...PRESET, append: "More." } },
    { own: "", whole: "More." },
    { own: "Own.", whole: "Own.\n\nMore." },
    { own: PRESET, whole: { ...PRESET, append: "More." } },
    { own: { ...PRESET, append: "Own." }, whole: { ...PRESET, append: "Own.\n\nMore." } },
  ])("puts the text after $own", ({ own, whole }) => {
    expect(appendSystemPrompt(own, "More.")).toEqual(whole);
  });
});
