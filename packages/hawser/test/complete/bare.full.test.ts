import { describe, expect, it } from "vitest";
import { complete } from "../../src/complete/index.js";
import { validateOptions } from "../../src/options/index.js";
import { type RecordedRequest, toolUse } from "../../src/testing/index.js";
import type { HistoryMessage } from "../../src/wire/index.js";
import { clisInTurn } from "../support/cli.js";
import { sharedWorld } from "../support/shared-world.js";
import { world } from "../support/world.js";

const CONVERSATION: readonly HistoryMessage[] = [
  { role: "user", content: "Weather?" },
  {
    role: "assistant",
    content: [{ type: "tool_use", id: "toolu_1", name: "get", input: { a: 1 } }],
  },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "Rain." }] },
  { role: "assistant", content: "It rains." },
  {
    role: "user",
    content: [
      { type: "text", text: "And" },
      { type: "text", text: "tomorrow?" },
    ],
  },
];

describe.each(clisInTurn())("bare on the real CLI $name", ({ path }) => {
  const shared = sharedWorld(path);

  it("makes each request of a conversation begin with the request before, apart from marks of the cache", async () => {
    shared.script("0", "1", "2", "3");
    const options = {
      ...shared.options,
      pool: shared.pool(),
      bare: true,
      systemPrompt: "Be short.",
    };
    // The first request of a new process lacks what a reset leaves.
    await complete("First.", options);
    for (const length of [1, 3, 5]) {
      await complete(undefined, { ...options, history: CONVERSATION.slice(0, length) });
    }
    const [, ...requests] = shared.calls.map(cacheableText);
    expect(shared.pool().stats().calls.by.recycled).toBe(3);
    for (const [i, { messages, rest }] of requests.entries()) {
      const next = requests[i + 1];
      if (next === undefined) break;
      expect(next.rest).toBe(rest);
      expect(next.messages.startsWith(messages)).toBe(true);
    }
  });

  it("sends neither the environment nor the date of the machine on 2.1.325", async () => {
    shared.script("0");
    await complete("Hi.", { ...shared.options, pool: shared.pool(), bare: true });
    const body = JSON.stringify(shared.calls[0]?.body);
    expect(body).not.toContain("working directory");
  });
});

/** The system prompt and the tools, and the messages without the end of their list, as JSON. */
function cacheableText({ body }: RecordedRequest): { messages: string; rest: string } {
  const { messages, system, tools } = body as Readonly<Record<string, unknown>>;
  const text = (value: unknown) =>
    JSON.stringify(value, (key, each) => (key === "cache_control" ? undefined : each));
  return { messages: text(messages).slice(0, -1), rest: text([system, tools]) };
}

describe.each(clisInTurn())("rules with CLAUDE_CODE_SIMPLE on the real CLI $name", ({ path }) => {
  it("hold, although the CLI would call no hook with this variable", async () => {
    const use = toolUse("Bash", { command: "touch a", description: "d" });
    const { model, options } = await world(path, [use, "Done."]);
    await complete("Go.", {
      ...options,
      env: { ...options.env, CLAUDE_CODE_SIMPLE: "1" },
      tools: ["Bash"],
      allowedTools: ["Bash"],
      rules: [{ tool: "*", decision: "deny" }],
    });
    expect(model.calls[1]?.toolResults).toMatchObject([{ isError: true }]);
  });
});

describe("the option bare", () => {
  it("contradicts rules and hooks, because the CLI would not ask them", () => {
    const rules = [{ tool: "*", decision: "deny" }] as const;
    expect(() => validateOptions({ bare: true, rules })).toThrow(
      /bare contradicts rules and hooks/,
    );
    const hooks = { PreToolUse: [{ hooks: [async () => ({})] }] };
    expect(() => validateOptions({ bare: true, hooks })).toThrow(
      /bare contradicts rules and hooks/,
    );
    expect(() => validateOptions({ bare: true, rules: [] })).toThrow(/bare contradicts rules/);
    validateOptions({ bare: true, hooks: {} });
  });

  it("contradicts oauthToken", () => {
    expect(() => validateOptions({ bare: true, oauthToken: "x" })).toThrow(
      /bare contradicts oauthToken/,
    );
  });
});
