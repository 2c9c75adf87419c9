import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { partProblems } from "./check-parts.js";

type Part = LanguageModelV4StreamPart;

const start: Part = { type: "stream-start", warnings: [] };
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const finish: Part = { type: "finish", finishReason: { unified: "stop", raw: "end_turn" }, usage };
const called: Part = { ...finish, finishReason: { unified: "tool-calls", raw: "tool_use" } };
const text: readonly Part[] = [
  { type: "text-start", id: "0" },
  { type: "text-delta", id: "0", delta: "A" },
  { type: "text-end", id: "0" },
];
const call: readonly Part[] = [
  { type: "tool-input-start", id: "t", toolName: "tie" },
  { type: "tool-input-delta", id: "t", delta: "{}" },
  { type: "tool-input-end", id: "t" },
  { type: "tool-call", toolCallId: "t", toolName: "tie", input: "{}" },
];

describe("partProblems()", () => {
  it("accepts texts, tool calls, results and errors", () => {
    expect(partProblems([start, ...text, finish])).toEqual([]);
    expect(partProblems([start, ...text, ...call, called])).toEqual([]);
    const failed: Part = { ...finish, finishReason: { unified: "error", raw: undefined } };
    expect(partProblems([start, { type: "error", error: new Error("x") }, failed])).toEqual([]);
  });

  it.each<{ what: string; parts: readonly Part[]; problem: RegExp }>([
    { what: "no stream-start", parts: [...text, finish], problem: /begins with text-start/ },
    { what: "no finish", parts: [start, ...text], problem: /has no finish/ },
    { what: "two finishes", parts: [start, finish, finish], problem: /finish comes after finish/ },
    { what: "a part after finish", parts: [start, finish, ...text], problem: /after finish/ },
    {
      what: "an open text",
      parts: [start, ...text.slice(0, 2), finish],
      problem: /text 0 is not closed/,
    },
    {
      what: "a second text-end",
      parts: [start, ...text, ...text.slice(2), finish],
      problem: /not open/,
    },
    {
      what: "a repeated id",
      parts: [start, ...text, ...text, finish],
      problem: /repeats the id 0/,
    },
    {
      what: "a call before its input ends",
      parts: [start, ...call.slice(0, 2), ...call.slice(3), called],
      problem: /before tool-input-end/,
    },
    {
      what: "a call twice",
      parts: [start, ...call, ...call.slice(3), called],
      problem: /called twice/,
    },
    { what: "tool-calls without a call", parts: [start, ...text, called], problem: /has none/ },
    {
      what: "an error without its finish",
      parts: [start, { type: "error", error: 1 }, finish],
      problem: /another finish/,
    },
    {
      what: "a result without a call",
      parts: [start, { type: "tool-result", toolCallId: "x", toolName: "tie", result: 1 }, finish],
      problem: /no call/,
    },
  ])("refuses a stream with $what", ({ parts, problem }) => {
    expect(partProblems(parts).join("\n")).toMatch(problem);
  });
});
