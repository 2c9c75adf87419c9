import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { type CompleteOptions, complete, stream } from "../../src/complete/index.js";
import { always, reply, toolUse } from "../../src/testing/index.js";
import { isMessage } from "../../src/wire/index.js";
import { clisInTurn, NEWEST_CLI } from "../support/cli.js";
import { world } from "../support/world.js";

const KNOT = { name: "bowline", turns: 1 };

/** The model's way to give a value. */
function gives(value: unknown) {
  return toolUse("StructuredOutput", value as Record<string, unknown>);
}

describe.each(clisInTurn())("a call with a schema, on the real CLI $name", ({ path }) => {
  it.each<[string, CompleteOptions & { schema: object }]>([
    ["zod", { schema: z.object({ name: z.string(), turns: z.number().int() }) }],
    ["arktype", { schema: type({ name: "string", turns: "number.integer" }) }],
    [
      "valibot",
      { schema: toStandardJsonSchema(v.object({ name: v.string(), turns: v.number() })) },
    ],
    [
      "plain JSON Schema",
      {
        schema: {
          type: "object",
          properties: { name: { type: "string" }, turns: { type: "integer" } },
          required: ["name", "turns"],
        },
      },
    ],
  ])("gives a checked value, from %s", async (_library, { schema }) => {
    const { model, options } = await world(path, [gives(KNOT)]);
    const completion = await complete("Name a knot.", { ...options, schema: schema as never });
    expect(completion).toMatchObject({ value: KNOT, stop: "completed", turns: expect.any(Number) });
    expect(model.calls[0]?.tools).toEqual(["StructuredOutput"]);
    expect(model.calls.length).toBe(1);
  });

  it("takes outputFormat as the plain schema that it is", async () => {
    const { options } = await world(path, [gives(KNOT)]);
    const outputFormat = { type: "json_schema", schema: { type: "object" } } as const;
    expect((await complete("x", { ...options, outputFormat })).value).toEqual(KNOT);
  });

  it("gives a value that is no object, wrapped for the CLI only", async () => {
    const { options } = await world(path, [gives({ value: ["a", "b"] })]);
    const schema = z.array(z.string());
    expect((await complete("x", { ...options, schema })).value).toEqual(["a", "b"]);
  });

  it("gives what the schema makes of the model's value", async () => {
    const { options } = await world(path, [gives({ on: "2026-01-02" })]);
    const schema = z.object({ on: z.string().transform((text) => new Date(`${text}T00:00:00Z`)) });
    const { value } = await complete("x", { ...options, schema });
    expectTypeOf(value).toEqualTypeOf<{ on: Date }>();
    expect(value.on.toISOString()).toBe("2026-01-02T00:00:00.000Z");
  });

  it("has a value corrected in the same session that only our side finds wrong", async () => {
    const { model, options } = await world(path, [
      gives({ email: "nobody" }),
      gives({ email: "a@b.example" }),
    ]);
    const schema = z.object({
      email: z.string().refine((text) => text.includes("@"), "needs an @"),
    });
    const call = stream("x", { ...options, schema });
    const notices = [];
    for await (const message of call) if (isMessage(message, "hawser")) notices.push(message);
    expect((await call.completion).value).toEqual({ email: "a@b.example" });
    expect(notices).toEqual([
      {
        type: "hawser",
        subtype: "repairing",
        repairs: 1,
        of: 2,
        issues: [{ path: "email", message: "needs an @" }],
      },
    ]);
    expect(model.calls[1]?.prompt).toContain("- email needs an @");
    expect(JSON.stringify(model.calls[1]?.body)).toContain("nobody");
  });

  it("takes a value that was written down instead of given, if it fits", async () => {
    const { model, options } = await world(
      path,
      always(`Here you are:\n\`\`\`json\n${JSON.stringify(KNOT)}\n\`\`\``),
    );
    const schema = z.object({ name: z.string(), turns: z.number() });
    expect((await complete("x", { ...options, schema })).value).toEqual(KNOT);
    // The CLI itself asks once more for the value before it gives up.
    expect(model.calls.length).toBeLessThanOrEqual(2);
  });

  it("is structured_output if the value never comes, with the text and the issues", async () => {
    const { model, options } = await world(path, always("I would rather not."));
    const schema = z.object({ name: z.string() });
    await expect(complete("x", { ...options, schema, maxRepairs: 1 })).rejects.toMatchObject({
      code: "structured_output",
      retryable: false,
      partialText: "I would rather not.",
      issues: [{ message: "is missing: the model answered with text only" }],
      sessionId: expect.any(String),
      resumable: false,
      result: expect.objectContaining({ subtype: "success" }),
    });
    expect(model.calls.some(({ prompt }) => prompt.startsWith("You gave no value."))).toBe(true);
  });

  it("is structured_output if the value is wrong to the last, with the issues", async () => {
    const { options } = await world(path, always(gives({ name: "x" })));
    const schema = z.object({ name: z.string().refine(() => false, "is not a knot") });
    await expect(complete("x", { ...options, schema, maxRepairs: 1 })).rejects.toMatchObject({
      code: "structured_output",
      issues: [{ path: "name", message: "is not a knot" }],
      partialText: expect.stringContaining('"x"'),
    });
  });

  it("is structured_output too if the CLI itself gives up", async () => {
    const { options } = await world(path, always(gives({ name: 1 })));
    const schema = z.object({ name: z.string() });
    await expect(complete("x", { ...options, schema })).rejects.toMatchObject({
      code: "structured_output",
      retryable: false,
    });
  });

  it.each([
    ["turns", { maxTurns: 1 }, "max_turns"],
    ["money", { maxBudgetUsd: 0.001, model: "claude-sonnet-4-5" }, "max_budget"],
  ])("throws if the limit of %s is reached before", async (_what, limits, code) => {
    const work = toolUse("Bash", { command: "echo x", description: "d" });
    const usage = { input_tokens: 1000, output_tokens: 500 };
    const { options } = await world(path, always(reply(["Hm. ", work], { usage })));
    const tools = { tools: ["Bash"], allowedTools: ["Bash"] };
    const schema = z.object({ name: z.string() });
    await expect(complete("x", { ...options, ...tools, ...limits, schema })).rejects.toMatchObject({
      code,
      partialText: expect.stringContaining("Hm."),
      sessionId: expect.any(String),
    });
  });

  it("gives its value after it has gone on over a limit", async () => {
    const work = toolUse("Bash", { command: "echo x", description: "d" });
    const { options } = await world(path, [work, work, gives({ name: "bowline" })]);
    const tools = { tools: ["Bash"], allowedTools: ["Bash"], maxTurns: 2, autoResume: 1 };
    const completion = await complete("x", {
      ...options,
      ...tools,
      schema: z.object({ name: z.string() }),
    });
    expect(completion).toMatchObject({ value: { name: "bowline" }, resumes: 1 });
  });
});

describe("a schema", () => {
  it("always comes with a limit of turns", async () => {
    const { model, options } = await world(NEWEST_CLI, [gives(KNOT)]);
    const argvs: string[][] = [];
    const { spawn } = await import("node:child_process");
    await complete("x", {
      ...options,
      schema: { type: "object" },
      spawnClaudeCodeProcess: ({ command, args, cwd, env }) => {
        argvs.push(args);
        return spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
      },
    });
    expect(model.calls.length).toBe(1);
    expect(argvs[0]).toContain("--max-turns=10");
  });

  it.each([
    ["without JSON Schema", v.object({ name: v.string() }), "toStandardJsonSchema"],
    ["that is no schema", { type: "objekt" }, ""],
    ["of bare fields", { name: z.string() }, ""],
    ["with a pattern that is none", { type: "object", properties: { a: { pattern: "(" } } }, ""],
  ])("%s is refused before anything is started", async (_what, schema, hint) => {
    const options = { cliPath: "/none", schema: schema as never };
    await expect(complete("x", options)).rejects.toMatchObject({
      code: "invalid_options",
      hint: expect.stringContaining(hint),
    });
  });

  it("is refused by openSession(), which gives no value", async () => {
    const { openSession } = await import("../../src/session/index.js");
    // @ts-expect-error: the types say the same.
    await expect(openSession({ schema: { type: "object" } })).rejects.toMatchObject({
      code: "not_supported",
    });
  });
});
