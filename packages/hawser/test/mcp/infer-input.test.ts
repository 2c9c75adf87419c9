import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as McpServer1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type {
  CallToolResult as SdkResult,
  ServerNotification,
  ServerRequest,
} from "@modelcontextprotocol/sdk/types.js";
import {
  McpServer as McpServer2,
  type InMemoryTransport as Memory2,
} from "@modelcontextprotocol/server";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import * as z3 from "zod/v3";
import {
  type CallToolResult,
  createSdkMcpServer,
  type InferShape,
  type McpSdkServerConfigWithInstance,
  type SdkMcpToolDefinition,
  type ToolExtra,
  tool,
} from "../../src/mcp/index.js";
import type { McpServerConfig } from "../../src/options/index.js";
import { said } from "./client.helper.js";

const noop = async () => said("");

describe("the argument types of tool()", () => {
  it("follow a zod shape, with optional keys", () => {
    const shape = {
      a: z.number(),
      b: z.string().optional(),
      c: z.boolean().default(true),
      d: z.string().transform((text) => text.length),
      e: z.unknown(),
    };
    tool("t", "", shape, async (args, extra) => {
      expectTypeOf(args).toEqualTypeOf<{
        a: number;
        b?: string | undefined;
        c: boolean;
        d: number;
        e: unknown;
      }>();
      expectTypeOf(extra).toEqualTypeOf<ToolExtra>();
      return said("");
    });
    expectTypeOf<InferShape<{ a: z.ZodNumber }>>().toEqualTypeOf<{ a: number }>();
    tool("t", "", {}, async (args) => {
      expectTypeOf(args).toEqualTypeOf<InferShape<Record<never, z.ZodType>>>();
      return said("");
    });
  });

  it("follow one schema of any library, but not plain JSON Schema", () => {
    tool("t", "", z.object({ a: z.number(), b: z.string().optional() }), async (args) => {
      expectTypeOf(args).toEqualTypeOf<{ a: number; b?: string | undefined }>();
      return said("");
    });
    tool("t", "", type({ a: "number", "b?": "string" }), async (args) => {
      expectTypeOf(args).toEqualTypeOf<{ a: number; b?: string }>();
      return said("");
    });
    tool("t", "", v.object({ a: v.number() }), async (args) => {
      expectTypeOf(args).toEqualTypeOf<{ a: number }>();
      return said("");
    });
    tool("t", "", { a: v.number(), b: type("string") }, async (args) => {
      expectTypeOf(args).toEqualTypeOf<{ a: number; b: string }>();
      return said("");
    });
    tool("t", "", { a: z3.z.number(), b: z3.z.string().optional() }, async (args) => {
      expectTypeOf(args).toEqualTypeOf<{ a: number; b?: string | undefined }>();
      return said("");
    });
    tool("t", "", { type: "object", properties: {} }, async (args) => {
      expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>();
      return said("");
    });
  });
});

describe("code for the official SDK compiles", () => {
  it("with handlers that have a declared type and any extra, called directly", async () => {
    const schema = z.object({ a: z.number(), b: z.string().optional() });
    const handler = async ({ a }: z.infer<typeof schema>, _extra: unknown) => said(String(a));
    const made = tool("t", "", schema.shape, handler);
    expect(await made.handler({ a: 1 }, {})).toEqual(said("1"));
    tool("t", "", schema.shape, async (_args, extra) => {
      const known = extra as unknown as RequestHandlerExtra<ServerRequest, ServerNotification>;
      const { signal } = extra as { signal: AbortSignal };
      return said(String(known.requestId) + signal.aborted);
    });
  });

  it("with results of the type of the MCP SDK, in both directions", () => {
    const theirs = (): Promise<SdkResult> => Promise.resolve({ content: [] });
    tool("t", "", {}, theirs);
    expectTypeOf<CallToolResult>().toExtend<SdkResult>();
    expectTypeOf<SdkResult>().toExtend<CallToolResult>();
  });

  it("with lists of tools that have different arguments", () => {
    const a = tool("a", "", { a: z.number() }, noop);
    const b = tool("b", "", { b: z.string() }, noop);
    const list: SdkMcpToolDefinition[] = [a, b];
    // biome-ignore lint/suspicious/noExplicitAny: the official declaration has it, and so have callers.
    const loose: SdkMcpToolDefinition<any>[] = [a, b];
    createSdkMcpServer({ name: "s", tools: list });
    createSdkMcpServer({ name: "s", tools: loose });
    createSdkMcpServer({ name: "s", tools: [a, b] });
  });

  it("with servers of hawser and of the MCP SDKs in mcpServers", () => {
    const info = { name: "s", version: "1" };
    const configs: McpSdkServerConfigWithInstance[] = [
      createSdkMcpServer({ name: "s" }),
      { type: "sdk", name: "s", instance: new McpServer1(info) },
      { type: "sdk", name: "s", instance: new McpServer2(info) },
    ];
    const servers: Record<string, McpServerConfig> = Object.fromEntries(
      configs.map((config, index) => [`s${index}`, config]),
    );
    expect(Object.keys(servers)).toEqual(["s0", "s1", "s2"]);
  });
});

describe("createSdkMcpServer()", () => {
  it("serves a client of the MCP SDK over a transport of the MCP SDK", async () => {
    const add = tool("add", "", { a: z.number() }, async ({ a }) => said(String(a + 1)));
    const { instance } = createSdkMcpServer({ name: "s", tools: [add] });
    const [here, there] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: "c", version: "1" });
    await Promise.all([instance.connect(there), client.connect(here)]);
    expect(await client.callTool({ name: "add", arguments: { a: 1 } })).toEqual(said("2"));
    await client.close();
    expect(instance.isConnected()).toBe(false);
    expectTypeOf<Memory2>().toExtend<Parameters<typeof instance.connect>[0]>();
  });
});
