import { McpServer as McpServer1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as McpServer2 } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { linkServer, type McpTransport } from "../../src/mcp/index.js";
import { client, HELLO, initialized, said } from "./client.helper.js";

interface Calls {
  /** The abort signals of the calls of `wait`, in order of arrival. */
  readonly signals: AbortSignal[];
}

/** `add`, `wait`, `progress` and `ask` on a server of each MCP SDK. */
function server1({ signals }: Calls): McpServer1 {
  const server = new McpServer1({ name: "one", version: "1.0.0" });
  server.registerTool("add", { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) =>
    said(String(a + b)),
  );
  server.registerTool("wait", {}, ({ signal }) => {
    signals.push(signal);
    return new Promise(() => {});
  });
  server.registerTool("progress", {}, async ({ _meta, sendNotification }) => {
    const progressToken = _meta?.progressToken ?? "none";
    await sendNotification({
      method: "notifications/progress",
      params: { progressToken, progress: 1 },
    });
    return said("told");
  });
  server.registerTool("ask", {}, async () => {
    const { action, content } = await server.server.elicitInput(QUESTION);
    return said(`${action} ${JSON.stringify(content)}`);
  });
  return server;
}

function server2({ signals }: Calls): McpServer2 {
  const server = new McpServer2({ name: "two", version: "2.0.0" });
  const shape = z.object({ a: z.number(), b: z.number() });
  server.registerTool("add", { inputSchema: shape }, ({ a, b }) => said(String(a + b)));
  server.registerTool("wait", {}, ({ mcpReq }) => {
    signals.push(mcpReq.signal);
    return new Promise(() => {});
  });
  server.registerTool("progress", {}, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken ?? "none";
    await mcpReq.notify({
      method: "notifications/progress",
      params: { progressToken, progress: 1 },
    });
    return said("told");
  });
  server.registerTool("ask", {}, async () => {
    const { action, content } = await server.server.elicitInput(QUESTION);
    return said(`${action} ${JSON.stringify(content)}`);
  });
  return server;
}

const QUESTION = {
  message: "Who?",
  requestedSchema: { type: "object" as const, properties: { name: { type: "string" as const } } },
};

const SERVERS: [string, (calls: Calls) => McpServer1 | McpServer2][] = [
  ["1.x", server1],
  ["2.x", server2],
];

describe.each(SERVERS)("linkServer() with a server of the MCP SDK %s", (_version, make) => {
  it("makes the handshake, lists the tools and calls them", async () => {
    const made = await client(make({ signals: [] }));
    expect((await made.request("initialize", HELLO))?.result).toMatchObject({
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
    });
    await made.notify("notifications/initialized");
    const list = (await made.request("tools/list"))?.result as { tools: { name: string }[] };
    expect(list.tools.map(({ name }) => name)).toEqual(["add", "wait", "progress", "ask"]);
    expect(await made.call("add", { a: 1, b: 2 })).toEqual(said("3"));
    expect(await made.call("add", { a: "x", b: 2 })).toMatchObject({ isError: true });
  });

  it("answers each of 20 overlapping calls with its own result", async () => {
    const { call } = await initialized(make({ signals: [] }));
    const numbers = Array.from({ length: 20 }, (_, n) => n);
    const answers = await Promise.all(numbers.map((n) => call("add", { a: n, b: 100 })));
    expect(answers).toEqual(numbers.map((n) => said(String(n + 100))));
  });

  it("passes a cancellation on to the server and ends the call", async () => {
    const signals: AbortSignal[] = [];
    const { call, notify } = await initialized(make({ signals }));
    const waiting = call("wait");
    await expect.poll(() => signals.length).toBe(1);
    await notify("notifications/cancelled", { requestId: 1, reason: "enough" });
    expect(await waiting).toBeUndefined();
    expect(signals[0]?.aborted).toBe(true);
  });

  it("passes on progress and elicitation requests of the server", async () => {
    const made = await initialized(make({ signals: [] }), { elicitation: { form: {} } });
    expect(await made.call("progress", {}, { progressToken: 4 })).toEqual(said("told"));
    expect(made.sent).toEqual([
      {
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: 4, progress: 1 },
      },
    ]);
    const question = made.nextSent();
    const answer = made.call("ask");
    const asked = (await question) as { id: number; method: string };
    expect(asked).toMatchObject({ method: "elicitation/create", params: { message: "Who?" } });
    const result = { action: "accept", content: { name: "me" } };
    expect(await made.link.receive({ jsonrpc: "2.0", id: asked.id, result })).toBeUndefined();
    expect(await answer).toEqual(said('accept {"name":"me"}'));
  });

  it("passes on a notification about a changed list of tools", async () => {
    const server = make({ signals: [] });
    const made = await initialized(server);
    const told = made.nextSent();
    server.sendToolListChanged();
    expect(await told).toEqual({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  });

  it("refuses a server that is already connected", async () => {
    const server = make({ signals: [] });
    const first = await initialized(server);
    const refusal = { code: "invalid_options", message: expect.stringContaining("elsewhere") };
    await expect(client(server)).rejects.toMatchObject(refusal);
    await expect(client(server.server)).rejects.toMatchObject(refusal);
    expect(await first.call("add", { a: 1, b: 1 })).toEqual(said("2"));
  });

  it("gives the server to the first of two simultaneous links", async () => {
    const server = make({ signals: [] });
    const [first, second] = await Promise.allSettled([client(server), client(server)]);
    expect(first.status).toBe("fulfilled");
    expect(second).toMatchObject({ status: "rejected", reason: { code: "invalid_options" } });
  });

  it("rejects open calls on close(), after which the server can be linked again", async () => {
    const signals: AbortSignal[] = [];
    const server = make({ signals });
    const first = await initialized(server);
    const rejected = expect(first.call("wait")).rejects.toMatchObject({ code: "closed" });
    await expect.poll(() => signals.length).toBe(1);
    await first.link.close();
    await rejected;
    const second = await initialized(server);
    expect(await second.call("add", { a: 2, b: 2 })).toEqual(said("4"));
  });

  it("ends the link when the server closes itself", async () => {
    const server = make({ signals: [] });
    const { request } = await initialized(server);
    await server.close();
    await expect(request("ping")).rejects.toMatchObject({ code: "closed" });
  });

  it("takes the inner Server too", async () => {
    const { call } = await initialized(make({ signals: [] }).server);
    expect(await call("add", { a: 2, b: 3 })).toEqual(said("5"));
  });
});

describe("linkServer() with an unusable server", () => {
  const ignore = () => {};

  it.each([[{}], [{ connect: true }], [undefined as never]])(
    "rejects with invalid_options if there is no connect(): %o",
    async (server) => {
      await expect(linkServer("mine", server, ignore)).rejects.toMatchObject({
        code: "invalid_options",
        message: 'The MCP server "mine" has no connect().',
      });
    },
  );

  it.each([
    ["connect() rejects", { connect: async () => Promise.reject(new Error("no room")) }, "no room"],
    [
      "connect() throws",
      {
        connect: () => {
          throw new Error("no room");
        },
      },
      "no room",
    ],
    [
      "connect() exceeds connectMs",
      { connect: () => new Promise(() => {}) },
      "no connection within 50 ms",
    ],
    ["the server listens to no messages", { connect: async () => {} }, "it listens to no messages"],
  ])("rejects with mcp_failed if %s", async (_what, server, message) => {
    const linked = linkServer("mine", server, ignore, { connectMs: 50 });
    await expect(linked).rejects.toMatchObject({
      code: "mcp_failed",
      message: `The MCP server "mine" did not connect: ${message}`,
      issues: [{ path: "mine", message }],
    });
  });

  it("gives a closed transport to a server that connects after connectMs", async () => {
    let go = () => {};
    const late = new Promise<void>((resolve) => {
      go = resolve;
    });
    const outcomes: Promise<void>[] = [];
    const server = {
      async connect(transport: McpTransport) {
        await late;
        outcomes.push(transport.start());
        await outcomes[0];
      },
    };
    const linked = linkServer("mine", server, ignore, { connectMs: 20 });
    await expect(linked).rejects.toMatchObject({ code: "mcp_failed" });
    go();
    await expect.poll(() => outcomes.length).toBe(1);
    await expect(outcomes[0]).rejects.toMatchObject({ code: "closed" });
  });
});

describe("a link to an MCP server", () => {
  it("rejects a request with mcp_failed if the server throws on it", async () => {
    const server = {
      async connect(transport: McpTransport) {
        transport.onmessage = () => {
          throw new Error("cannot read");
        };
      },
    };
    const { request } = await client(server);
    await expect(request("ping")).rejects.toMatchObject({
      code: "mcp_failed",
      message: 'The MCP server "srv" failed: cannot read',
    });
  });

  it("closes even if onclose of the server throws, and reports the error to onerror", async () => {
    const errors: string[] = [];
    const server = {
      async connect(transport: McpTransport) {
        transport.onmessage = () => {};
        transport.onclose = () => {
          throw new Error("not now");
        };
        transport.onerror = ({ message }) => errors.push(message);
      },
    };
    const { link } = await client(server);
    await link.close();
    expect(errors).toEqual(["not now"]);
  });

  it("drops a reply without a request", async () => {
    let line: McpTransport | undefined;
    const server = {
      async connect(transport: McpTransport) {
        line = transport;
        transport.onmessage = () => {};
      },
    };
    const { sent } = await client(server);
    await line?.send({ jsonrpc: "2.0", id: 9, result: {} });
    expect(sent).toEqual([]);
  });
});
