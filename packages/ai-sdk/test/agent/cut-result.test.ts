import { describe, expect, it } from "vitest";
import { cutResult } from "../../src/agent/cut-result.js";

const image = {
  type: "image" as const,
  source: { type: "base64" as const, media_type: "image/png", data: "aGVsbG8=" },
};

describe("cutResult()", () => {
  it("is the text of a result that holds nothing else", () => {
    expect(cutResult("hello", 10)).toEqual({ result: "hello", omittedChars: 0 });
    const blocks = [
      { type: "text" as const, text: "one" },
      { type: "text" as const, text: "two" },
    ];
    expect(cutResult(blocks, 10).result).toBe("one\ntwo");
  });

  it("cuts at the limit, and says how much is missing", () => {
    const { result, omittedChars } = cutResult("x".repeat(100), 10);
    expect(omittedChars).toBe(90);
    expect(result).toMatch(/^x{10}\n\[… 90 characters are not shown\./);
  });

  it("keeps an image that fits, and names one that does not", () => {
    const text = { type: "text" as const, text: "a" };
    expect(cutResult([text, image], 1000).result).toEqual([
      { type: "text", text: "a" },
      { type: "image", mediaType: "image/png", data: "aGVsbG8=" },
    ]);
    expect(cutResult([text, image], 10).result).toMatch(/^a\n\[image\] \[… \d+ characters/);
  });

  it("is an empty text for an empty result", () => {
    expect(cutResult([], 10)).toEqual({ result: "", omittedChars: 0 });
  });
});
