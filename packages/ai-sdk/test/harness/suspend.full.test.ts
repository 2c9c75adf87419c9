import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tool } from "ai";
import { processes } from "hawser";
import { hang, reply, toolUse } from "hawser/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { approvalResponse, harnessWorld, nothingRuns, requestIn } from "./support/harness-world.js";
import {
  allGone,
  type FirstLife,
  lifeIn,
  runProgram,
  type SecondLife,
} from "./support/run-program.js";

const world = harnessWorld();

describe("session.suspendTurn()", () => {
  it("keeps the process, and another session continues the same turn", async () => {
    const file = join(world.ai.place.cwd, "same.txt");
    world.ai.script([toolUse("Write", { file_path: file, content: "same" })], "Written.");
    const agent = world.agent({ permissionMode: "allow-reads" });
    const session = await world.session(agent);
    const first = await agent.generate({ session, prompt: "Write." });
    const [before] = processes();
    const state = await session.suspendTurn();
    const continueFrom = JSON.parse(JSON.stringify(state));
    const { sessionId } = session;
    const other = await world.session(agent, { sessionId, continueFrom });
    const { approvalId } = requestIn(first);
    const second = await agent.continueGenerate({
      session: other,
      toolApprovalContinuations: [approvalResponse({ approvalId }, true)],
    });
    expect(second.text).toBe("Written.");
    expect(readFileSync(file, "utf8")).toBe("same");
    expect(processes().map(({ pid }) => pid)).toEqual([before?.pid]);
    expect(world.ai.calls).toHaveLength(2);
  });

  it("in the middle of a text: the rest comes later, and none of it twice", async () => {
    const words = Array.from({ length: 40 }, (_, index) => `word${index} `);
    world.ai.script(reply(words.join(""), { chunks: 40, chunkDelayMs: 10 }));
    const agent = world.agent();
    const session = await world.session(agent);
    const result = await agent.stream({ session, prompt: "Talk." });
    let told = "";
    let state: object | undefined;
    for await (const part of result.fullStream) {
      if (part.type !== "text-delta") continue;
      told += part.text;
      state ??= session.suspendTurn();
    }
    const { sessionId } = session;
    const other = await world.session(agent, { sessionId, continueFrom: await state });
    const rest = await agent.continueStream({ session: other });
    for await (const part of rest.fullStream) if (part.type === "text-delta") told += part.text;
    expect(told).toBe(words.join(""));
  });

  it("ends the process after parkMs, and the turn still continues by the transcript", async () => {
    const file = join(world.ai.place.cwd, "late.txt");
    const write = toolUse("Write", { file_path: file, content: "late" });
    world.ai.script([write], [write], "Written late.");
    const agent = world.agent({ permissionMode: "allow-reads" }, { parkMs: 1 });
    const session = await world.session(agent);
    await agent.generate({ session, prompt: "Write." });
    const continueFrom = await session.suspendTurn();
    await nothingRuns();
    expect(existsSync(file)).toBe(false);
    const { sessionId } = session;
    const other = await world.session(agent, { sessionId, continueFrom });
    const [{ approvalId = "" } = {}] = continueFrom.pendingToolApprovals ?? [];
    const { text } = await agent.continueGenerate({
      session: other,
      toolApprovalContinuations: [approvalResponse({ approvalId }, true)],
    });
    expect(text).toBe("Written late.");
    expect(readFileSync(file, "utf8")).toBe("late");
  });
});

describe("a turn in the middle of a text whose process is gone", () => {
  it("goes on with a new process, which knows the conversation", async () => {
    world.ai.script(hang("I begin"), "I begin again.");
    const agent = world.agent({}, { parkMs: 1 });
    const session = await world.session(agent);
    const result = await agent.stream({ session, prompt: "Talk of knots." });
    let state: Promise<object> | undefined;
    for await (const part of result.fullStream) {
      if (part.type === "text-delta") state ??= session.suspendTurn();
    }
    await nothingRuns();
    const { sessionId } = session;
    const other = await world.session(agent, { sessionId, continueFrom: await state });
    const { text } = await agent.continueGenerate({ session: other });
    expect(text).toBe("I begin again.");
    expect(JSON.stringify(world.ai.calls[1]?.body)).toContain("Talk of knots.");
    expect(world.ai.calls[1]?.prompt).toContain("Go on with the task");
  });
});

describe("a turn that waits for an approval", () => {
  it("lets its process end after parkMs, and goes on with another one when the answer comes", async () => {
    const file = join(world.ai.place.cwd, "patient.txt");
    const write = toolUse("Write", { file_path: file, content: "patient" });
    world.ai.script([write], [write], "Written at last.");
    const agent = world.agent({ permissionMode: "allow-reads" }, { parkMs: 1 });
    const session = await world.session(agent);
    const first = await agent.generate({ session, prompt: "Write." });
    await nothingRuns();
    const second = await agent.generate({
      session,
      messages: [
        { role: "user", content: "Write." },
        ...first.responseMessages,
        { role: "tool", content: [approvalResponse(requestIn(first), true)] },
      ],
    });
    expect(second.text).toBe("Written at last.");
    expect(readFileSync(file, "utf8")).toBe("patient");
  });
});

describe("parkMs of hawserHarness()", () => {
  it("is as long as a timer can be if it is Infinity", async () => {
    const file = join(world.ai.place.cwd, "endless.txt");
    world.ai.script([toolUse("Write", { file_path: file, content: "endless" })], "Written.");
    const warnings: string[] = [];
    const onWarning = ({ name }: Error) => void warnings.push(name);
    process.on("warning", onWarning);
    onTestFinished(() => void process.off("warning", onWarning));
    const parkMs = Number.POSITIVE_INFINITY;
    const agent = world.agent({ permissionMode: "allow-reads" }, { parkMs });
    const session = await world.session(agent);
    const first = await agent.generate({ session, prompt: "Write." });
    const second = await agent.generate({
      session,
      messages: [
        { role: "user", content: "Write." },
        ...first.responseMessages,
        { role: "tool", content: [approvalResponse(requestIn(first), true)] },
      ],
    });
    expect(second.text).toBe("Written.");
    // Another process would not have run the call that the first one asked about.
    expect(readFileSync(file, "utf8")).toBe("endless");
    // Node warns of a timer that is too long, and lets it end after one millisecond.
    expect(warnings).toEqual([]);
  });
});

describe("session.stop()", () => {
  it("ends the process between turns, and the conversation can be resumed", async () => {
    world.ai.script("A bowline.", "A sheet bend.");
    const agent = world.agent();
    const session = await world.session(agent);
    await agent.generate({ session, prompt: "Name a knot." });
    const resumeFrom = await session.stop();
    await nothingRuns();
    const { sessionId } = session;
    const other = await world.session(agent, { sessionId, resumeFrom });
    expect(other.isResume).toBe(true);
    const { text } = await agent.generate({ session: other, prompt: "Another one." });
    expect(text).toBe("A sheet bend.");
    expect(JSON.stringify(world.ai.calls[1]?.body)).toContain("A bowline.");
  });

  it("ends the process during a turn, and the turn can be continued", async () => {
    const pick = tool({ inputSchema: z.object({}) });
    world.ai.script([toolUse("mcp__app__pick", {})], "Thanks.");
    const agent = world.agent({ tools: { pick } });
    const session = await world.session(agent);
    await agent.generate({ session, prompt: "Pick." });
    const resumeFrom = await session.stop();
    await nothingRuns();
    const { sessionId } = session;
    const other = await world.session(agent, { sessionId, resumeFrom });
    const [{ toolCallId = "" } = {}] = resumeFrom.continueFrom?.pendingToolResults ?? [];
    const { text } = await agent.continueGenerate({
      session: other,
      toolResultContinuations: [
        {
          type: "tool-result",
          toolCallId,
          toolName: "pick",
          output: { type: "text", value: "rope" },
        },
      ],
    });
    expect(text).toBe("Thanks.");
    expect(world.ai.calls[1]?.prompt).toContain("rope");
  });
});

describe("session.detach()", () => {
  it("keeps the process for the next session", async () => {
    world.ai.script("A bowline.", "A sheet bend.");
    const agent = world.agent();
    const session = await world.session(agent);
    await agent.generate({ session, prompt: "Name a knot." });
    const [before] = processes();
    const resumeFrom = await session.detach();
    const { sessionId } = session;
    const other = await world.session(agent, { sessionId, resumeFrom });
    const { text } = await agent.generate({ session: other, prompt: "Another one." });
    expect(text).toBe("A sheet bend.");
    expect(processes().map(({ pid }) => pid)).toEqual([before?.pid]);
  });
});

describe("a turn that a program suspends", () => {
  it("is continued by another program: an allowed call runs exactly once", async () => {
    const file = join(world.ai.place.cwd, "lives.txt");
    const append = toolUse("Bash", { command: `echo knot >> ${file}`, description: "Adds a line" });
    world.ai.script([append], [append], "Added.");
    const first = (await runProgram("two-lives.ts", lifeIn(world))) as FirstLife;
    expect(first.types).toContain("tool-approval-request");
    expect(first.pids).toHaveLength(1);
    await allGone(first.pids);
    expect(existsSync(file)).toBe(false);
    const second = (await runProgram("two-lives.ts", {
      ...lifeIn(world),
      suspended: first,
      approved: true,
    })) as SecondLife;
    expect(second).toMatchObject({ text: "Added.", isResume: true, left: 0 });
    expect(readFileSync(file, "utf8")).toBe("knot\n");
  });
});
