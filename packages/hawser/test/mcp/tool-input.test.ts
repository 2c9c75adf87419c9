import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import * as mini from "zod/mini";
import * as z3 from "zod/v3";
import { type HawserError, isHawserError } from "../../src/base/index.js";
import { createSdkMcpServer, type ToolInputSchema, tool } from "../../src/mcp/index.js";
import { type Client, failed, initialized, said } from "./client.helper.js";

const DRAFT = "http://json-schema.org/draft-07/schema#";

/** A client of one tool, `echo`, which returns its arguments as text. */
function echoing(schema: ToolInputSchema): Promise<Client> {
  const tools = [tool("echo", "", schema, async (args) => said(JSON.stringify(args)))];
  return initialized(createSdkMcpServer({ name: "srv", tools }).instance);
}

interface ListResult {
  readonly tools: readonly { readonly inputSchema: unknown }[];
}

async function listed({ request }: Client): Promise<unknown> {
  const list = (await request("tools/list"))?.result as ListResult | undefined;
  return list?.tools[0]?.inputSchema;
}

function refusal(schema: ToolInputSchema): HawserError {
  try {
    createSdkMcpServer({ name: "srv", tools: [tool("echo", "", schema, async () => said(""))] });
  } catch (error) {
    if (isHawserError(error, "invalid_options")) return error;
  }
  throw new Error("not refused");
}

function wrong(issues: object): object {
  const text = "MCP error -32602: Input validation error: Invalid arguments for tool echo";
  return failed(`${text}: ${JSON.stringify(issues, null, 2)}`);
}

describe("the input schema of tool()", () => {
  it("keeps the refinements of a zod object", async () => {
    const schema = z
      .object({ from: z.number(), to: z.number().default(9) })
      .refine(({ from, to }) => from < to, { message: "from must be less than to" });
    const made = await echoing(schema);
    expect(await listed(made)).toEqual({
      $schema: DRAFT,
      type: "object",
      properties: { from: { type: "number" }, to: { type: "number", default: 9 } },
      required: ["from"],
    });
    expect(await made.call("echo", { from: 1 })).toEqual(said('{"from":1,"to":9}'));
    expect(await made.call("echo", { from: 10 })).toEqual(
      wrong([{ code: "custom", path: [], message: "from must be less than to" }]),
    );
  });

  it("has the type object for a union of objects", async () => {
    const schema = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]);
    const made = await echoing(schema);
    expect(await listed(made)).toMatchObject({
      type: "object",
      anyOf: [{ type: "object" }, { type: "object" }],
    });
    expect(await made.call("echo", { b: "x" })).toEqual(said('{"b":"x"}'));
  });

  it("waits for async checks of zod", async () => {
    const made = await echoing({ a: z.string().refine(async (value) => value === "yes") });
    expect(await made.call("echo", { a: "yes" })).toEqual(said('{"a":"yes"}'));
    expect(await made.call("echo", { a: "no" })).toMatchObject({ isError: true });
  });

  it("keeps the references of a recursive argument valid", async () => {
    const node = z.object({
      name: z.string().default("#"),
      get kids() {
        return z.array(node);
      },
    });
    const made = await echoing({ "a/b": node });
    expect(await listed(made)).toEqual({
      $schema: DRAFT,
      type: "object",
      properties: {
        "a/b": {
          type: "object",
          properties: {
            name: { type: "string", default: "#" },
            kids: { type: "array", items: { $ref: "#/properties/a~1b" } },
          },
          required: ["kids"],
        },
      },
      required: ["a/b"],
    });
  });

  it("describes zod/mini by the converter of zod", async () => {
    const made = await echoing({ a: mini.number(), b: mini.optional(mini.string()) });
    expect(await listed(made)).toEqual({
      $schema: DRAFT,
      type: "object",
      properties: { a: { type: "number" }, b: { type: "string" } },
      required: ["a"],
    });
    expect(await made.call("echo", { a: 1 })).toEqual(said('{"a":1}'));
  });

  it("refuses a zod/mini schema that JSON Schema cannot express when the server connects", async () => {
    await expect(echoing({ a: mini.date() })).rejects.toMatchObject({
      code: "invalid_options",
      message: expect.stringContaining("Date cannot be represented"),
    });
  });

  it("takes valibot with its adapter", async () => {
    const schema = toStandardJsonSchema(v.object({ a: v.string(), b: v.optional(v.number(), 3) }));
    const made = await echoing(schema);
    expect(await listed(made)).toMatchObject({ type: "object", required: ["a"] });
    expect(await made.call("echo", { a: "x" })).toEqual(said('{"a":"x","b":3}'));
    expect(await made.call("echo", { a: 1 })).toEqual(
      wrong([{ path: ["a"], message: "Invalid type: Expected string but received 1" }]),
    );
  });

  it("takes a shape of valibot schemas", async () => {
    const made = await echoing({
      a: toStandardJsonSchema(v.string()),
      b: toStandardJsonSchema(v.optional(v.number())),
    });
    expect(await listed(made)).toEqual({
      $schema: DRAFT,
      type: "object",
      properties: { a: { type: "string" }, b: { type: "number" } },
      required: ["a"],
    });
    expect(await made.call("echo", { b: 1 })).toEqual(
      wrong([{ path: ["a"], message: "Invalid type: Expected string but received undefined" }]),
    );
  });

  it("takes arktype, whose types are functions", async () => {
    const made = await echoing(type({ a: "string", "b?": "number" }));
    expect(await listed(made)).toEqual({
      $schema: DRAFT,
      type: "object",
      properties: { a: { type: "string" }, b: { type: "number" } },
      required: ["a"],
    });
    expect(await made.call("echo", { a: 1 })).toEqual(
      wrong([{ path: ["a"], message: "a must be a string (was a number)" }]),
    );
  });

  it("takes a shape with schemas of several libraries", async () => {
    const made = await echoing({ a: z.string(), b: type("number"), c: mini.boolean() });
    expect(await made.call("echo", { a: "x", b: 1, c: true })).toEqual(
      said('{"a":"x","b":1,"c":true}'),
    );
    expect(await made.call("echo", { a: 1, b: 1, c: true })).toEqual(
      wrong([{ path: ["a"], message: "Invalid input: expected string, received number" }]),
    );
  });

  it("sends plain JSON Schema to the model without enforcing it", async () => {
    const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    const made = await echoing(schema);
    expect(await listed(made)).toEqual(schema);
    expect(await made.call("echo", { a: 1 })).toEqual(said('{"a":1}'));
  });
});

describe("tool() refuses a schema without JSON Schema, with a hint", () => {
  it.each([
    ["zod 3", z3.z.object({ a: z3.z.string() }), "zod/v4"],
    ["zod 3 arguments", { a: z3.z.string() }, "zod/v4"],
    ["valibot alone", v.object({ a: v.string() }), "@valibot/to-json-schema"],
    [
      "an unknown library",
      { "~standard": { version: 1, vendor: "own", validate: () => ({ value: {} }) } } as const,
      "Standard JSON Schema",
    ],
  ])("%s", (_name, schema, hint) => {
    expect(refusal(schema).hint).toContain(hint);
  });
});
