import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ContentBlock, HistoryMessage, OtherBlock } from "hawser";
import { describe, expect, it } from "vitest";
import { approvalIdOf } from "../../src/agent/approval-id.js";
import type { WaitEnd } from "../../src/agent/parked-turns.js";
import { replayPrompt, toolCallIds } from "../../src/agent/replay-prompt.js";
import { CallWarnings } from "../../src/call-warnings.js";
import { translatePrompt } from "../../src/prompt/index.js";

const USER = { role: "user" as const, content: [{ type: "text" as const, text: "Go." }] };
const call = (toolCallId: string, more = {}) => ({
  type: "tool-call" as const,
  toolCallId,
  toolName: "Bash",
  input: { command: "ls" },
  providerExecuted: true,
  ...more,
});
const result = (toolCallId: string, value: string) => ({
  type: "tool-result" as const,
  toolCallId,
  toolName: "Bash",
  output: { type: "text" as const, value },
});
const response = (toolCallId: string, approved: boolean, reason?: string) => ({
  type: "tool-approval-response" as const,
  approvalId: approvalIdOf("question", toolCallId),
  approved,
  ...(reason === undefined ? {} : { reason }),
});

/** The replayed conversation in short. */
function replayed(prompt: LanguageModelV4Prompt, end?: WaitEnd) {
  const facts = { shownName: (name: string) => name, endOf: () => end };
  const given = replayPrompt(prompt, facts);
  const { messages } = translatePrompt(given, new CallWarnings());
  return messages.map(shortMessage);
}

function shortMessage({ role, content }: HistoryMessage): string {
  return [role, ...(typeof content === "string" ? [content] : content.map(shortOf))].join(" ");
}

function shortOf(block: ContentBlock | OtherBlock): string {
  const { type, text, id, tool_use_id, content } = block as OtherBlock;
  if (type === "text") return String(text);
  if (type === "tool_use") return `call:${id}`;
  return `result:${tool_use_id}:${String(content).slice(0, 30)}`;
}

describe("replayPrompt()", () => {
  it.each([
    [
      "streamText(): the result of an approved call stands in the next message",
      [
        { role: "assistant" as const, content: [call("a")] },
        { role: "tool" as const, content: [response("a", true)] },
        {
          role: "assistant" as const,
          content: [result("a", "ok"), { type: "text" as const, text: "Done." }],
        },
      ],
    ],
    [
      "generateText(): the call is repeated before its result",
      [
        { role: "assistant" as const, content: [call("a")] },
        { role: "tool" as const, content: [response("a", true)] },
        {
          role: "assistant" as const,
          content: [call("a"), result("a", "ok"), { type: "text" as const, text: "Done." }],
        },
      ],
    ],
    [
      "useChat(): the result stands before the decision",
      [
        { role: "assistant" as const, content: [call("a"), result("a", "ok")] },
        { role: "tool" as const, content: [response("a", true)] },
        { role: "assistant" as const, content: [{ type: "text" as const, text: "Done." }] },
      ],
    ],
  ])("%s", (_, messages) => {
    const prompt = [USER, ...messages, USER] as LanguageModelV4Prompt;
    const short = [
      "user Go.",
      "assistant call:a",
      "user result:a:ok",
      "assistant Done.",
      "user Go.",
    ];
    expect(replayed(prompt)).toEqual(short);
    // A model without the agent reads the same conversation.
    const { messages: read } = translatePrompt(prompt, new CallWarnings());
    expect(read.map(shortMessage)).toEqual(short);
  });

  it("tells a denied call with its reason, which useChat() names only in the decision", () => {
    const prompt: LanguageModelV4Prompt = [
      USER,
      { role: "assistant", content: [call("a")] },
      { role: "tool", content: [response("a", false, "Not now.")] },
    ];
    expect(replayed(prompt)).toEqual([
      "user Go.",
      "assistant call:a",
      "user result:a:The user denied this call: Not",
    ]);
  });

  it.each<[string, WaitEnd | undefined, string]>([
    ["the turn expired", "expired", "This call was not run: the app"],
    ["another program asked", undefined, "This call has no result: the p"],
  ])("does not claim that an approved call ran or did not run: %s", (_, end, text) => {
    const prompt: LanguageModelV4Prompt = [
      USER,
      { role: "assistant", content: [call("a")] },
      { role: "tool", content: [response("a", true)] },
    ];
    expect(replayed(prompt, end).at(-1)).toBe(`user result:a:${text}`);
  });

  it("leaves out reasoning, and the calls of sub-agents with their results", () => {
    const inner = { providerOptions: { hawser: { parentToolCallId: "a" } } };
    const prompt: LanguageModelV4Prompt = [
      USER,
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "Hm." },
          call("a"),
          call("inner", inner),
          result("inner", "deep"),
          result("a", "ok"),
        ],
      },
      { role: "tool", content: [result("inner", "again")] },
    ];
    expect(replayed(prompt)).toEqual(["user Go.", "assistant call:a", "user result:a:ok"]);
    expect(toolCallIds(prompt)).toEqual(["a", "inner"]);
  });
});
