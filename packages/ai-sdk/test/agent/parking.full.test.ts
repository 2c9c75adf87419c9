import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { APICallError } from "@ai-sdk/provider";
import { isHawserError } from "hawser";
import { hang, toolUse } from "hawser/testing";
import { afterEach, describe, expect, it } from "vitest";
import { createHawser, type HawserProvider } from "../../src/index.js";
import { aiWorld } from "../support/ai-world.js";
import { Conversation, outline } from "./conversation.helper.js";

const world = aiWorld({ pool: { size: { min: 0, max: 4 } } });
const providers: HawserProvider[] = [];
const runs = (name: string) =>
  toolUse("Bash", { command: `echo run >> ${name}`, description: "runs" });
const inFolder = (name: string) => join(world.place.cwd, name);
const linesOf = (name: string) =>
  existsSync(inFolder(name)) ? readFileSync(inFolder(name), "utf8") : "";

/** A provider of its own on the pool of the world, like another start of the program. */
function provider(): HawserProvider {
  const { cliPath, cwd, env, inheritEnv } = world.cliOptions;
  const made = createHawser({ pool: world.pool, cliPath, cwd, env, inheritEnv });
  providers.push(made);
  return made;
}

afterEach(async () => {
  for (const made of providers.splice(0)) await made.close();
  await world.settled();
  expect(world.pool.stats().calls.running).toBe(0);
});

describe("a parked turn of hawser.agent()", () => {
  it("runs the tool once if two requests bring the same answer at the same time; the second one fails", async () => {
    world.script(runs("double.txt"), "Done.");
    const talk = new Conversation(world.checked(provider().agent("sonnet")));
    await talk.say("Run it.");
    talk.messages.push(talk.decision(true));
    const same = [...talk.messages];
    const [first, second] = await Promise.all([
      talk.run(undefined, same),
      talk.run(undefined, same),
    ]);
    expect(first.text).toBe("Done.");
    expect(second.errors).toHaveLength(1);
    expect(APICallError.isInstance(second.errors[0]) && second.errors[0].isRetryable).toBe(false);
    expect(String(second.errors[0])).toContain("given before");
    expect(linesOf("double.txt")).toBe("run\n");

    const third = await talk.run(undefined, same);
    expect(String(third.errors[0])).toContain("given before");
    expect(linesOf("double.txt")).toBe("run\n");
  });

  it("ends at its time limit, and tells the model of an approval that comes later that nothing was run", async () => {
    world.script(runs("late.txt"), runs("late.txt"), "Done.");
    const model = provider().agent("sonnet", { parkedMs: 200 });
    const talk = new Conversation(world.checked(model));
    await talk.say("Run it.");
    await world.settled();
    const again = await talk.decide(true);
    expect(linesOf("late.txt")).toBe("");
    expect(outline(again)).toContain("tool-approval-request Bash");
    expect(world.calls[1]?.toolResults).toMatchObject([
      { isError: true, text: expect.stringContaining("was not run") },
    ]);
    await world.settled();
  });

  it("is lost with its program: the request is answered from the history, and the call is asked about again", async () => {
    world.script(runs("lost.txt"), runs("lost.txt"), "Done.");
    const first = provider();
    const talk = new Conversation(world.checked(first.agent("sonnet")));
    await talk.say("Run it.");
    talk.messages.push(talk.decision(true));

    const later = new Conversation(world.checked(provider().agent("sonnet")));
    later.messages.push(...talk.messages);
    const asked = await later.run();
    expect(outline(asked).at(-1)).toBe("finish tool-calls");
    expect(linesOf("lost.txt")).toBe("");
    expect(world.calls[1]?.toolResults[0]?.text).toContain("It may not have run.");
    expect((await later.decide(true)).text).toBe("Done.");
    expect(linesOf("lost.txt")).toBe("run\n");
  });

  it("ends if the conversation goes on without an answer, and the model is told", async () => {
    world.script(runs("moved.txt"), "All right.");
    const talk = new Conversation(world.checked(provider().agent("sonnet")));
    await talk.say("Run it.");
    const decision = talk.decision(true);
    const said = await talk.say("Never mind.");
    expect(said.text).toBe("All right.");
    expect(world.calls[1]?.toolResults[0]?.text).toContain("was not run");
    await world.settled();
    expect(linesOf("moved.txt")).toBe("");
    expect(decision.content).toHaveLength(1);
  });

  it("ends if the request brings a result for the call that waits for an approval", async () => {
    world.script(runs("faked.txt"), "All right.");
    const talk = new Conversation(world.checked(provider().agent("sonnet")));
    await talk.say("Run it.");
    const toolCallId = talk.pending[0]?.toolCallId ?? "";
    const output = { type: "text" as const, value: "done by hand" };
    talk.messages.push({
      role: "tool",
      content: [{ type: "tool-result", toolCallId, toolName: "Bash", output }],
    });
    expect((await talk.run()).text).toBe("All right.");
    await world.settled();
    expect(linesOf("faked.txt")).toBe("");
  });

  it("goes on if its answer comes before the reader has closed the stream of the question", async () => {
    world.script(runs("early.txt"), "Done.");
    const model = provider().agent("sonnet");
    const user = { role: "user" as const, content: [{ type: "text" as const, text: "Go." }] };
    const reader = (await model.doStream({ prompt: [user] })).stream.getReader();
    let approvalId = "";
    for (;;) {
      const { value } = await reader.read();
      if (value?.type === "tool-approval-request") approvalId = value.approvalId;
      if (value?.type === "finish") break;
    }
    const answer = { type: "tool-approval-response" as const, approvalId, approved: true };
    const answered = model.doGenerate({ prompt: [user, { role: "tool", content: [answer] }] });
    expect(await reader.read()).toEqual({ done: true, value: undefined });
    expect((await answered).content.map(({ type }) => type)).toEqual([
      "tool-call",
      "tool-result",
      "text",
    ]);
  });

  it("ends when hawser.close() is called, and so does a turn that runs", async () => {
    world.script({
      always: ({ prompt }) => (prompt.includes("Wait") ? hang("Once") : runs("closed.txt")),
    });
    const hawser = provider();
    await new Conversation(world.checked(hawser.agent("sonnet"))).say("Run it.");
    const running = new Conversation(hawser.agent("sonnet")).say("Wait.");
    await world.simulated.waitFor(({ kind, prompt }) => kind === "call" && prompt.includes("Wait"));
    await hawser.close();
    expect(world.pool.stats().processes.serving).toBe(0);
    expect((await running).errors).toHaveLength(1);
    expect(linesOf("closed.txt")).toBe("");
    const after = await new Conversation(hawser.agent("sonnet")).say("Hello?");
    expect(String(after.errors[0])).toContain("closed");
  });

  it("makes room for another one: the turn that has waited longest ends at maxParked", async () => {
    world.script({
      always: ({ prompt }) => (/[12]/.exec(prompt) === null ? "Done." : runs("room.txt")),
    });
    const model = world.checked(provider().agent("sonnet", { maxParked: 1 }));
    const one = new Conversation(model);
    const two = new Conversation(model);
    await one.say("Run 1.");
    await two.say("Run 2.");
    expect(world.pool.stats().calls.running).toBeLessThanOrEqual(2);
    world.script({ always: "Done." });
    expect((await two.decide(true)).text).toBe("Done.");
    expect(linesOf("room.txt")).toBe("run\n");
    expect((await one.decide(true)).text).toBe("Done.");
    expect(linesOf("room.txt")).toBe("run\n");
  });

  it("waits as long as a timer can if parkedMs is Infinity", async () => {
    world.script(runs("patient.txt"), "Done.");
    const model = provider().agent("sonnet", { parkedMs: Number.POSITIVE_INFINITY });
    const talk = new Conversation(world.checked(model));
    expect(outline(await talk.say("Run it.")).at(-1)).toBe("finish tool-calls");
    expect((await talk.decide(true)).text).toBe("Done.");
  });

  it("is not ended by the abort of the request that it has answered", async () => {
    world.script(runs("kept.txt"), "Done.");
    const leaves = new AbortController();
    const talk = new Conversation(world.checked(provider().agent("sonnet")));
    await talk.say("Run it.", leaves.signal);
    leaves.abort();
    expect((await talk.decide(true)).text).toBe("Done.");
    expect(linesOf("kept.txt")).toBe("run\n");
  });
});

describe("abort of hawser.agent()", () => {
  it("leaves a turn that waits, if the reader cancels the stream after its last part", async () => {
    world.script(runs("cancelled.txt"), "Done.");
    const model = provider().agent("sonnet");
    const user = { role: "user" as const, content: [{ type: "text" as const, text: "Go." }] };
    const { stream } = await model.doStream({ prompt: [user] });
    const reader = stream.getReader();
    let approvalId = "";
    for (;;) {
      const { value } = await reader.read();
      if (value?.type === "tool-approval-request") approvalId = value.approvalId;
      if (value?.type === "finish") break;
    }
    await reader.cancel();
    const answer = { type: "tool-approval-response" as const, approvalId, approved: true };
    const { content } = await model.doGenerate({
      prompt: [user, { role: "tool", content: [answer] }],
    });
    expect(content.map(({ type }) => type)).toEqual(["tool-call", "tool-result", "text"]);
    expect(linesOf("cancelled.txt")).toBe("run\n");
  });

  it("ends the turn and its process while the answer streams", async () => {
    world.script(hang("Once upon a time"));
    const leaves = new AbortController();
    const model = provider().agent("sonnet");
    const { stream } = await model.doStream({
      prompt: [{ role: "user", content: [{ type: "text", text: "Tell a story." }] }],
      abortSignal: leaves.signal,
    });
    const reader = stream.getReader();
    for (;;) if ((await reader.read()).value?.type === "text-delta") break;
    const reason = new Error("I leave.");
    leaves.abort(reason);
    await expect(reader.read()).rejects.toBe(reason);
    await world.settled();
  });

  it("ends the turn if the reader cancels the stream", async () => {
    world.script(hang("Once upon a time"));
    const { stream } = await provider()
      .agent("sonnet")
      .doStream({ prompt: [{ role: "user", content: [{ type: "text", text: "Tell." }] }] });
    const reader = stream.getReader();
    for (;;) if ((await reader.read()).value?.type === "text-delta") break;
    await reader.cancel();
    await world.settled();
  });

  it("fails before anything is started if the signal is aborted already", async () => {
    const before = world.simulated.calls.length;
    const model = provider().agent("sonnet");
    const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi." }] }];
    const reason = new Error("Too late.");
    const called = model.doGenerate({ prompt, abortSignal: AbortSignal.abort(reason) });
    await expect(called).rejects.toBe(reason);
    expect(world.simulated.calls.length).toBe(before);
    expect(isHawserError(reason)).toBe(false);
  });
});
