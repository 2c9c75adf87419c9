import { McpServer as McpServer1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as McpServer2 } from "@modelcontextprotocol/server";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { createSdkMcpServer, tool } from "../../src/mcp/index.js";
import type { McpServerConfig, Options } from "../../src/options/index.js";
import { openSession, type Session } from "../../src/session/index.js";
import { type ReplyScript, text, toolUse } from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { type World, world } from "../support/world.js";

/** The CLI runs ten tools side by side unless told otherwise. */
const MANY = { extra: { CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY: "20" } };

async function open(
  cliPath: string,
  replies: ReplyScript,
  mcpServers: Record<string, McpServerConfig>,
  more: Options = {},
): Promise<World & { session: Session }> {
  const place = await world(cliPath, replies, MANY);
  const allowedTools = Object.keys(mcpServers).map((name) => `mcp__${name}`);
  const session = await openSession({ ...place.options, mcpServers, allowedTools, ...more });
  onTestFinished(() => session.close());
  return { ...place, session };
}

const said = (words: string) => ({ content: [{ type: "text" as const, text: words }] });

const LOADED = { "anthropic/alwaysLoad": true };
const QUESTION = {
  message: "Who?",
  requestedSchema: { type: "object" as const, properties: { name: { type: "string" as const } } },
};

/** `add` and `ask` on a server of each MCP SDK. */
function server1(): McpServer1 {
  const server = new McpServer1({ name: "one", version: "1.0.0" });
  const inputSchema = { a: z.number(), b: z.number() };
  server.registerTool("add", { inputSchema, _meta: LOADED }, ({ a, b }) => said(`${a + b}`));
  server.registerTool("ask", { _meta: LOADED }, async () => {
    const { action, content } = await server.server.elicitInput(QUESTION);
    return said(`${action} ${JSON.stringify(content)}`);
  });
  return server;
}

function server2(): McpServer2 {
  const server = new McpServer2({ name: "two", version: "2.0.0" });
  const inputSchema = z.object({ a: z.number(), b: z.number() });
  server.registerTool("add", { inputSchema, _meta: LOADED }, ({ a, b }) => said(`${a + b}`));
  server.registerTool("ask", { _meta: LOADED }, async () => {
    const { action, content } = await server.server.elicitInput(QUESTION);
    return said(`${action} ${JSON.stringify(content)}`);
  });
  return server;
}

/** What the tools gave, at the model's last request. */
function given({ model }: World): unknown[] {
  return (
    model.calls.at(-1)?.toolResults.map(({ text, isError }) => [firstLine(text), isError]) ?? []
  );
}

function firstLine(words: string): string {
  return words.split("\n")[0] ?? "";
}

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

describe.each(clisInTurn())("in-process tools on $name", ({ path }) => {
  it("receive checked arguments and return text, images and errors", async () => {
    const tools = [
      tool("add", "Adds.", { a: z.number(), b: z.number().default(10) }, async ({ a, b }) =>
        said(`${a + b}`),
      ),
      tool("slow", "Tells of its progress.", {}, async (_args, { sendProgress }) => {
        await sendProgress({ progress: 1, total: 2, message: "half" });
        return said("whole");
      }),
      tool("picture", "Shows.", {}, async () => ({
        content: [{ type: "image", data: PIXEL, mimeType: "image/png" }],
      })),
      tool("refuse", "Refuses.", {}, async () => ({ ...said("not today"), isError: true })),
      tool("throw", "Throws.", {}, async () => {
        throw new Error("out of order");
      }),
    ];
    const place = await open(
      path,
      [
        [
          toolUse("mcp__own__add", { a: 1 }),
          toolUse("mcp__own__add", { a: "one" }),
          toolUse("mcp__own__refuse"),
          toolUse("mcp__own__throw"),
          toolUse("mcp__own__slow"),
          toolUse("mcp__own__picture"),
        ],
        text("done"),
      ],
      { own: createSdkMcpServer({ name: "own", tools, alwaysLoad: true }) },
    );
    await place.session.send("go").text();
    expect(given(place).slice(0, 5)).toEqual([
      ["11", false],
      [expect.stringContaining("Invalid arguments for tool add"), true],
      ["not today", true],
      ["out of order", true],
      ["whole", false],
    ]);
    expect(JSON.stringify(place.model.calls.at(-1)?.body)).toContain(PIXEL);
    expect(place.model.calls[0]?.tools).toEqual(expect.arrayContaining(["mcp__own__add"]));
  });

  it("run twenty calls concurrently", async () => {
    let running = 0;
    let everybody = (): void => {};
    const met = new Promise<void>((resolve) => {
      everybody = resolve;
    });
    const meet = tool(
      "meet",
      "Waits for all others.",
      { n: z.number() },
      async ({ n }) => {
        running += 1;
        if (running === 20) everybody();
        await met;
        return said(`met ${n}`);
      },
      { annotations: { readOnlyHint: true } },
    );
    const calls = Array.from({ length: 20 }, (_, n) => toolUse("mcp__own__meet", { n }));
    const place = await open(path, [calls, text("done")], {
      own: createSdkMcpServer({ name: "own", tools: [meet], alwaysLoad: true }),
    });
    expect(await place.session.send("go").text()).toBe("done");
    const all = Array.from({ length: 20 }, (_, n) => [`met ${n}`, false]);
    // In the order in which the calls ended.
    expect(given(place)).toEqual(expect.arrayContaining(all));
    expect(given(place)).toHaveLength(20);
  });

  it("have their signal aborted by interrupt(), and work afterwards", async () => {
    let begun = (_signal: AbortSignal): void => {};
    const signal = new Promise<AbortSignal>((resolve) => {
      begun = resolve;
    });
    const tools = [
      tool("wait", "Waits.", {}, async (_args, extra) => {
        begun(extra.signal);
        return new Promise(() => {});
      }),
      tool("say", "Says.", {}, async () => said("still here")),
    ];
    const place = await open(
      path,
      [toolUse("mcp__own__wait"), toolUse("mcp__own__say"), text("done")],
      { own: createSdkMcpServer({ name: "own", tools, alwaysLoad: true }) },
    );
    const { session } = place;
    const turn = session.send("go");
    const running = await signal;
    const aborted = new Promise<void>((resolve) => {
      running.addEventListener("abort", () => resolve(), { once: true });
    });
    await session.interrupt();
    await aborted;
    expect((await turn.result).is_error).toBe(true);
    expect(await session.send("next").text()).toBe("done");
    expect(given(place)).toEqual([["still here", false]]);
  });

  it("can be those of servers of the MCP SDKs 1.x and 2.x", async () => {
    const uses = ["one", "two"].flatMap((name) => [
      toolUse(`mcp__${name}__add`, { a: 1, b: 2 }),
      toolUse(`mcp__${name}__ask`),
    ]);
    const place = await open(
      path,
      [uses, text("done")],
      {
        one: { type: "sdk", name: "one", instance: server1() },
        two: { type: "sdk", name: "two", instance: server2() },
      },
      { requireMcp: true },
    );
    await place.session.send("go").text();
    const each = [
      ["3", false],
      // The CLI takes elicitation requests only from servers outside the program.
      ["Client does not support form elicitation.", true],
    ];
    expect(given(place)).toEqual([...each, ...each]);
  });
});
