import { describe, expect, expectTypeOf, it, onTestFinished } from "vitest";
import { z } from "zod";
import {
  type CompleteOptions,
  type Completion,
  complete,
  stream,
} from "../../src/complete/index.js";
import { fakeCli, hang, maxTokens, reply } from "../../src/testing/index.js";
import { isMessage, isResult, type Message } from "../../src/wire/index.js";
import { clisInTurn } from "../support/cli.js";
import { allGone } from "../support/gone.js";
import { sharedWorld } from "../support/shared-world.js";
import { world } from "../support/world.js";

describe.each(clisInTurn())("stream() on the real CLI $name", ({ path }) => {
  const shared = sharedWorld(path);
  const ask = (more: CompleteOptions = {}) =>
    stream("x", { ...shared.options, pool: shared.pool(), ...more });

  it("gives the text in pieces as it arrives, and then the completion", async () => {
    const text = "A bowline, a sheet bend, a clove hitch.";
    shared.script(reply(text, { chunks: 8, chunkDelayMs: 30 }));
    const call = ask();
    const pieces: string[] = [];
    for await (const piece of call.textStream) pieces.push(piece);
    expect(pieces.join("")).toBe(text);
    expect(pieces.length).toBeGreaterThan(2);
    expect(await call.completion).toMatchObject({ text, stop: "completed" });
  });

  it("yields stream_event messages only with includePartialMessages", async () => {
    shared.script("One.", "Two.");
    const without = await all(ask());
    expect(without.some((message) => isMessage(message, "stream_event"))).toBe(false);
    expect(without.filter(isResult).map(({ result }) => result)).toEqual(["One."]);
    const events = await all(ask({ includePartialMessages: true }));
    expect(events.some((message) => isMessage(message, "stream_event"))).toBe(true);
  });

  it("joins the parts of an answer that reached the limit of output tokens", async () => {
    shared.script(maxTokens("part "), maxTokens("two "), "end");
    const call = ask();
    const pieces: string[] = [];
    for await (const piece of call.textStream) pieces.push(piece);
    expect((await call.completion).text).toBe("part two end");
    expect(pieces.join("")).toBe("part two end");
  });

  it("can be read once as messages and once as text, also at the same time", async () => {
    shared.script("ok");
    const call = ask();
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
});

describe.each(clisInTurn())("stream() on a process of its own, real CLI $name", ({ path }) => {
  it("ends the call when the reader leaves the loop", async () => {
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
});

describe("stream()", () => {
  it("rejects on invalid input instead of throwing", async () => {
    const call = stream("");
    await expect(all(call)).rejects.toMatchObject({ code: "invalid_options" });
    await expect(call.completion).rejects.toMatchObject({ code: "invalid_options" });
  });

  it("can be read after the call has ended", async () => {
    const cli = await fakeCli({ steps: [{ on: "user", do: [{ turn: "ok" }] }] });
    onTestFinished(() => cli.dispose());
    const call = stream("x", { cliPath: cli.path });
    await call.completion;
    expect(await joined(call.textStream)).toBe("ok");
    expect((await all(call)).some(isResult)).toBe(true);
  });

  it("resolves completion if the reader leaves after the result", async () => {
    const cli = await fakeCli({ steps: [{ on: "user", do: [{ turn: "ok" }] }] });
    onTestFinished(() => cli.dispose());
    const call = stream("x", { cliPath: cli.path });
    for await (const message of call) if (isResult(message)) break;
    expect((await call.completion).text).toBe("ok");
  });
});

it("Completion.value has the type of the schema", () => {
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
