import { describe, expect, it } from "vitest";
import { processes } from "../../src/process/index.js";
import { always, reply, type Step, toolUse } from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { recordingLogger } from "../support/recording-logger.js";
import { context, failureOf, onFake, place, tinyServer } from "./omega.helper.js";

const usage = { input_tokens: 100, output_tokens: 10 };
const work = (n: number) =>
  reply([`Step ${n}.`, toolUse("Bash", { command: `echo ${n} >> done.txt`, description: "d" })], {
    usage,
  });
const answer = reply("All done.", { usage });

describe.each(clisInTurn())("maxTurns of ClaudeCodeProvider on the real CLI $name", ({ path }) => {
  it("is passed three times by resuming, with the answer and the cost of the same work without a limit", async () => {
    const { logger, entries } = recordingLogger();
    const replies = () => [work(1), work(2), work(3), answer];
    const { provider, model } = await place(path, replies(), { maxTurns: 1, logger });
    const task = context({ systemPrompt: "You tie knots.", currentMessage: "Work." });
    const message = await provider.complete(task);
    expect(message.text).toBe("All done.");
    expect(message.metadata).toMatchObject({
      tokensUsed: 440,
      resumes: 3,
      // The CLI counts a run of one round as two turns.
      turns: 7,
      texts: ["Step 1.", "Step 2.", "Step 3.", "All done."],
    });
    expect(entries.filter(({ level }) => level === "warn")).toEqual(
      [1, 2, 3].map((resumes) => ({
        level: "warn",
        message: "maxTurns was reached, so the call continues",
        fields: { resumes, of: 5, delay_ms: 0 },
      })),
    );
    const last = model.calls.at(-1);
    expect(model.calls).toHaveLength(4);
    expect(last?.system).toContain("You tie knots.");
    expect(last?.tools).toEqual(model.calls[0]?.tools);
    expect(JSON.stringify(last?.body)).toContain("Work.");
    expect(processes()).toEqual([]);

    const wide = await place(path, replies(), { maxTurns: 10 });
    const once = await wide.provider.complete(task);
    expect(once.metadata.resumes).toBe(0);
    expect(once.text).toBe(message.text);
    expect(message.metadata.costUsd).toBeCloseTo(once.metadata.costUsd ?? 0, 9);
  });

  it("is passed five times by default, and the last limit gives the texts of all runs", async () => {
    const { provider, model } = await place(path, always(work(1)));
    const { text, metadata } = await provider.complete(context({ maxTurns: 1 }));
    expect(metadata.resumes).toBe(5);
    expect(text).toBe(Array(6).fill("Step 1.").join("\n\n"));
    expect(model.calls).toHaveLength(6);
  });

  it("of the context wins, and leaves a session that a later call can resume", async () => {
    const { provider, model } = await place(path, [work(1), "Gone on."], { maxResumeAttempts: 0 });
    const first = await provider.complete(context({ maxTurns: 1 }));
    expect(first.text).toBe("Step 1.");
    const second = await provider.complete(context({ sessionId: first.metadata.sessionId }));
    expect(second.text).toBe("Gone on.");
    expect(second.metadata.sessionId).toBe(first.metadata.sessionId);
    expect(JSON.stringify(model.calls[1]?.body)).toContain("Step 1.");
  });

  it("is passed with full access and the mcpServers of the context", async () => {
    const { provider, model, cwd } = await place(
      path,
      [work(1), toolUse("mcp__tiny__say"), work(2), "ok"],
      { maxTurns: 1, allowedTools: [] },
    );
    await provider.complete(context({ mcpServers: [tinyServer(cwd, "tiny")] }));
    expect(JSON.stringify(model.calls[2]?.body)).toContain("said by tiny");
    expect(JSON.stringify(model.calls[3]?.body)).not.toContain('"is_error":true');
    expect(model.calls[3]?.tools).toContain("Agent");
  });
});

describe("maxTurns of ClaudeCodeProvider on a fake CLI", () => {
  const limit = { subtype: "error_max_turns", is_error: true, errors: ["limit"], result: null };
  const limited = (text: string): Step => ({
    on: "user",
    do: [{ init: {} }, { assistant: text }, { result: limit }],
  });

  it("is passed maxResumeAttempts times, with the texts of all runs", async () => {
    const steps = [limited("Step 1."), limited("Step 2.")];
    const provider = await onFake(steps, { maxTurns: 1, maxResumeAttempts: 1 });
    const { text, metadata } = await provider.complete(context());
    expect(text).toBe("Step 1.\n\nStep 2.");
    expect(metadata).toMatchObject({ resumes: 1, texts: ["Step 1.", "Step 2."] });
  });

  it("does not restart timeoutMs, which covers all runs", async () => {
    const steps: Step[] = [limited("Step 1."), { on: "user", do: [{ init: {} }] }];
    const provider = await onFake(steps, { maxTurns: 1, timeoutMs: 6000 });
    const error = await failureOf(provider.complete(context()));
    expect(error).toMatchObject({ code: "timeout", phase: "total" });
    expect(error.partialText).toContain("Step 1.");
  });
});
