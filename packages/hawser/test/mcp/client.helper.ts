import { linkServer, type McpLink } from "../../src/mcp/index.js";
import type { JsonObject, McpMessage, McpReply } from "../../src/wire/index.js";

/** The CLI's end of a link, for tests. */
export interface Client {
  readonly link: McpLink;
  /** The messages that the server sent by itself. */
  readonly sent: McpMessage[];
  request(method: string, params?: JsonObject): Promise<McpReply | undefined>;
  call(name: string, args?: JsonObject, meta?: JsonObject): Promise<unknown>;
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Resolves with the next message that the server sends by itself. */
  nextSent(): Promise<McpMessage>;
}

export async function client(server: object): Promise<Client> {
  const sent: McpMessage[] = [];
  const waiting: ((message: McpMessage) => void)[] = [];
  const link = await linkServer("srv", server, (message) => {
    sent.push(message);
    waiting.shift()?.(message);
  });
  let id = 0;
  const request = (method: string, params?: JsonObject) =>
    link.receive({ jsonrpc: "2.0", id: id++, method, ...(params ? { params } : {}) });
  return {
    link,
    sent,
    request,
    async call(name, args = {}, _meta) {
      const params = { name, arguments: args, ...(_meta ? { _meta } : {}) };
      return outcome(await request("tools/call", params));
    },
    async notify(method, params) {
      await link.receive({ jsonrpc: "2.0", method, ...(params ? { params } : {}) });
    },
    nextSent: () => new Promise((resolve) => waiting.push(resolve)),
  };
}

/** A client that has made the handshake of the CLI. */
export async function initialized(server: object, capabilities: JsonObject = {}): Promise<Client> {
  const made = await client(server);
  await made.request("initialize", { ...HELLO, capabilities });
  await made.notify("notifications/initialized");
  return made;
}

export const HELLO = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "claude-code", version: "2.1.325" },
} as const;

function outcome(reply: McpReply | undefined): unknown {
  return reply === undefined ? undefined : (reply.error ?? reply.result);
}

export function said(text: string): { content: { type: "text"; text: string }[] } {
  return { content: [{ type: "text", text }] };
}

export function failed(text: string): object {
  return { ...said(text), isError: true };
}
