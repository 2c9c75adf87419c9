import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { type Options, type Query, query, type SDKUserMessage } from "../../src/index.js";
import { always } from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { until } from "../support/proc.js";
import {
  clisOf,
  collect,
  fakeQuery,
  Input,
  kinds,
  linesOf,
  messagesOf,
  realQuery,
  state,
  user,
} from "./query.helper.js";

const TURN = ["system/init", "assistant", "result/success"];

describe.each(clisInTurn())("the prompt of query() on $name", ({ path }) => {
  it("is one turn as a string", async () => {
    const { q, model } = await realQuery(path, ["hello"], {}, "greet me");
    const { messages, error } = await collect(q);
    expect([kinds(messages), error]).toEqual([TURN, undefined]);
    expect(messages.at(-1)).toMatchObject({ result: "hello", is_error: false });
    expect(model.calls.map(({ prompt }) => prompt)).toEqual(["greet me"]);
    expect(await q.next()).toEqual({ done: true, value: undefined });
    expect(clisOf(path)).toEqual([]);
  });

  it("is one turn for each message of an iterable", async () => {
    const input = new Input("one");
    const { q, model } = await realQuery(path, ["1", "2", "3"], {}, input);
    const next = ["two", "three"];
    const { messages, error } = await collect(q, ({ type }) => {
      if (type !== "result") return;
      const text = next.shift();
      if (text === undefined) input.end();
      else input.push(text);
    });
    expect([kinds(messages), error]).toEqual([[...TURN, ...TURN, ...TURN], undefined]);
    expect(model.calls.map(({ prompt }) => prompt)).toEqual(["one", "two", "three"]);
  });

  it("can be endless, and is closed when the reader leaves the iteration", async () => {
    const input = new Input("one");
    const { q } = await realQuery(path, ["1"], {}, input);
    for await (const { type } of q) if (type === "result") break;
    expect([input.left, clisOf(path)]).toEqual([true, []]);
  });

  it("can be an empty iterable, which ends the query without a message", async () => {
    const { q } = await realQuery(path, [], {}, messagesOf());
    const { messages, error } = await collect(q);
    expect([messages, error, clisOf(path)]).toEqual([[], undefined, []]);
    expect((await q.initializationResult()).commands.length).toBeGreaterThan(0);
  });

  it("can be extended by streamInput() while the first iterable is open", async () => {
    const input = new Input("one");
    const { q, model } = await realQuery(path, always("ok"), {}, input);
    let more: Promise<void> | undefined;
    await collect(q, async ({ type }) => {
      if (type !== "result") return;
      if (more !== undefined) return input.end();
      more = q.streamInput(messagesOf("two"));
      await more;
    });
    expect(model.calls.map(({ prompt }) => prompt)).toEqual(["one", "two"]);
  });
});

describe("query() with a prompt that fails", () => {
  it("throws the error of the iterable and leaves no process", async () => {
    const mine = new Error("mine");
    async function* prompt(): AsyncGenerator<SDKUserMessage> {
      yield user("one");
      throw mine;
    }
    const { q, cli } = await fakeQuery([{ on: "user", do: [{ hang: true }] }], {}, prompt());
    const { error } = await collect(q);
    expect(error).toBe(mine);
    await q.return();
    expect(clisOf(cli.path)).toEqual([]);
  });

  it.each([
    ["nothing", undefined],
    ["another type", { type: "assistant", message: { role: "assistant", content: [] } }],
    ["no message", { type: "user" }],
    ["another role", { type: "user", message: { role: "assistant", content: "x" } }],
  ])("refuses a message that would end the CLI: %s", async (_, message) => {
    async function* prompt(): AsyncGenerator<SDKUserMessage> {
      yield message as unknown as SDKUserMessage;
    }
    const { q } = await fakeQuery([], {}, prompt());
    expect((await collect(q)).error).toMatchObject({
      code: "invalid_options",
      message: "A message of the prompt is not a user message.",
    });
  });

  /** JSON cannot hold a BigInt. */
  const unwritable = user("one", { priority: 5n as never });

  it.each<[string, Options]>([
    ["answers nothing", {}],
    ["answers the CLI", { canUseTool: async () => ({ behavior: "deny", message: "no" }) }],
  ])("throws for a message that JSON cannot hold, in a query that %s", async (_, options) => {
    const input = new Input();
    const { q, cli } = await fakeQuery([], options, input);
    input.add(unwritable);
    expect((await collect(q)).error).toMatchObject({
      code: "invalid_options",
      message: expect.stringContaining("BigInt"),
    });
    await q.return();
    expect([input.left, clisOf(cli.path)]).toEqual([true, []]);
  });

  it("rejects streamInput() for a message that JSON cannot hold", async () => {
    const canUseTool: Options["canUseTool"] = async () => ({ behavior: "deny", message: "no" });
    const input = new Input("one");
    const { q } = await fakeQuery([], { canUseTool }, input);
    const more = new Input();
    more.add(unwritable);
    await expect(q.streamInput(more)).rejects.toMatchObject({ code: "invalid_options" });
    const { messages, error } = await collect(q, ({ type }) => type === "result" && input.end());
    expect([kinds(messages), error]).toEqual([TURN, undefined]);
  });

  it.each([undefined, null, 5, {}])("refuses the prompt %s", (prompt) => {
    const refusal = expect.objectContaining({ code: "invalid_options" });
    expect(() => query({ prompt: prompt as never })).toThrow(refusal);
  });

  it("rejects streamInput() with the error of its iterable, and continues", async () => {
    const mine = new Error("mine");
    async function* broken(): AsyncGenerator<SDKUserMessage> {
      yield* [];
      throw mine;
    }
    const input = new Input("one");
    const { q } = await fakeQuery([], {}, input);
    await expect(q.streamInput(broken())).rejects.toBe(mine);
    const { messages, error } = await collect(q, ({ type }) => type === "result" && input.end());
    expect([kinds(messages), error]).toEqual([TURN, undefined]);
    await expect(q.streamInput(messagesOf("late"))).rejects.toMatchObject({ code: "closed" });
  });

  it("throws when the CLI has closed its input", async () => {
    const deaf = { on: "initialize", do: [{ closeStdin: true }, { default: true }] } as const;
    const input = new Input();
    const { q, cli } = await fakeQuery([deaf], {}, input);
    await q.initializationResult();
    const reading = collect(q);
    input.push("one");
    expect((await reading).error).toMatchObject({
      code: "closed",
      message: "The CLI no longer reads its input.",
    });
    await until(() => clisOf(cli.path).length === 0);
  });
});

describe("the input that query() sends", () => {
  it("has the messages of an iterable unchanged", async () => {
    const uuid = crypto.randomUUID();
    const message = user("one", { uuid, shouldQuery: true });
    async function* prompt(): AsyncGenerator<SDKUserMessage> {
      yield message;
    }
    const { q, cli } = await fakeQuery([], {}, prompt());
    await collect(q);
    expect((await linesOf(cli)).filter(({ type }) => type === "user")).toEqual([message]);
  });

  it.each(["text", messagesOf("one", "two")])(
    "is marked where prompts are verbatim",
    async (prompt) => {
      const { q, cli } = await fakeQuery([], { verbatimPrompts: true }, prompt);
      await collect(q);
      const prompts = (await linesOf(cli)).filter(({ type }) => type === "user");
      expect(prompts.length).toBeGreaterThan(0);
      for (const line of prompts) expect(line).toMatchObject({ client_composed: true });
    },
  );
});

describe("a sent prompt", () => {
  it.each<[string, (q: Query, input: Input, message: SDKUserMessage) => unknown]>([
    ["by the query's iterable", (_, input, message) => input.add(message)],
    ["by streamInput", (q, _, message) => q.streamInput(only(message))],
  ])("%s is not kept in memory until the end of the query", async (_, send) => {
    const input = new Input();
    const { q } = await fakeQuery([], {}, input);
    let freed = 0;
    const registry = new FinalizationRegistry(() => {
      freed += 1;
    });
    let results = 0;
    const reading = collect(q, ({ type }) => {
      if (type === "result") results += 1;
    });
    for (let sent = 0; sent < PROMPTS; sent += 1) {
      const message = user(`prompt ${sent}`);
      registry.register(message, undefined);
      await send(q, input, message);
      await until(() => results > sent);
    }
    // The last one may still be at hand.
    await until(() => {
      collectGarbage();
      return freed >= PROMPTS - 1;
    });
    input.end();
    expect((await reading).error).toBeUndefined();
  });
});

const PROMPTS = 10;

async function* only(message: SDKUserMessage): AsyncGenerator<SDKUserMessage> {
  yield message;
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}

describe("the messages of query()", () => {
  it("include unknown types, and exclude messages with sdk_host_only", async () => {
    const unknown = { type: "from_the_future", deep: { answer: 42 } };
    const odd = { type: "system", subtype: "unheard_of", session_id: "s" };
    const told = { type: "system", subtype: "session_state_changed", state: "running" };
    const turn = [{ emit: unknown }, { emit: odd }, { emit: told }, { turn: "ok" }] as const;
    const { q } = await fakeQuery([
      {
        on: "user",
        do: [state("running"), { emit: { type: "keep_alive" } }, ...turn, state("idle")],
      },
    ]);
    const { messages } = await collect(q);
    expect(messages.slice(0, 3)).toEqual([unknown, odd, told]);
    expect(kinds(messages.slice(3))).toEqual(TURN);
  });
});
