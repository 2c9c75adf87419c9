import { describe, expect, it } from "vitest";
import { z } from "zod";
import { CHANNELS, type TurnEndEvent } from "../../src/base/index.js";
import { complete, type ToolCall } from "../../src/complete/index.js";
import { type ClientTool, validateOptions } from "../../src/options/index.js";
import { type RecordedRequest, reply, toolUse } from "../../src/testing/index.js";
import type { History, HistoryMessage, Message } from "../../src/wire/index.js";
import { CLIS, clisInTurn, OLDER_CLI } from "../support/cli.js";
import { reusedFake } from "../support/reused-fake.js";
import { sharedWorld } from "../support/shared-world.js";
import { expectedFor, receivedIn } from "./history.helper.js";

const WEATHER: ClientTool = {
  name: "get_weather",
  description: "Tells the weather of a city.",
  inputSchema: {
    type: "object",
    properties: { city: { type: "string", "x-hint": "a town" } },
    required: ["city"],
    additionalProperties: false,
    $comment: "stays as it is",
  },
};
const TIME: ClientTool = {
  name: "time-of-day",
  description: "Tells the time.",
  inputSchema: { type: "object", properties: { zone: { type: "string" } }, required: ["zone"] },
};

const toolsIn = ({ body }: RecordedRequest) => (body as { readonly tools: unknown }).tools;

/** The message of the model with these calls, and the results of the tools. */
function answered(calls: readonly ToolCall[], resultOf: (call: ToolCall) => string): History {
  const uses = calls.map((call) => ({ type: "tool_use" as const, ...call }));
  const results = calls.map((call) => {
    return { type: "tool_result" as const, tool_use_id: call.id, content: resultOf(call) };
  });
  return [
    { role: "assistant", content: uses },
    { role: "user", content: results },
  ];
}

describe.each(CLIS)("clientTools on the real CLI $name", ({ path }) => {
  const shared = sharedWorld(path);
  const options = () => ({ ...shared.options, pool: shared.pool(), clientTools: [WEATHER, TIME] });

  it("shows the model exactly the names, descriptions and schemas, and ends with its calls", async () => {
    shared.script([
      { type: "text", text: "Let me look." },
      toolUse("get_weather", { city: "Oslo" }, { id: "toolu_a" }),
      toolUse("time-of-day", { zone: "CET" }, { id: "toolu_b" }),
    ]);
    const completion = await complete("Oslo?", options());
    const { text, stop, toolCalls, content, turns, usage, costUsd } = completion;
    expect({ text, stop, toolCalls, turns }).toEqual({
      text: "Let me look.",
      stop: "tool_calls",
      toolCalls: [
        { id: "toolu_a", name: "get_weather", input: { city: "Oslo" } },
        { id: "toolu_b", name: "time-of-day", input: { zone: "CET" } },
      ],
      turns: 1,
    });
    expect(content).toMatchObject([
      { type: "text", text: "Let me look." },
      { type: "tool_use", id: "toolu_a", name: "get_weather", input: { city: "Oslo" } },
      { type: "tool_use", id: "toolu_b", name: "time-of-day", input: { zone: "CET" } },
    ]);
    expect(usage).toMatchObject({ input_tokens: 10, output_tokens: 5 });
    expect(costUsd).toBeGreaterThan(0);
    expect(shared.calls).toHaveLength(1);
    const [request] = shared.calls;
    expect(request && toolsIn(request)).toEqual(
      [WEATHER, TIME].map(({ inputSchema, ...rest }) => ({ ...rest, input_schema: inputSchema })),
    );
  });

  it("has no tool calls after an answer without calls", async () => {
    shared.script("No need.");
    const { text, stop, toolCalls } = await complete("Hello?", options());
    expect({ text, stop, toolCalls }).toEqual({
      text: "No need.",
      stop: "completed",
      toolCalls: [],
    });
  });

  it("serves three rounds of two calls on one process, between the calls of another caller", async () => {
    const round = (n: number) => [
      toolUse("get_weather", { city: `city-${n}-a` }, { id: `toolu_${n}_a` }),
      toolUse("time-of-day", { zone: `zone-${n}-b` }, { id: `toolu_${n}_b` }),
    ];
    shared.script(round(1), "other 1", round(2), "other 2", round(3), "other 3", "It rains.");
    let history: readonly HistoryMessage[] = [{ role: "user", content: "mine: how is it?" }];
    const before = shared.pool().stats().calls.by.recycled;
    for (const n of [1, 2, 3]) {
      const { toolCalls, stop } = await complete(undefined, { ...options(), history });
      expect(stop).toBe("tool_calls");
      expect(toolCalls.map(({ id }) => id)).toEqual([`toolu_${n}_a`, `toolu_${n}_b`]);
      history = [...history, ...answered(toolCalls, ({ id }) => `result of ${id}`)];
      const other = await complete(`theirs: ${n}?`, options());
      expect(other.text).toBe(`other ${n}`);
    }
    const { text } = await complete(undefined, { ...options(), history });
    expect(text).toBe("It rains.");
    expect(shared.calls).toHaveLength(7);
    const ofOthers = [1, 3, 5].map((i) => JSON.stringify(shared.calls[i]?.body));
    for (const body of ofOthers) expect(body).not.toMatch(/mine|toolu_|city-|result of/);
    for (const i of [0, 2, 4, 6])
      expect(JSON.stringify(shared.calls[i]?.body)).not.toContain("theirs");
    const last = shared.calls[6];
    expect(last && receivedIn(last)).toEqual(expectedFor(history));
    const { by } = shared.pool().stats().calls;
    expect(by.recycled - before).toBe(7);
  });
});

describe.each(clisInTurn())("complete() with clientTools on the real CLI $name", ({ path }) => {
  const shared = sharedWorld(path);
  const options = () => ({ ...shared.options, pool: shared.pool(), clientTools: [WEATHER, TIME] });

  it("gives another process to a call with other tools", async () => {
    shared.script("One.", "Two.");
    await complete("x", options());
    await complete("x", { ...options(), clientTools: [TIME] });
    expect(shared.calls.map(({ tools }) => tools)).toEqual([
      ["get_weather", "time-of-day"],
      ["time-of-day"],
    ]);
  });

  it("streams the messages up to the end of the model's message, and nothing of the interrupt", async () => {
    const { stream } = await import("../../src/complete/index.js");
    shared.script(
      reply([{ type: "text", text: "Look." }, toolUse("get_weather", { city: "Oslo" })], {
        chunks: 2,
      }),
    );
    const call = stream("Oslo?", { ...options(), includePartialMessages: true });
    const seen: Message[] = [];
    for await (const message of call) seen.push(message);
    expect((await call.completion).toolCalls).toMatchObject([{ name: "get_weather" }]);
    const last = seen.findLast(({ type }) => type === "stream_event");
    expect(last).toMatchObject({ event: { type: "message_stop" } });
    expect(seen.map(({ type }) => type)).not.toContain("result");
    expect(JSON.stringify(seen)).not.toMatch(/interrupted|doesn't want to proceed/);
  });

  it('registers no tool with toolChoice: "none", and keeps the tool blocks of the history', async () => {
    shared.script("It rains.");
    const history: History = [
      { role: "user", content: "Oslo?" },
      ...answered([{ id: "toolu_a", name: "get_weather", input: { city: "Oslo" } }], () => "Rain."),
    ];
    const { text, toolCalls } = await complete(undefined, {
      ...options(),
      history,
      toolChoice: "none",
    });
    expect({ text, toolCalls }).toEqual({ text: "It rains.", toolCalls: [] });
    const [request] = shared.calls;
    expect(request?.tools).toEqual([]);
    expect(request && receivedIn(request)).toEqual(expectedFor(history));
  });

  it("makes the model call the tool that toolChoice names, with an input that fits its schema", async () => {
    shared.script(
      toolUse("StructuredOutput", { city: 5 }),
      toolUse("StructuredOutput", { city: "Oslo" }),
    );
    const toolChoice = { tool: "get_weather" };
    const { stop, toolCalls, text, value } = await complete("Oslo?", { ...options(), toolChoice });
    expect({ stop, text, value }).toEqual({ stop: "tool_calls", text: "", value: undefined });
    expect(toolCalls).toEqual([
      {
        id: expect.stringMatching(/^toolu_[0-9a-f]{32}$/),
        name: "get_weather",
        input: { city: "Oslo" },
      },
    ]);
    expect(shared.calls[0]?.tools).toEqual(["StructuredOutput"]);
    expect(JSON.stringify(shared.calls[0]?.body)).toContain(WEATHER.description);
  });

  it.each([false, true])(
    "shows the model long descriptions of several paragraphs with bare: %s",
    async (bare) => {
      const long = path === OLDER_CLI ? 1_900 : 20_000;
      const description = `First.\n\n\nSecond.\n\n${"word ".repeat(long / 5)}end.`;
      shared.script("Ok.");
      const clientTools = [{ ...TIME, description }];
      await complete("Oslo?", { ...shared.options, pool: shared.pool(), clientTools, bare });
      const [shown] = toolsIn(shared.calls[0] as RecordedRequest) as { description: string }[];
      expect(shown?.description.replaceAll("\n ", "\n")).toBe(description);
      if (!bare) expect(shown?.description).toBe(description);
    },
  );

  it("ends with tool calls or with the value of a schema, as the model decides", async () => {
    shared.script(
      toolUse("get_weather", { city: "Oslo" }, { id: "toolu_a" }),
      toolUse("StructuredOutput", { isRain: true }),
    );
    const schema = z.object({ isRain: z.boolean() });
    const question: HistoryMessage = { role: "user", content: "Rain in Oslo?" };
    const first = await complete(undefined, { ...options(), schema, history: [question] });
    expect(first).toMatchObject({
      stop: "tool_calls",
      value: undefined,
      toolCalls: [{ id: "toolu_a", name: "get_weather", input: { city: "Oslo" } }],
    });
    const history = [question, ...answered(first.toolCalls, () => "It rains.")];
    const second = await complete(undefined, { ...options(), schema, history });
    expect(second).toMatchObject({ stop: "completed", value: { isRain: true }, toolCalls: [] });
    const [, last] = shared.calls;
    expect(shared.calls).toHaveLength(2);
    expect(last?.tools.toSorted()).toEqual(["StructuredOutput", "get_weather", "time-of-day"]);
    expect(last && receivedIn(last)).toEqual(expectedFor(history));
  });

  it("asks for the value again if a text answers a call with a schema and tools", async () => {
    shared.script("It rains.", toolUse("StructuredOutput", { isRain: true }));
    const schema = z.object({ isRain: z.boolean() });
    const { value, toolCalls } = await complete("Oslo?", { ...options(), schema });
    expect({ value, toolCalls }).toEqual({ value: { isRain: true }, toolCalls: [] });
  });

  it('makes the model call one of the tools with toolChoice: "required"', async () => {
    shared.script(
      toolUse("StructuredOutput", { call: { tool: "time-of-day", input: { zone: "CET" } } }),
    );
    const { stop, toolCalls } = await complete("Oslo?", { ...options(), toolChoice: "required" });
    expect(stop).toBe("tool_calls");
    expect(toolCalls).toMatchObject([{ name: "time-of-day", input: { zone: "CET" } }]);
  });
});

describe("complete() with clientTools", () => {
  it("ends with the calls of a message that the CLI did not stream", async () => {
    const call = (id: string) => ({ type: "tool_use", id, name: "time-of-day", input: {} });
    const cli = await reusedFake({
      steps: [
        {
          on: "user",
          do: [{ init: {} }, { assistant: [call("a"), call("b")] }, { sleep: 20_000 }],
        },
      ],
    });
    const { stop, toolCalls } = await complete("x", { cliPath: cli.path, clientTools: [TIME] });
    expect(stop).toBe("tool_calls");
    expect(toolCalls.map(({ id }) => id)).toEqual(["a", "b"]);
  });

  it("rejects with aborted if the caller aborts before the model calls a tool", async () => {
    const cli = await reusedFake({
      steps: [{ on: "user", do: [{ init: {} }, { sleep: 20_000 }] }],
    });
    const signal = AbortSignal.timeout(300);
    const options = { cliPath: cli.path, clientTools: [TIME], signal };
    await expect(complete("x", options)).rejects.toMatchObject({ code: "aborted" });
  });

  it("rejects with process_exited if the process dies after the calls", async () => {
    const use = { type: "tool_use", id: "a", name: "time-of-day", input: {} };
    const cli = await reusedFake({
      steps: [{ on: "user", do: [{ init: {} }, { assistant: [use] }, { die: "SIGKILL" }] }],
    });
    const options = { cliPath: cli.path, clientTools: [TIME] };
    await expect(complete("x", options)).rejects.toMatchObject({ code: "process_exited" });
  });
});

describe("complete() with clientTools and several messages", () => {
  const use = (id: string, name = TIME.name) => ({ type: "tool_use", id, name, input: {} });

  it("gives no calls of a message that the CLI gave up", async () => {
    const messages = [{ assistant: [use("old")] }, { assistant: [use("new")] }];
    const cli = await reusedFake({
      steps: [{ on: "user", do: [{ init: {} }, ...messages, { sleep: 20_000 }] }],
    });
    const { toolCalls } = await complete("x", { cliPath: cli.path, clientTools: [TIME] });
    expect(toolCalls.map(({ id }) => id)).toEqual(["new"]);
  });

  it("publishes a turn that ends at tool calls as such, not as a failure", async () => {
    const ended: unknown[] = [];
    const note = ({ outcome, error }: TurnEndEvent) => ended.push({ outcome, error });
    CHANNELS.turnEnd.subscribe(note);
    try {
      const cli = await reusedFake({
        steps: [{ on: "user", do: [{ init: {} }, { assistant: [use("a")] }, { sleep: 20_000 }] }],
      });
      await complete("x", { cliPath: cli.path, clientTools: [TIME] });
    } finally {
      CHANNELS.turnEnd.unsubscribe(note);
    }
    expect(ended).toEqual([{ outcome: "tool_calls", error: undefined }]);
  });
});

describe("the option clientTools", () => {
  const problemOf = (options: object) => {
    try {
      validateOptions(options);
    } catch (error) {
      return (error as Error).message;
    }
    return undefined;
  };

  it.each<[string, object, RegExp]>([
    ["no list", { clientTools: {} }, /clientTools must be an array of tools/],
    [
      "a wrong name",
      { clientTools: [{ ...TIME, name: "a b" }] },
      /clientTools\[0\].name must have 1 to 64/,
    ],
    ["a long name", { clientTools: [{ ...TIME, name: "a".repeat(65) }] }, /name must have 1 to 64/],
    [
      "a name that is used twice",
      { clientTools: [TIME, TIME] },
      /clientTools\[1\].name is used twice/,
    ],
    [
      "the CLI's own name",
      { clientTools: [{ ...TIME, name: "StructuredOutput" }] },
      /a tool of the CLI/,
    ],
    [
      "a name that the CLI leaves out",
      { clientTools: [{ ...TIME, name: "ToolSearch" }] },
      /a tool of the CLI/,
    ],
    ["no schema", { clientTools: [{ name: "a", description: "b" }] }, /inputSchema is missing/],
    [
      "a schema of no object",
      { clientTools: [{ ...TIME, inputSchema: { type: "string" } }] },
      /inputSchema.type must be "object"/,
    ],
    [
      "a schema for the answer and a call that the model must make",
      { clientTools: [TIME], schema: { type: "object" }, toolChoice: "required" },
      /toolChoice contradicts schema/,
    ],
    ["tools of the CLI", { clientTools: [TIME], tools: ["Read"] }, /contradicts tools/],
    ["the preset agent", { clientTools: [TIME], preset: "agent" }, /contradicts tools/],
    ["autoResume", { clientTools: [TIME], autoResume: 1 }, /contradicts autoResume/],
    ["rules", { clientTools: [TIME], rules: [] }, /contradicts rules/],
    [
      "a file of servers",
      { clientTools: [TIME], mcpServers: "servers.json" },
      /contradicts tools, mcp/,
    ],
    [
      "servers of other files",
      { clientTools: [TIME], strictMcpConfig: false },
      /contradicts tools, mcp/,
    ],
    ["an unknown choice", { clientTools: [TIME], toolChoice: "always" }, /toolChoice must be/],
    [
      "a choice of another tool",
      { clientTools: [TIME], toolChoice: { tool: "x" } },
      /toolChoice names no tool/,
    ],
    ["a required call without tools", { toolChoice: "required" }, /toolChoice names no tool/],
  ])("is refused with %s", (_, options, message) => {
    expect(problemOf(options)).toMatch(message);
  });
});
