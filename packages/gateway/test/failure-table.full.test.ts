import { CHANNELS, type ProcessEvent } from "hawser";
import { always, type RecordedRequest, reply, streamError, toolUse } from "hawser/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGateway } from "../src/gateway.js";
import { gatewayWorld } from "./support/gateway-world.js";
import { readSse } from "./support/read-sse.js";

/** What went wrong in other gateways, row by row: each is a behaviour of this one. */
const world = gatewayWorld({ pool: { size: { min: 0, max: 2 } } });

const tool = (name: string) => ({
  name,
  description: `The tool ${name}.`,
  input_schema: { type: "object", properties: { text: { type: "string" } } },
});

interface Block {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly text: string;
}

interface Body {
  readonly content: readonly Block[];
  readonly stop_reason: string;
}

async function ask(more: object): Promise<Body> {
  const response = await world.post("/v1/messages", { model: "sonnet", max_tokens: 100, ...more });
  expect(response.status).toBe(200);
  return (await response.json()) as Body;
}

/** The messages of a request without those of the CLI, and without what a reset leaves. */
function messagesOf(request: RecordedRequest | undefined) {
  const body = request?.body as { messages: { role: string; content: unknown }[] } | undefined;
  return (body?.messages ?? [])
    .filter(({ role }) => role !== "system")
    .map(({ role, content }) => ({ role, content: withoutMarks(content) }));
}

/** The CLI moves the marks of the cache with each request. */
function withoutMarks(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) =>
    key === "cache_control" ? undefined : inner,
  );
}

const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown) => ({ role: "assistant", content });

const pids = new Set<number | undefined>();
const note = ({ pid }: ProcessEvent) => pids.add(pid);
beforeAll(() => CHANNELS.processAssigned.subscribe(note));
afterAll(() => CHANNELS.processAssigned.unsubscribe(note));

describe("a conversation with tools of the client", () => {
  it("asks the model once per request, and never answers a call itself", async () => {
    const history: object[] = [user("Do three rounds.")];
    for (let round = 1; round <= 3; round += 1) {
      world.script([toolUse("a", { text: `${round}a` }), toolUse("b", { text: `${round}b` })]);
      const before = world.calls.length;
      const { content, stop_reason } = await ask({
        messages: history,
        tools: [tool("a"), tool("b")],
      });
      expect(stop_reason).toBe("tool_use");
      expect(content.map(({ input }) => input)).toEqual([
        { text: `${round}a` },
        { text: `${round}b` },
      ]);
      await world.settled();
      expect(world.calls.length - before).toBe(1);
      const results = content.map(({ id }) => ({
        type: "tool_result",
        tool_use_id: id,
        content: `result of ${id}`,
      }));
      history.push(assistant(content), user(results));
    }
    world.script("Done.");
    const { content, stop_reason } = await ask({
      messages: history,
      tools: [tool("a"), tool("b")],
    });
    expect({ text: content[0]?.text, stop_reason }).toEqual({
      text: "Done.",
      stop_reason: "end_turn",
    });
    await world.settled();
    expect(world.calls).toHaveLength(4);
    expect(JSON.stringify(world.calls.at(-1)?.body)).not.toMatch(
      /denied|interrupted|maximum number/i,
    );
  });

  it("streams the inputs of parallel calls to their ends", async () => {
    const long = "x".repeat(20_000);
    world.script(
      reply([toolUse("a", { text: long }), toolUse("b", { text: long })], { chunks: 40 }),
    );
    const response = await world.post("/v1/messages", {
      model: "sonnet",
      max_tokens: 100,
      stream: true,
      messages: [user("Both.")],
      tools: [tool("a"), tool("b")],
    });
    const inputs: string[] = [];
    let last = "";
    for await (const { event, data } of readSse(response)) {
      last = event ?? "";
      const { index, delta } = JSON.parse(data) as {
        index: number;
        delta?: { partial_json?: string };
      };
      if (delta?.partial_json !== undefined) {
        inputs[index] = (inputs[index] ?? "") + delta.partial_json;
      }
    }
    expect(inputs.map((input) => JSON.parse(input))).toEqual([{ text: long }, { text: long }]);
    expect(last).toBe("message_stop");
  });

  it("uses the same process and the same prefix for the same tools in another order", async () => {
    const messages = [user("Hello.")];
    const order = [tool("zeta"), tool("alpha"), tool("mid")];
    pids.clear();
    for (const tools of [order, order.toReversed()]) {
      world.script("Hi.");
      await ask({ messages, tools });
      await world.settled();
    }
    expect(pids.size).toBe(1);
    const [first, second] = world.calls.map(({ body }) =>
      JSON.stringify((body as { tools: unknown }).tools),
    );
    expect(first).toBe(second);
  });

  it("shows the model every tool of the client, whatever its name", async () => {
    const names = ["Bash", "Read", "task", "mcp__x__y", "web_search"];
    world.script("Hi.");
    await ask({ messages: [user("Hello.")], tools: names.map(tool) });
    expect(world.calls[0]?.tools.toSorted()).toEqual(names.toSorted());
  });

  it("continues with the results on another gateway, which has seen nothing of the call", async () => {
    world.script(toolUse("a", { text: "1" }, { id: "toolu_old" }));
    const messages = [user("Call a.")];
    const { content } = await ask({ messages, tools: [tool("a")] });
    const next = createGateway({ pool: world.pool, options: world.cliOptions });
    world.script((call) => call.toolResults.map(({ text }) => text).join());
    const result = { type: "tool_result", tool_use_id: "toolu_old", content: "42" };
    const response = await next.fetch(
      new Request("http://localhost/v1/messages", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          model: "sonnet",
          max_tokens: 9,
          messages: [...messages, assistant(content), user([result])],
          tools: [tool("a")],
        }),
      }),
    );
    expect(await response.json()).toMatchObject({ content: [{ text: "42" }] });
    await next.close();
  });
});

describe("conversations without state", () => {
  it("answers a title request beside the first turn of the same conversation", async () => {
    world.script(always((call) => (call.system.includes("title") ? "A title" : "An answer")));
    const messages = [user("Hello there.")];
    const [title, turn] = await Promise.all([
      ask({ messages, system: "Write a title." }),
      ask({ messages, system: "Help." }),
    ]);
    expect([title.content[0]?.text, turn.content[0]?.text]).toEqual(["A title", "An answer"]);
  });

  it("answers the same request twice, each time from the model", async () => {
    const messages = [user("Same.")];
    world.script("One.", "Two.");
    const first = await ask({ messages });
    const second = await ask({ messages });
    expect([first.content[0]?.text, second.content[0]?.text]).toEqual(["One.", "Two."]);
    expect(messagesOf(world.calls[1])).toHaveLength(1);
  });

  it("sends an edited history as it is now, and nothing of the earlier one", async () => {
    world.script("One.", "Two.");
    await ask({ messages: [user("Alpha-canary."), assistant("Beta-canary."), user("Go on.")] });
    await ask({ messages: [user("Gamma."), assistant("Delta."), user("Go on.")] });
    const sent = JSON.stringify(world.calls[1]?.body);
    expect(sent).not.toContain("canary");
    expect(messagesOf(world.calls[1]).map(({ content }) => content)).toEqual([
      expect.stringContaining("Gamma."),
      expect.stringContaining("Delta."),
      expect.stringContaining("Go on."),
    ]);
  });

  it("keeps two conversations with the same first message apart", async () => {
    const first = user("Review this repository.");
    world.script(always((call) => `Answer to ${call.prompt}`));
    const [one, two] = await Promise.all(
      ["canary-one", "canary-two"].map((text) =>
        ask({ messages: [first, assistant(`I see ${text}.`), user(`What did you see? ${text}`)] }),
      ),
    );
    expect(one?.content[0]?.text).toContain("canary-one");
    expect(one?.content[0]?.text).not.toContain("canary-two");
    expect(two?.content[0]?.text).toContain("canary-two");
    for (const call of world.calls) {
      const sent = JSON.stringify(call.body);
      expect(sent.includes("canary-one") && sent.includes("canary-two")).toBe(false);
    }
  });

  it("delivers a history message by message, never as flat text", async () => {
    world.script("Done.");
    const use = { type: "tool_use", id: "toolu_1", name: "a", input: { text: "1" } };
    const result = { type: "tool_result", tool_use_id: "toolu_1", content: "42" };
    await ask({
      messages: [user("Q1"), assistant("A1"), user("Q2"), assistant([use]), user([result])],
      tools: [tool("a")],
    });
    const messages = messagesOf(world.calls[0]);
    expect(messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
    expect(messages[3]?.content).toContain('"type":"tool_use"');
    expect(messages[4]?.content).toContain('"type":"tool_result"');
    expect(JSON.stringify(messages)).not.toMatch(/Human:|Assistant:|\[Tool Use/);
  });

  it("begins each request of a conversation with the whole request before it", async () => {
    const history: object[] = [];
    for (const text of ["One.", "Two.", "Three."]) {
      history.push(user(text));
      world.script(`Answer to ${text}`);
      const { content } = await ask({ messages: history, system: "A stable prefix." });
      history.push(assistant(content));
      await world.settled();
    }
    // The first process may be new, and a new one has another beginning than one that was reset.
    const [, second, third] = world.calls.map(messagesOf);
    const before = (second ?? []).map(withoutMarks);
    expect((third ?? []).slice(0, before.length).map(withoutMarks)).toEqual(before);
    const [, ...systems] = world.calls.map(({ body }) =>
      withoutMarks((body as { system: unknown }).system),
    );
    expect(new Set(systems).size).toBe(1);
  });
});

describe("a request that the CLI repeats", () => {
  it("streams the second attempt as one message if nothing of the first was shown", async () => {
    world.script(streamError("overloaded_error"), ["Wait.", toolUse("a", { text: "1" })]);
    const response = await world.post("/v1/messages", {
      model: "sonnet",
      max_tokens: 9,
      stream: true,
      messages: [user("Hello.")],
      tools: [tool("a")],
    });
    const events: string[] = [];
    for await (const { data } of readSse(response)) events.push(data);
    const types = events.map((data) => (JSON.parse(data) as { type: string }).type);
    expect(types.filter((type) => type === "message_start")).toHaveLength(1);
    expect(types.filter((type) => type === "content_block_start")).toHaveLength(2);
    expect(types.at(-1)).toBe("message_stop");
    expect(events.join()).toContain('{\\"text\\":\\"1\\"}');
    expect(events.join()).toContain('"stop_reason":"tool_use"');
  });

  it("takes the second attempt, without streaming, for a client that does not stream", async () => {
    world.script(streamError("overloaded_error", { after: "Half an ans" }), "A whole answer.");
    const { content } = await ask({ messages: [user("Hello.")] });
    expect(content).toMatchObject([{ type: "text", text: "A whole answer." }]);
    expect(world.calls.map(({ stream }) => stream)).toEqual([true, false]);
  });
});
