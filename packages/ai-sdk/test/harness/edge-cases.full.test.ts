import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tool } from "ai";
import { processes } from "hawser";
import { thinking, toolUse } from "hawser/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { approvalResponse, harnessWorld, requestIn } from "./support/harness-world.js";

const world = harnessWorld();

/** The text of all transcripts. */
function transcripts(): string {
  const folder = join(world.ai.place.configDir, "projects");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const texts = files.filter((name) => name.endsWith(".jsonl"));
  return texts.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
}

describe("several calls in one message", () => {
  it("are asked about one after the other, and each runs as it was answered", async () => {
    const [one, two] = ["one.txt", "two.txt"].map((name) => join(world.ai.place.cwd, name));
    world.ai.script(
      [
        toolUse("Write", { file_path: one, content: "1" }),
        toolUse("Write", { file_path: two, content: "2" }),
      ],
      "Half done.",
    );
    const agent = world.agent({ permissionMode: "allow-reads" });
    const session = await world.session(agent);
    const first = await agent.generate({ session, prompt: "Write both." });
    const second = await agent.continueGenerate({
      session,
      toolApprovalContinuations: [approvalResponse(requestIn(first), false)],
    });
    expect(requestIn(second).toolCall.toolCallId).not.toBe(requestIn(first).toolCall.toolCallId);
    const third = await agent.continueGenerate({
      session,
      toolApprovalContinuations: [approvalResponse(requestIn(second), true)],
    });
    expect(third.text).toBe("Half done.");
    expect(existsSync(one ?? "")).toBe(false);
    expect(readFileSync(two ?? "", "utf8")).toBe("2");
    expect(world.ai.calls[1]?.toolResults.map(({ isError }) => isError)).toEqual([true, false]);
  });

  it("can be of the CLI and of the host", async () => {
    const ran: string[] = [];
    const note = tool({
      inputSchema: z.object({}),
      execute: async () => {
        ran.push("note");
        return "noted";
      },
    });
    const file = join(world.ai.place.cwd, "mixed.txt");
    world.ai.script(
      [
        toolUse("mcp__app__note", {}),
        toolUse("Bash", { command: `echo mixed >> ${file}` }),
        toolUse("mcp__app__note", {}),
      ],
      "All three.",
    );
    const agent = world.agent({ tools: { note }, permissionMode: "allow-edits" });
    const session = await world.session(agent);
    const first = await agent.generate({ session, prompt: "Go." });
    expect(requestIn(first).toolCall.toolName).toBe("bash");
    const second = await agent.continueGenerate({
      session,
      toolApprovalContinuations: [approvalResponse(requestIn(first), true)],
    });
    expect(second.text).toBe("All three.");
    expect(readFileSync(file, "utf8")).toBe("mixed\n");
    expect(ran).toEqual(["note", "note"]);
    expect(world.ai.calls[1]?.toolResults).toHaveLength(3);
  });
});

describe("a process that dies", () => {
  it("while a call waits: the turn fails with process_exited, and the session goes on", async () => {
    const file = join(world.ai.place.cwd, "dead.txt");
    world.ai.script([toolUse("Write", { file_path: file, content: "no" })], "Alive again.");
    const agent = world.agent({ permissionMode: "allow-reads" });
    const session = await world.session(agent);
    // Those of earlier tests may still be ending.
    const others = processes().map(({ pid }) => pid);
    const first = await agent.generate({ session, prompt: "Write." });
    const running = processes().find(({ pid }) => !others.includes(pid));
    // A CLI that is killed before it has written the transcript leaves nothing to go on with.
    await vi.waitFor(() => expect(transcripts()).toContain(file), 30_000);
    process.kill(running?.pid ?? Number.NaN, "SIGKILL");
    const second = agent.continueGenerate({
      session,
      toolApprovalContinuations: [approvalResponse(requestIn(first), true)],
    });
    await expect(second).rejects.toMatchObject({ cause: { code: "process_exited" } });
    expect(existsSync(file)).toBe(false);
    const { text } = await agent.generate({ session, prompt: "Are you there?" });
    expect(text).toBe("Alive again.");
  });
});

describe("hawserHarness()", () => {
  it("takes the processes from a pool", async () => {
    world.ai.script("From the pool.");
    const agent = world.agent({}, { pool: world.ai.pool });
    const session = await world.session(agent);
    const { text } = await agent.generate({ session, prompt: "Hello." });
    expect(text).toBe("From the pool.");
    expect(world.ai.pool.stats().processes.serving).toBe(1);
    await session.destroy();
    await world.ai.settled();
    await world.ai.pool.drain();
  });

  it("refuses a sandbox that is not of this machine", async () => {
    const agent = world.agent();
    const description = "far away";
    const run = async () => ({ exitCode: 0, stdout: "/work", stderr: "" });
    const createSession = agent.createSession({ sandboxSession: { description, run } as never });
    await expect(createSession).rejects.toThrow("localWorkspace()");
  });

  it("obeys its rules before permissionMode: a call that they deny is not run by the host", async () => {
    let runs = 0;
    const danger = tool({
      inputSchema: z.object({}),
      execute: async () => {
        runs += 1;
        return "done";
      },
    });
    world.ai.script([toolUse("mcp__app__danger", {})], "I may not.");
    const rules = [{ tool: "mcp__app__danger", decision: "deny" as const }];
    const agent = world.agent({ tools: { danger } }, { rules });
    const session = await world.session(agent);
    const { text, steps } = await agent.generate({ session, prompt: "Go." });
    expect(text).toBe("I may not.");
    expect(runs).toBe(0);
    expect(steps[0]?.content).toMatchObject([
      { type: "tool-call", toolName: "danger", providerExecuted: true },
      { type: "tool-error", toolName: "danger" },
    ]);
  });

  it("shows what the model thinks", async () => {
    world.ai.script([thinking("A loop, then."), { type: "text", text: "A bowline." }]);
    const agent = world.agent();
    const session = await world.session(agent);
    const result = await agent.stream({ session, prompt: "Think." });
    let reasoning = "";
    for await (const part of result.fullStream) {
      if (part.type === "reasoning-delta") reasoning += part.text;
    }
    expect(reasoning).toBe("A loop, then.");
    expect(await result.text).toBe("A bowline.");
  });

  it("continues the conversation if the tools or the model change between turns", async () => {
    world.ai.script("One.", "Two.", "Three.");
    const other = tool({ description: "Another tool.", inputSchema: z.object({}) });
    const agent = world.agent({
      prepareCall: ({ prompt, ...rest }: { prompt: string }) => ({
        ...rest,
        prompt,
        ...(prompt === "Second." ? { model: "haiku" } : {}),
        ...(prompt === "Third." ? { tools: { other } } : {}),
      }),
    });
    const session = await world.session(agent);
    await agent.generate({ session, prompt: "First." });
    await agent.generate({ session, prompt: "Second." });
    await agent.generate({ session, prompt: "Third." });
    const [, second, third] = world.ai.calls;
    expect(second?.model).toContain("haiku");
    expect(third?.tools).toContain("mcp__app__other");
    expect(JSON.stringify(third?.body)).toContain("Two.");
  });

  it("tells the lines that the CLI writes to stderr to onLog", async () => {
    world.ai.script("Hello.");
    const seen: unknown[] = [];
    // The agent also writes the lines to the stderr of the program.
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => written.mockRestore());
    const agent = world.agent(
      { debug: { enabled: true }, onLog: (event: unknown) => seen.push(event) },
      { extraArgs: { "debug-to-stderr": null } },
    );
    const session = await world.session(agent);
    await agent.generate({ session, prompt: "Hello." });
    expect(seen[0]).toMatchObject({ subsystem: "hawser.cli", stream: "stderr" });
  });
});
