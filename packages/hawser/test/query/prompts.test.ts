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

describe.each(clisInTurn())("the prompt of a query on $name", ({ path }) => {
  it("as a string is one turn", async () => {
    const { q, model } = await realQuery(path, ["hello"], {}, "greet me");
    const { messages, error } = await collect(q);
    expect([kinds(messages), error]).toEqual([TURN, undefined]);
    expect(messages.at(-1)).toMatchObject({ result: "hello", is_error: false });
    expect(model.calls.map(({ prompt }) => prompt)).toEqual(["greet me"]);
    expect(await q.next()).toEqual({ done: true, value: undefined });
    expect(clisOf(path)).toEqual([]);
  });

  it("as an iterable is as many turns, each when its message comes", async () => {
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

  it("may be without end: leaving the iteration leaves it too", async () => {
    const input = new Input("one");
    const { q } = await realQuery(path, ["1"], {}, input);
    for await (const { type } of q) if (type === "result") break;
    expect([input.left, clisOf(path)]).toEqual([true, []]);
  });

  it("may be empty: the query ends without a message, and the CLI has been asked", async () => {
    const { q } = await realQuery(path, [], {}, messagesOf());
    const { messages, error } = await collect(q);
    expect([messages, error, clisOf(path)]).toEqual([[], undefined, []]);
    expect((await q.initializationResult()).commands.length).toBeGreaterThan(0);
  });

  it("may say more by streamInput, while the first is not through", async () => {
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

describe("a prompt that fails", () => {
  it("by what it throws: the iteration throws the same, and the process is gone", async () => {
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
  ])("by a message that would end the CLI: %s", async (_, message) => {
    async function* prompt(): AsyncGenerator<SDKUserMessage> {
      yield message as unknown as SDKUserMessage;
    }
    const { q } = await fakeQuery([], {}, prompt());
    expect((await collect(q)).error).toMatchObject({
      code: "invalid_options",
      message: "A message of the prompt is not a user message.",
    });
  });

  /** JSON has no word for it. */
  const unwritable = user("one", { priority: 5n as never });

  it.each<[string, Options]>([
    ["answers nothing", {}],
    ["answers the CLI", { canUseTool: async () => ({ behavior: "deny", message: "no" }) }],
  ])("by a message that cannot be written, where the query %s", async (_, options) => {
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

  it("by a message of streamInput that cannot be written is the caller's, too", async () => {
    const canUseTool: Options["canUseTool"] = async () => ({ behavior: "deny", message: "no" });
    const input = new Input("one");
    const { q } = await fakeQuery([], { canUseTool }, input);
    const more = new Input();
    more.add(unwritable);
    await expect(q.streamInput(more)).rejects.toMatchObject({ code: "invalid_options" });
    const { messages, error } = await collect(q, ({ type }) => type === "result" && input.end());
    expect([kinds(messages), error]).toEqual([TURN, undefined]);
  });

  it.each([undefined, null, 5, {}])("by what it is: %s", (prompt) => {
    const refusal = expect.objectContaining({ code: "invalid_options" });
    expect(() => query({ prompt: prompt as never })).toThrow(refusal);
  });

  it("of streamInput is told to its caller, and the query goes on", async () => {
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

  it("since the CLI no longer reads ends the query, and says so", async () => {
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

describe("what a query sends", () => {
  it("is the messages of an iterable as they are", async () => {
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

describe("a prompt that has been sent", () => {
  it.each<[string, (q: Query, input: Input, message: SDKUserMessage) => unknown]>([
    ["by the query's iterable", (_, input, message) => input.add(message)],
    ["by streamInput", (q, _, message) => q.streamInput(only(message))],
  ])("%s is not kept for as long as the query lives", async (_, send) => {
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

describe("what a query hands on", () => {
  it("is every message, of unknown types too, but none that is for the host only", async () => {
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
