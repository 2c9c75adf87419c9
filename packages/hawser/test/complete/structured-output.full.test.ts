import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, expectTypeOf, it, onTestFinished } from "vitest";
import { z } from "zod";
import { complete, stream } from "../../src/complete/index.js";
import { type Action, always, type FakeCli, fakeCli, toolUse } from "../../src/testing/index.js";
import { isMessage } from "../../src/wire/index.js";
import { clisInTurn, FULL } from "../support/cli.js";
import { startsOf } from "../support/starts.js";
import { world } from "../support/world.js";

const KNOT = { name: "bowline", turns: 1 };

/** The tool call by which the model gives a value. */
function gives(value: unknown) {
  return toolUse("StructuredOutput", value as Record<string, unknown>);
}

/** Schemas of several libraries for `KNOT`. */
const LIBRARIES: [string, object][] = [
  ["zod", z.object({ name: z.string(), turns: z.number().int() })],
  ["arktype", type({ name: "string", turns: "number.integer" })],
  ["valibot", toStandardJsonSchema(v.object({ name: v.string(), turns: v.number() }))],
  [
    "plain JSON Schema",
    {
      type: "object",
      properties: { name: { type: "string" }, turns: { type: "integer" } },
      required: ["name", "turns"],
    },
  ],
];

describe.each(clisInTurn())("complete() with schema, on the real CLI $name", ({ path }) => {
  it.each(FULL ? LIBRARIES : LIBRARIES.slice(0, 1))(
    "gives a checked value for a schema of %s",
    async (_library, schema) => {
      const { model, options } = await world(path, [gives(KNOT)]);
      const completion = await complete("Name a knot.", { ...options, schema: schema as never });
      expect(completion).toMatchObject({
        value: KNOT,
        stop: "completed",
        turns: expect.any(Number),
      });
      expect(model.calls[0]?.tools).toEqual(["StructuredOutput"]);
      expect(model.calls.length).toBe(1);
    },
  );

  it("asks in the same session for a correction of a value that only the schema refuses", async () => {
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

  it("takes a value from a code fence in the text, if it fits", async () => {
    const { model, options } = await world(
      path,
      always(`Here you are:\n\`\`\`json\n${JSON.stringify(KNOT)}\n\`\`\``),
    );
    const schema = z.object({ name: z.string(), turns: z.number() });
    expect((await complete("x", { ...options, schema })).value).toEqual(KNOT);
    // The CLI itself asks once more for the value before it ends the turn.
    expect(model.calls.length).toBeLessThanOrEqual(2);
  });

  it("gives the value after autoResume has continued over a limit", async () => {
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

describe("complete() with schema, on a fake CLI", () => {
  async function answering(...actions: Action[]): Promise<FakeCli> {
    const cli = await fakeCli({ steps: [{ on: "user", times: "always", do: actions }] });
    onTestFinished(() => cli.dispose());
    return cli;
  }

  it.each(LIBRARIES)("gives a checked value for a schema of %s", async (_library, schema) => {
    const { path } = await answering({ turn: [{ value: KNOT }] });
    const completion = await complete("x", { cliPath: path, schema: schema as never });
    expect(completion).toMatchObject({ value: KNOT, stop: "completed" });
  });

  it("takes outputFormat as a plain schema", async () => {
    const { path } = await answering({ turn: [{ value: KNOT }] });
    const outputFormat = { type: "json_schema", schema: { type: "object" } } as const;
    expect((await complete("x", { cliPath: path, outputFormat })).value).toEqual(KNOT);
  });

  it("unwraps a value that is not an object", async () => {
    const { path } = await answering({ turn: [{ value: { value: ["a", "b"] } }] });
    const schema = z.array(z.string());
    expect((await complete("x", { cliPath: path, schema })).value).toEqual(["a", "b"]);
  });

  it("gives the value that the schema has transformed", async () => {
    const { path } = await answering({ turn: [{ value: { on: "2026-01-02" } }] });
    const schema = z.object({ on: z.string().transform((text) => new Date(`${text}T00:00:00Z`)) });
    const { value } = await complete("x", { cliPath: path, schema });
    expectTypeOf(value).toEqualTypeOf<{ on: Date }>();
    expect(value.on.toISOString()).toBe("2026-01-02T00:00:00.000Z");
  });

  // The failure table has these two failures on the real CLI.
  it("rejects with structured_output if the model gives no value, with the text and the issues", async () => {
    const cli = await answering({ turn: "I would rather not." });
    const schema = z.object({ name: z.string() });
    const call = complete("x", { cliPath: cli.path, schema, maxRepairs: 1 });
    await expect(call).rejects.toMatchObject({
      code: "structured_output",
      retryable: false,
      partialText: "I would rather not.",
      issues: [{ message: "is missing: the model answered with text only" }],
      sessionId: expect.any(String),
      resumable: false,
      result: expect.objectContaining({ subtype: "success" }),
    });
    const lines = (await cli.recorded()).flatMap((each) => each.lines);
    expect(lines.filter((line) => line.includes("You gave no value."))).toHaveLength(1);
  });

  it("rejects with structured_output if no value fits after maxRepairs, with the issues", async () => {
    const { path } = await answering({ turn: [{ value: { name: "x" } }] });
    const schema = z.object({ name: z.string().refine(() => false, "is not a knot") });
    const call = complete("x", { cliPath: path, schema, maxRepairs: 1 });
    await expect(call).rejects.toMatchObject({
      code: "structured_output",
      issues: [{ path: "name", message: "is not a knot" }],
      partialText: expect.stringContaining('"x"'),
    });
  });

  it("always sends a limit of turns", async () => {
    const cli = await answering({ turn: [{ value: KNOT }] });
    await complete("x", { cliPath: cli.path, schema: { type: "object" } });
    expect((await startsOf(cli))[0]?.argv).toContain("--max-turns=10");
  });
});

describe("the option schema", () => {
  it.each([
    ["without JSON Schema", v.object({ name: v.string() }), "toStandardJsonSchema"],
    ["that is not a schema", { type: "objekt" }, ""],
    ["of bare fields", { name: z.string() }, ""],
    ["with an invalid pattern", { type: "object", properties: { a: { pattern: "(" } } }, ""],
  ])("%s is refused with invalid_options before a process starts", async (_what, schema, hint) => {
    const options = { cliPath: "/none", schema: schema as never };
    await expect(complete("x", options)).rejects.toMatchObject({
      code: "invalid_options",
      hint: expect.stringContaining(hint),
    });
  });

  it("is refused by openSession() with not_supported", async () => {
    const { openSession } = await import("../../src/session/index.js");
    // @ts-expect-error: the types refuse the option too.
    await expect(openSession({ schema: { type: "object" } })).rejects.toMatchObject({
      code: "not_supported",
    });
  });
});
