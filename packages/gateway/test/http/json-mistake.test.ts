import { describe, expect, it } from "vitest";
import { jsonMistake } from "../../src/http/json-mistake.js";

describe("jsonMistake()", () => {
  it.each([
    ['{"a": [}', 7],
    ['{"a": 1,}', 8],
    ["[1,]", 3],
    ["{a: 1}", 1],
    ['{"a" 1}', 5],
    ['{"a": 1} x', 9],
    ["[1}", 2],
    ["[01]", 2],
    ['["\t"]', 1],
    ['["\\x"]', 1],
    ["nul", 0],
    ["{'a': 1}", 1],
    ['{"a": ', 6],
    ["[[[", 3],
    ["", 0],
  ])("finds the first mistake in %j", (text, position) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(jsonMistake(text)).toBe(position);
  });

  it.each(['{"a":[1,-2.5e3,true,null,{"b":{}}],"c":"\\u00e4\\n"}', " [] ", "5", '""'])(
    "reaches the end of %j, which is JSON",
    (text) => {
      JSON.parse(text);
      expect(jsonMistake(text)).toBe(text.length);
    },
  );

  it("does not fail on a very deep or long text", () => {
    expect(jsonMistake("[".repeat(1_000_000))).toBe(1_000_000);
    const long = `["${"x".repeat(5_000_000)}"`;
    expect(jsonMistake(`${long}}`)).toBe(long.length);
    expect(jsonMistake(`["${"x".repeat(10_000_000)}`)).toBe(1);
    expect(jsonMistake(`["${"\\n".repeat(5_000_000)}`)).toBe(1);
    expect(jsonMistake(`[${"1".repeat(10_000_000)}`)).toBe(10_000_001);
  });
});
