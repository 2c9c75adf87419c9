import { HawserError, isObject } from "../base/index.js";
import type { JsonObject, McpMessage, McpRequest, McpToolCall } from "../wire/index.js";
import { callTool, type PreparedTool } from "./call-tool.js";
import type { McpTransport, ServerAnswer, ServerMessage } from "./mcp-transport.js";
import type { ToolExtra } from "./tool.js";

/** The name, the instructions and the tools of a server. */
export interface ServerFacts {
  readonly name: string;
  readonly version: string;
  readonly instructions: string | undefined;
  readonly tools: ReadonlyMap<string, PreparedTool>;
  /** The answer to `tools/list`. */
  readonly listed: readonly JsonObject[];
}

/**
 * The versions of the protocol, newest first. Everything that this server does is the same in all
 * of them.
 */
const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"] as const;

/**
 * The connection of one client to a `ToolServer`. Its calls run concurrently and can be cancelled.
 */
export class ClientConnection {
  readonly #facts: ServerFacts;
  readonly #transport: McpTransport;
  readonly #running = new Map<string | number, AbortController>();

  constructor(facts: ServerFacts, transport: McpTransport) {
    this.#facts = facts;
    this.#transport = transport;
  }

  receive(message: McpMessage): void {
    if (!("method" in message)) return;
    if ("id" in message) void this.#serve(message);
    else if (message.method === "notifications/cancelled") this.#cancel(message.params ?? {});
  }

  /** Aborts the running calls, because the client no longer waits for them. */
  close(): void {
    for (const controller of this.#running.values()) controller.abort(new HawserError("closed"));
    this.#running.clear();
  }

  #cancel({ requestId, reason }: JsonObject): void {
    const controller = this.#running.get(requestId as string | number);
    const why = typeof reason === "string" ? reason : "no reason given";
    controller?.abort(new HawserError("aborted", `The call was cancelled: ${why}`, { reason }));
  }

  async #serve(request: McpRequest): Promise<void> {
    const controller = new AbortController();
    this.#running.set(request.id, controller);
    const answer = await this.#answer(request, controller.signal);
    if (this.#running.get(request.id) === controller) this.#running.delete(request.id);
    // The protocol wants no reply to a request that was cancelled.
    if (controller.signal.aborted) return;
    await this.#send({ jsonrpc: "2.0", id: request.id, ...answer });
  }

  async #answer(request: McpRequest, signal: AbortSignal): Promise<ServerAnswer> {
    const { method, params = {} } = request;
    if (method === "initialize") return { result: this.#initialize(params) };
    if (method === "ping") return { result: {} };
    if (method === "tools/list") return { result: { tools: this.#facts.listed } };
    if (method !== "tools/call") return { error: { code: -32601, message: "Method not found" } };
    const call = params as unknown as McpToolCall;
    const wrong = findCallProblem(params);
    if (wrong !== undefined) return { error: { code: -32602, message: wrong } };
    const extra = this.#extra(request, call, signal);
    const { report } = this.#transport;
    return { result: await callTool(this.#facts.tools, call, extra, report) };
  }

  #initialize({ protocolVersion }: JsonObject): JsonObject {
    const { name, version, instructions } = this.#facts;
    return {
      protocolVersion: VERSIONS.find((known) => known === protocolVersion) ?? VERSIONS[0],
      capabilities: { tools: {} },
      serverInfo: { name, version },
      ...(instructions === undefined ? {} : { instructions }),
    };
  }

  #extra({ id }: McpRequest, { _meta }: McpToolCall, signal: AbortSignal): ToolExtra {
    const progressToken = _meta?.progressToken;
    const sendNotification: ToolExtra["sendNotification"] = (notification) =>
      this.#transport.send({ jsonrpc: "2.0", ...notification });
    return {
      signal,
      requestId: id,
      ...(_meta === undefined ? {} : { _meta }),
      sendNotification,
      async sendProgress(progress) {
        if (progressToken === undefined || signal.aborted) return;
        const params = { progressToken, ...progress };
        await sendNotification({ method: "notifications/progress", params });
      },
      async sendRequest() {
        throw new HawserError(
          "not_supported",
          "This MCP server cannot send requests to its client.",
          {
            hint: "Use an McpServer from the MCP SDK as the server's `instance`.",
          },
        );
      },
    };
  }

  async #send(message: ServerMessage): Promise<void> {
    try {
      await this.#transport.send(message);
    } catch {
      // The transport was closed while the call ran, so that the answer has no receiver.
    }
  }
}

function findCallProblem({ name, arguments: args = {} }: JsonObject): string | undefined {
  if (typeof name !== "string") return "Invalid params: name must be a string";
  return isObject(args) ? undefined : "Invalid params: arguments must be an object";
}
