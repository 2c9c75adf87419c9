import { existsSync } from "node:fs";
import { join } from "node:path";
import { isStepCount, tool } from "ai";
import { processes } from "hawser";
import { always, hang, reply, toolUse } from "hawser/testing";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { harnessWorld, nothingRuns } from "./support/harness-world.js";

const world = harnessWorld();

describe("abortSignal", () => {
  it("stops the turn with the signal's reason, and the session answers the next prompt", async () => {
    world.ai.script(hang("I begin"), "Again here.");
    const agent = world.agent();
    const session = await world.session(agent);
    const controller = new AbortController();
    const result = await agent.stream({
      session,
      prompt: "Talk.",
      abortSignal: controller.signal,
    });
    const types: string[] = [];
    for await (const part of result.fullStream) {
      types.push(part.type);
      if (part.type === "text-delta") controller.abort(new Error("enough"));
    }
    expect(types.at(-1)).toBe("abort");
    await expect(result.text).rejects.toThrow("enough");
    const { text } = await agent.generate({ session, prompt: "Are you there?" });
    expect(text).toBe("Again here.");
  });

  it("does not start the CLI if it is aborted already", async () => {
    const agent = world.agent();
    const session = await world.session(agent);
    const abortSignal = AbortSignal.abort(new Error("never"));
    await expect(agent.generate({ session, prompt: "Talk.", abortSignal })).rejects.toThrow(
      "never",
    );
    expect(processes()).toEqual([]);
  });

  it("stops the turn when a tool of the host that runs has ended", async () => {
    world.ai.script([toolUse("mcp__app__slow", {})], "Never said.");
    const controller = new AbortController();
    const slow = tool({
      inputSchema: z.object({}),
      execute: async (_, { abortSignal }) => {
        controller.abort(new Error("stop it"));
        abortSignal?.throwIfAborted();
      },
    });
    const agent = world.agent({ tools: { slow } });
    const session = await world.session(agent);
    const { signal: abortSignal } = controller;
    await expect(agent.generate({ session, prompt: "Go.", abortSignal })).rejects.toThrow(
      "stop it",
    );
  });
});

describe("session.destroy()", () => {
  it("ends the process in the middle of an answer", async () => {
    world.ai.script(hang("I begin"));
    const agent = world.agent();
    const session = await world.session(agent);
    const result = await agent.stream({ session, prompt: "Talk." });
    for await (const part of result.fullStream) if (part.type === "text-delta") break;
    expect(processes()).toHaveLength(1);
    await session.destroy();
    expect(processes()).toEqual([]);
  });

  it("ends the process that is just starting", async () => {
    world.ai.script(always("Never read."));
    const agent = world.agent();
    const session = await world.session(agent);
    const answer = agent.generate({ session, prompt: "Talk." });
    const refused = expect(answer).rejects.toMatchObject({ cause: { code: "closed" } });
    await vi.waitFor(() => expect(processes()).toHaveLength(1), { interval: 1 });
    await session.destroy();
    await refused;
    expect(processes()).toEqual([]);
  });

  it("ends the process while a call waits for approval, and the tool does not run", async () => {
    const file = join(world.ai.place.cwd, "never.txt");
    world.ai.script([toolUse("Write", { file_path: file, content: "no" })], "Never said.");
    const agent = world.agent({ permissionMode: "allow-reads" });
    const session = await world.session(agent);
    await agent.generate({ session, prompt: "Write." });
    await session.destroy();
    await nothingRuns();
    expect(existsSync(file)).toBe(false);
    expect(world.ai.calls).toHaveLength(1);
  });
});

describe("experimental_steer()", () => {
  it("adds a message to the turn that runs, and its answer is part of the same result", async () => {
    const seen: string[] = [];
    const look = tool({
      inputSchema: z.object({}),
      execute: async () => {
        await agent.experimental_steer({ session, text: "And be quick." });
        return "a rope";
      },
    });
    world.ai.script(
      [toolUse("mcp__app__look", {})],
      (call) => {
        seen.push(JSON.stringify(call.body));
        return "A rope.";
      },
      (call) => {
        seen.push(JSON.stringify(call.body));
        return "Quickly: a rope.";
      },
    );
    const agent = world.agent({ tools: { look } });
    const session = await world.session(agent);
    const result = await agent.generate({ session, prompt: "Look." });
    expect(seen.at(-1)).toContain("And be quick.");
    expect(result.text).toBe(seen.length === 1 ? "A rope." : "Quickly: a rope.");
  });
});

describe("session.compact()", () => {
  it("compacts the conversation, and the next turn shows it", async () => {
    world.ai.script("A bowline.", "<summary>They spoke of knots.</summary>", "Still here.");
    const agent = world.agent();
    const session = await world.session(agent);
    await agent.generate({ session, prompt: "Name a knot." });
    await session.compact("Keep the knots.");
    const { text, content } = await agent.generate({ session, prompt: "Are you there?" });
    expect(text).toBe("Still here.");
    const shown = content.find((part: { type: string }) => part.type === "tool-result");
    expect(shown).toMatchObject({
      toolName: "compaction",
      output: { trigger: "manual", summary: expect.stringContaining("They spoke of knots.") },
    });
    expect(JSON.stringify(world.ai.calls[1]?.body)).toContain("Keep the knots.");
  });
});

describe("stopWhen", () => {
  it("stops after a step; the turn goes on later, and nothing is lost", async () => {
    const ran: string[] = [];
    const step = tool({
      inputSchema: z.object({ name: z.string() }),
      execute: async ({ name }) => {
        ran.push(name);
        return name;
      },
    });
    world.ai.script(
      [toolUse("mcp__app__step", { name: "one" })],
      reply([{ type: "text", text: "Next." }, toolUse("mcp__app__step", { name: "two" })]),
      "All done.",
    );
    const agent = world.agent({ tools: { step }, stopWhen: isStepCount(1) });
    const session = await world.session(agent);
    const first = await agent.generate({ session, prompt: "Go." });
    expect(first.steps).toHaveLength(1);
    expect(session.hasUnfinishedTurn()).toBe(true);
    const second = await agent.continueGenerate({ session });
    expect(second.steps).toHaveLength(1);
    expect(second.text).toBe("Next.");
    const third = await agent.continueGenerate({ session });
    expect(third.text).toBe("All done.");
    expect(session.hasUnfinishedTurn()).toBe(false);
    expect(ran).toEqual(["one", "two"]);
    expect(world.ai.calls).toHaveLength(3);
  });
});
