import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { complete } from "../../src/complete/index.js";
import { reply, toolUse } from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { allGone } from "../support/gone.js";
import { sharedWorld } from "../support/shared-world.js";
import { world } from "../support/world.js";

describe.each(clisInTurn())("complete() on the real CLI $name", ({ path }) => {
  it("gives the answer to a prompt with all facts of a Completion", async () => {
    const { model, options } = await world(path, [
      reply("A bowline.", { usage: { input_tokens: 12, output_tokens: 7 } }),
    ]);
    const completion = await complete("Name a knot.", options);
    expect(completion).toEqual({
      text: "A bowline.",
      texts: ["A bowline."],
      toolCalls: [],
      content: [expect.objectContaining({ type: "text", text: "A bowline." })],
      value: undefined,
      model: expect.stringMatching(/^claude-/),
      sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      stop: "completed",
      turns: 1,
      resumes: 0,
      usage: {
        input_tokens: 12,
        output_tokens: 7,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
      modelUsage: {
        [completion.model ?? ""]: expect.objectContaining({ inputTokens: 12, outputTokens: 7 }),
      },
      costUsd: expect.any(Number),
      permissionDenials: [],
      credential: { kind: "apiKey", source: "ANTHROPIC_API_KEY", overridesLogin: false },
      timing: {
        queuedMs: undefined,
        bootMs: expect.any(Number),
        firstTokenMs: expect.any(Number),
        apiMs: expect.any(Number),
        runMs: expect.any(Number),
        totalMs: expect.any(Number),
      },
      result: expect.objectContaining({ type: "result", subtype: "success", is_error: false }),
    });
    expect(completion.costUsd).toBeGreaterThan(0);
    expect(model.calls.length).toBe(1);
    await allGone();
  });

  it("sends the prompt and nothing from the machine", async () => {
    const { model, options } = await world(path, ["ok"]);
    await complete("Exactly this.", { ...options, systemPrompt: "You tie knots." });
    const [call] = model.calls;
    expect(call?.tools).toEqual([]);
    expect(call?.prompt).toBe("Exactly this.");
    expect(call?.system).toContain("You tie knots.");
    const sent = model.requests.map(({ body }) => Buffer.byteLength(JSON.stringify(body) ?? ""));
    expect(sent.reduce((sum, each) => sum + each, 0)).toBeLessThan(3000);
  });

  it("sends a prompt of 1 MB and a system prompt of 2 MB", async () => {
    const { model, options } = await world(path, ["long indeed"]);
    const prompt = `begin ${"knot ".repeat(200_000)} end`;
    const systemPrompt = `begin ${"rope ".repeat(400_000)} end`;
    expect((await complete(prompt, { ...options, systemPrompt })).text).toBe("long indeed");
    const body = JSON.stringify(model.calls[0]?.body);
    expect(body).toContain(prompt);
    expect(body).toContain(systemPrompt);
  });

  it("sends the prompt of the agent that the option agent names", async () => {
    const { model, options } = await world(path, ["Tied."]);
    const rigger = { description: "d", prompt: "You are the RIGGER." };
    await complete("Tie it.", { ...options, agents: { rigger }, agent: "rigger" });
    expect(model.calls[0]?.system).toContain("You are the RIGGER.");
  });

  it("runs tools that the options tools and allowedTools name", async () => {
    const { model, options } = await world(path, [
      toolUse("Bash", { command: "echo splice-$((40 + 2))", description: "d" }),
      "done",
    ]);
    const completion = await complete("Run it.", {
      ...options,
      tools: ["Bash"],
      allowedTools: ["Bash(echo *)"],
    });
    expect(completion.text).toBe("done");
    expect(model.calls[1]?.toolResults[0]?.text).toContain("splice-42");
  });

  it("obeys disallowedTools that are too long for a command line", async () => {
    const { model, options } = await world(path, [
      toolUse("Bash", { command: "touch made.txt", description: "d" }),
      "done",
    ]);
    const others = Array.from({ length: 600 }, (_, i) => `Bash(command-${i} *)`);
    const completion = await complete("Run it.", {
      ...options,
      tools: ["Bash"],
      allowedTools: ["Bash"],
      disallowedTools: [...others, "Bash(touch *)"],
    });
    expect(completion.text).toBe("done");
    expect(model.calls[1]?.toolResults[0]).toMatchObject({ isError: true });
    expect(existsSync(join(options.cwd ?? "", "made.txt"))).toBe(false);
  });
});

describe.each(clisInTurn())("complete() on a pooled process of the real CLI $name", ({ path }) => {
  const shared = sharedWorld(path);
  const ask = (prompt: Parameters<typeof complete>[0]) =>
    complete(prompt, { ...shared.options, pool: shared.pool() });

  it("sends the content blocks of a prompt as they were at the call", async () => {
    shared.script("A bowline.");
    const blocks = [{ type: "text" as const, text: "Name a knot." }];
    const call = ask(blocks);
    blocks.length = 0;
    expect((await call).text).toBe("A bowline.");
    expect(shared.calls[0]?.prompt).toContain("Name a knot.");
  });

  it.each([
    ["begins with a dash", "--model is a flag, this is not"],
    ["is a slash command", "/clear everything"],
    ["names a file", "@/etc/hostname and @./x"],
    ["has line separators", "one\u2028two\u2029three\u0085four"],
    ["is one space and a letter", " x"],
  ])("sends a prompt literally that %s", async (_what, prompt) => {
    shared.script("ok");
    expect((await ask(prompt)).text).toBe("ok");
    expect(shared.calls[0]?.prompt).toBe(prompt);
  });

  it("gives an answer of 8 MB on one line with U+2028", async () => {
    const text = `first\u2028second ${"hawser ".repeat(1_200_000)}last\u2029`;
    expect(text.length).toBeGreaterThan(8 * 1024 * 1024);
    shared.script(text);
    expect((await ask("Go on.")).text === text).toBe(true);
  });
});
