import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createConversation } from "../../src/conversations/create-conversation.js";
import { createRunWorld, type RunProgram, type RunWorld } from "../support/run-world.js";
import { HandledConversation } from "./conversation-world.helper.js";

let world: RunWorld;
let program: RunProgram;
beforeAll(async () => {
  world = await createRunWorld();
  program = await world.open();
});
afterAll(() => world[Symbol.asyncDispose]());

const withUser = (user: string, options = {}) =>
  new HandledConversation(program, { channel: "terminal", user }, options);

describe("conversation.send()", () => {
  it("continues one session, and answers one message after the other in their order", async () => {
    const talk = withUser("order");
    const runs = await Promise.all(
      ["one", "two", "three", "four", "five"].map((text) => talk.conversation.send(text)),
    );
    const sent = (await talk.conversation.history()).map(({ text }) => text);
    const sessions = new Set<string>();
    for (const text of sent) {
      const claim = await talk.claim();
      if (claim === undefined) throw new Error("There is nothing to claim.");
      expect(claim.run.prompt).toBe(text);
      expect(await talk.claim()).toBeUndefined();
      sessions.add(claim.run.sessionId);
      await program.claims.settle(claim, {
        type: "done",
        costUsd: 0.01,
        usage: undefined,
        workedMs: 1,
        outcome: { text: `answer to ${text}`, stop: "completed", usage: {} as never },
      });
    }
    expect(sessions.size).toBe(1);
    for (const run of runs) expect((await run.result()).text).toMatch(/^answer to /);
    const history = await talk.conversation.history();
    expect(history.map(({ role, text }) => `${role}: ${text}`)).toEqual([
      ...sent.map((text) => `user: ${text}`),
      ...sent.map((text) => `assistant: answer to ${text}`),
    ]);
    expect(history.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it("keeps channels, users and projects apart", async () => {
    const keys = [
      { channel: "terminal", user: "apart" },
      { channel: "http", user: "apart" },
      { channel: "terminal", user: "apart-2" },
      { channel: "terminal", user: "apart", project: "harbour" },
    ];
    const sessions = new Set<string>();
    for (const key of keys) {
      const talk = new HandledConversation(program, key);
      await talk.exchange(`I am ${JSON.stringify(key)}`, "Hello.");
      sessions.add((await (await talk.conversation.send("Who am I?")).info()).sessionId);
      expect(await talk.conversation.history()).toHaveLength(3);
    }
    expect(sessions.size).toBe(keys.length);
  });

  it("counts a message with the same id once, from any number of programs", async () => {
    const other = await world.open();
    const key = { channel: "http", user: "twice" };
    const talks = [program, other].map(({ parts }) => createConversation(parts, key));
    const message = [{ type: "text", text: "Order ten ropes." }] as const;
    const runs = await Promise.all(
      [0, 1, 0, 1, 0, 1].map((place) => talks[place]?.send(message, { id: "message 1" })),
    );
    expect(new Set(runs.map((run) => run?.id)).size).toBe(1);
    expect(await talks[0]?.history()).toMatchObject([
      { role: "user", text: "Order ten ropes.", id: "message 1", run: runs[0]?.id },
    ]);
    await expect(talks[1]?.send("Order nine.", { id: "message 1" })).rejects.toMatchObject({
      code: "invalid_options",
      issues: [{ path: "id" }],
    });
    expect(await talks[0]?.history()).toHaveLength(1);
  });

  it("goes on after a message whose run failed, and stores the answer of a run that was retried", async () => {
    const talk = withUser("failed");
    const failed = await talk.conversation.send("Will it work?");
    await talk.fail();
    await talk.exchange("And now?", "Yes.");
    expect((await talk.conversation.history()).map(({ role }) => role)).toEqual([
      "user",
      "user",
      "assistant",
    ]);
    expect(await failed.retry()).toBe(true);
    await talk.answer("It works.");
    expect((await talk.conversation.history()).at(-1)).toMatchObject({
      role: "assistant",
      text: "It works.",
      run: failed.id,
    });
    expect(await talk.conversation.history()).toHaveLength(4);
  });

  it("keeps any text, also U+0000 and half surrogates", async () => {
    const talk = withUser("any text");
    const text = "a\u0000b \ud800 日本 '; drop table run; --";
    await talk.exchange(text, `You said: ${text}`);
    expect((await talk.conversation.history()).map((message) => message.text)).toEqual([
      text,
      `You said: ${text}`,
    ]);
  });

  it("gives the run the options, and says in its metadata whose message it is", async () => {
    const key = { channel: "http", user: "options", project: "harbour" };
    const talk = createConversation(program.parts, key, {
      model: "sonnet",
      profile: "clerk",
      tenant: "harbour-office",
    });
    const run = await talk.send("Hello.", { budgetUsd: 0.5 });
    expect(await run.info()).toMatchObject({
      tenant: "harbour-office",
      profile: "clerk",
      options: { model: "sonnet" },
      budgetUsd: 0.5,
      metadata: { ...key, conversation: expect.any(String) },
    });
  });

  it("refuses another tenant, a bad key and a bad idle time with invalid_options", async () => {
    const key = { channel: "http", user: "strict" };
    await createConversation(program.parts, key).send("Hello.");
    const other = createConversation(program.parts, key, { tenant: "another" });
    await expect(other.send("Hello.")).rejects.toMatchObject({ issues: [{ path: "tenant" }] });
    const make = (changed: object, options = {}) =>
      createConversation(program.parts, { ...key, ...changed }, options);
    for (const bad of [{ channel: "" }, { user: "a\0b" }, { project: 7 as never }]) {
      expect(() => make(bad)).toThrow(expect.objectContaining({ code: "invalid_options" }));
    }
    expect(() => make({}, { idleMs: 0 })).toThrow(
      expect.objectContaining({ code: "invalid_options" }),
    );
  });
});

describe("cost and quota of a user", () => {
  it("are those of the tenant with the user's name", async () => {
    const talk = withUser("spender");
    await program.tenants.set("spender", { budgetUsd: { day: 0.05 } });
    await talk.conversation.send("Spend.");
    await talk.answer("Spent.", 0.06);
    expect(await talk.conversation.usage()).toMatchObject({
      tenant: "spender",
      costUsd: 0.06,
      runs: 1,
    });
    await expect(talk.conversation.send("More.")).rejects.toMatchObject({ code: "budget_refused" });
    // A message that was refused is not stored.
    expect(await talk.conversation.history()).toHaveLength(2);
  });
});

describe("conversation.history()", () => {
  it("gives the newest messages before a number, the oldest first", async () => {
    const talk = withUser("pages");
    for (const text of ["one", "two", "three"]) await talk.exchange(text, `${text}!`);
    const texts = async (range: { before?: number; limit?: number }) =>
      (await talk.conversation.history(range)).map(({ text }) => text);
    expect(await texts({ limit: 2 })).toEqual(["three", "three!"]);
    expect(await texts({ before: 5, limit: 3 })).toEqual(["one!", "two", "two!"]);
    expect(await texts({ before: 1 })).toEqual([]);
    expect(await texts({ limit: 0 })).toEqual([]);
    await expect(texts({ limit: 1.5 })).rejects.toMatchObject({ code: "invalid_options" });
    expect(
      await createConversation(program.parts, { channel: "x", user: "new" }).history(),
    ).toEqual([]);
  });
});

describe("conversation.search()", () => {
  it("finds messages and answers of the user in this channel, the newest first", async () => {
    const talk = withUser("searcher");
    const elsewhere = new HandledConversation(program, {
      channel: "terminal",
      user: "searcher",
      project: "harbour",
    });
    await talk.exchange("The crane is broken.", "Crane number seven?");
    await elsewhere.exchange("Repair the CRANE, please.", "On it.");
    await withUser("stranger").exchange("My crane is secret.", "I see.");
    const other = new HandledConversation(program, { channel: "http", user: "searcher" });
    await other.exchange("A crane on another channel.", "Yes.");
    const found = await talk.conversation.search("crane");
    expect(found.map(({ text, project }) => `${project}: ${text}`)).toEqual([
      "harbour: Repair the CRANE, please.",
      ": Crane number seven?",
      ": The crane is broken.",
    ]);
    expect(await talk.conversation.search("crane sev")).toMatchObject([
      { role: "assistant", text: "Crane number seven?" },
    ]);
    expect(await talk.conversation.search("crane", { limit: 1 })).toHaveLength(1);
    expect(await talk.conversation.search("ship")).toEqual([]);
    expect(await talk.conversation.search("  ?! ")).toEqual([]);
    expect(await talk.conversation.search("'; \\ & | :* crane")).toHaveLength(3);
  });
});
