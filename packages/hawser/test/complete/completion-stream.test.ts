import { describe, expect, expectTypeOf, it, onTestFinished } from "vitest";
import { z } from "zod";
import { type Completion, complete, stream } from "../../src/complete/index.js";
import { fakeCli, hang, maxTokens, reply } from "../../src/testing/index.js";
import { isMessage, isResult, type Message } from "../../src/wire/index.js";
import { clisInTurn, NEWEST_CLI } from "../support/cli.js";
import { allGone } from "../support/gone.js";
import { world } from "../support/world.js";

describe.each(clisInTurn())("stream() on the real CLI $name", ({ path }) => {
  it("gives the text as it comes, and then the outcome", async () => {
    const text = "A bowline, a sheet bend, a clove hitch.";
    const { options } = await world(path, [reply(text, { chunks: 8, chunkDelayMs: 30 })]);
    const call = stream("Name knots.", options);
    const pieces: string[] = [];
    for await (const piece of call.textStream) pieces.push(piece);
    expect(pieces.join("")).toBe(text);
    expect(pieces.length).toBeGreaterThan(2);
    expect(await call.completion).toMatchObject({ text, stop: "completed" });
    await allGone();
  });

  it("gives the messages, with the model's events only where they are asked for", async () => {
    const { options } = await world(path, ["One.", "Two."]);
    const without = await all(stream("x", options));
    expect(without.some((message) => isMessage(message, "stream_event"))).toBe(false);
    expect(without.filter(isResult).map(({ result }) => result)).toEqual(["One."]);
    const events = await all(stream("x", { ...options, includePartialMessages: true }));
    expect(events.some((message) => isMessage(message, "stream_event"))).toBe(true);
  });

  it("ends the call when its reader leaves", async () => {
    const { model, options } = await world(path, [hang(["Half an"])]);
    const call = stream("x", options);
    for await (const piece of call.textStream) {
      expect(piece).toBe("Half an");
      break;
    }
    await expect(call.completion).rejects.toMatchObject({
      code: "aborted",
      partialText: "Half an",
    });
    expect(model.calls.length).toBe(1);
    await allGone();
  });

  it("joins the parts of an answer that reached the limit of output tokens", async () => {
    const { options } = await world(path, [maxTokens("part "), maxTokens("two "), "end"]);
    const call = stream("x", options);
    const pieces: string[] = [];
    for await (const piece of call.textStream) pieces.push(piece);
    expect((await call.completion).text).toBe("part two end");
    expect(pieces.join("")).toBe("part two end");
  });

  it("keeps the text so far when the model falls silent", async () => {
    const { options } = await world(path, [hang(["Half an"])]);
    const failed = complete("x", { ...options, timeouts: { idleMs: 1500 } });
    await expect(failed).rejects.toMatchObject({
      code: "timeout",
      phase: "idle",
      partialText: "Half an",
    });
  });
});

describe("a stream", () => {
  it("tells of bad input by itself, not by an exception", async () => {
    const call = stream("");
    await expect(all(call)).rejects.toMatchObject({ code: "invalid_options" });
    await expect(call.completion).rejects.toMatchObject({ code: "invalid_options" });
  });

  it("can be read once by each way", async () => {
    const { options } = await world(NEWEST_CLI, ["ok"]);
    const call = stream("x", options);
    const [messages, text] = await Promise.all([all(call), joined(call.textStream)]);
    expect(messages.length).toBeGreaterThan(1);
    expect(text).toBe("ok");
    expect(() => call[Symbol.asyncIterator]()).toThrow(
      expect.objectContaining({ code: "already_consumed" }),
    );
    expect(() => call.textStream[Symbol.asyncIterator]()).toThrow(
      expect.objectContaining({ code: "already_consumed" }),
    );
  });

  it("can be read after its end", async () => {
    const cli = await fakeCli({ steps: [{ on: "user", do: [{ turn: "ok" }] }] });
    onTestFinished(() => cli.dispose());
    const call = stream("x", { cliPath: cli.path });
    await call.completion;
    expect(await joined(call.textStream)).toBe("ok");
    expect((await all(call)).some(isResult)).toBe(true);
  });

  it("may be left after its end", async () => {
    const cli = await fakeCli({ steps: [{ on: "user", do: [{ turn: "ok" }] }] });
    onTestFinished(() => cli.dispose());
    const call = stream("x", { cliPath: cli.path });
    for await (const message of call) if (isResult(message)) break;
    expect((await call.completion).text).toBe("ok");
  });
});

it("the value of a completion has the type of its schema", () => {
  const typed = () => complete("x", { schema: z.object({ n: z.number() }) });
  expectTypeOf(typed).returns.resolves.toEqualTypeOf<Completion<{ n: number }>>();
  const plain = () => complete("x", { schema: { type: "object" } });
  expectTypeOf(plain).returns.resolves.toEqualTypeOf<Completion<unknown>>();
  const none = () => complete("x", { model: "opus" });
  expectTypeOf(none).returns.resolves.toEqualTypeOf<Completion<undefined>>();
  const streamed = () => stream("x", { schema: z.array(z.string()) }).completion;
  expectTypeOf(streamed).returns.resolves.toEqualTypeOf<Completion<string[]>>();
});

async function all(messages: AsyncIterable<Message>): Promise<Message[]> {
  const list: Message[] = [];
  for await (const message of messages) list.push(message);
  return list;
}

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text;
}
