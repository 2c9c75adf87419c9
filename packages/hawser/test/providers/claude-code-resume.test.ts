import { describe, expect, it } from "vitest";
import { processes } from "../../src/process/index.js";
import { always, hang, reply, toolUse } from "../../src/testing/index.js";
import { clisInTurn, NEWEST_CLI } from "../support/cli.js";
import { recordingLogger } from "../support/recording-logger.js";
import { context, failureOf, place, tinyServer } from "./omega.helper.js";

const usage = { input_tokens: 100, output_tokens: 10 };
const work = (n: number) =>
  reply([`Step ${n}.`, toolUse("Bash", { command: `echo ${n} >> done.txt`, description: "d" })], {
    usage,
  });
const answer = reply("All done.", { usage });

describe.each(clisInTurn())("a limit of turns on the real CLI $name", ({ path }) => {
  it("is passed three times by itself, and the answer is that of the last run", async () => {
    const { logger, entries } = recordingLogger();
    const { provider, model } = await place(path, [work(1), work(2), work(3), answer], {
      maxTurns: 1,
      logger,
    });
    const message = await provider.complete(
      context({ systemPrompt: "You tie knots.", currentMessage: "Work." }),
    );
    expect(message.text).toBe("All done.");
    expect(message.metadata).toMatchObject({
      tokensUsed: 440,
      resumes: 3,
      // The CLI calls a run of one round two turns.
      turns: 7,
      texts: ["Step 1.", "Step 2.", "Step 3.", "All done."],
    });
    expect(entries.filter(({ level }) => level === "warn")).toEqual(
      [1, 2, 3].map((resumes) => ({
        level: "warn",
        message: "the limit of turns was reached, so the call goes on",
        fields: { resumes, of: 5, delay_ms: 0 },
      })),
    );
    const last = model.calls.at(-1);
    expect(model.calls).toHaveLength(4);
    expect(last?.system).toContain("You tie knots.");
    expect(last?.tools).toEqual(model.calls[0]?.tools);
    expect(JSON.stringify(last?.body)).toContain("Work.");
    expect(processes()).toEqual([]);
  });

  it("changes nothing about the answer of the same work", async () => {
    const replies = () => [work(1), work(2), answer];
    const wide = await place(path, replies(), { maxTurns: 10 });
    const narrow = await place(path, replies(), { maxTurns: 1 });
    const once = await wide.provider.complete(context());
    const resumed = await narrow.provider.complete(context());
    expect([once.metadata.resumes, resumed.metadata.resumes]).toEqual([0, 2]);
    expect(resumed.text).toBe(once.text);
    expect(once.text).toBe("All done.");
  });

  it("costs once what it costs", async () => {
    const one = await place(path, [answer]);
    const { metadata: single } = await one.provider.complete(context());
    const four = await place(path, [work(1), work(2), work(3), answer], { maxTurns: 1 });
    const { metadata } = await four.provider.complete(context());
    expect(metadata.costUsd).toBeCloseTo(4 * (single.costUsd ?? 0), 9);
  });

  it("ends the work when it was passed as often as it may be, with the texts of all runs", async () => {
    const { provider } = await place(path, [work(1), work(2)], {
      maxTurns: 1,
      maxResumeAttempts: 1,
    });
    const { text, metadata } = await provider.complete(context());
    expect(text).toBe("Step 1.\n\nStep 2.");
    expect(metadata).toMatchObject({ resumes: 1, texts: ["Step 1.", "Step 2."] });
  });

  it("is passed five times unless the provider is told otherwise", async () => {
    const { provider, model } = await place(path, always(work(1)));
    const { text, metadata } = await provider.complete(context({ maxTurns: 1 }));
    expect(metadata.resumes).toBe(5);
    expect(text).toBe(Array(6).fill("Step 1.").join("\n\n"));
    expect(model.calls).toHaveLength(6);
  });

  it("of the context wins, and its session can be gone on with", async () => {
    const { provider, model } = await place(path, [work(1), "Gone on."], { maxResumeAttempts: 0 });
    const first = await provider.complete(context({ maxTurns: 1 }));
    expect(first.text).toBe("Step 1.");
    const second = await provider.complete(context({ sessionId: first.metadata.sessionId }));
    expect(second.text).toBe("Gone on.");
    expect(second.metadata.sessionId).toBe(first.metadata.sessionId);
    expect(JSON.stringify(model.calls[1]?.body)).toContain("Step 1.");
  });

  it("is passed with the servers of the context", async () => {
    const { provider, model, cwd } = await place(path, [work(1), toolUse("mcp__tiny__say"), "ok"], {
      maxTurns: 1,
    });
    await provider.complete(context({ mcpServers: [tinyServer(cwd, "tiny")] }));
    expect(JSON.stringify(model.calls[2]?.body)).toContain("said by tiny");
  });

  it("is passed with full access", async () => {
    const { provider, model } = await place(path, [work(1), work(2), "ok"], {
      maxTurns: 1,
      allowedTools: [],
    });
    await provider.complete(context());
    const body = JSON.stringify(model.calls[2]?.body);
    expect(body).not.toContain('"is_error":true');
    expect(model.calls[2]?.tools).toContain("Agent");
  });
});

describe("the time of a call", () => {
  it("is one for all its runs", async () => {
    const { provider } = await place(NEWEST_CLI, [work(1), hang()], {
      maxTurns: 1,
      timeoutMs: 8000,
    });
    const error = await failureOf(provider.complete(context()));
    expect(error).toMatchObject({ code: "timeout", phase: "total" });
    expect(error.partialText).toContain("Step 1.");
  });
});
