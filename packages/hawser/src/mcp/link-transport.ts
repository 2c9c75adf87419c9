import { HawserError, type ReportFault, textOf } from "../base/index.js";
import type { McpMessage, McpNotification, McpReply, McpRequest } from "../wire/index.js";
import type { McpTransport } from "./mcp-transport.js";

type Id = string | number;

/** A request of the CLI that has no reply yet. */
interface Waiter {
  /** The id that the CLI gave the request. */
  readonly id: Id;
  readonly resolve: (reply: McpReply | undefined) => void;
  readonly reject: (error: HawserError) => void;
}

/**
 * The server's end of a link. A reply settles the request in `receive()`, other messages go to the
 * CLI.
 */
export class LinkTransport implements McpTransport {
  onmessage: ((message: McpMessage) => void) | undefined;
  onclose: McpTransport["onclose"];
  onerror: McpTransport["onerror"];
  readonly report: McpTransport["report"];
  readonly #name: string;
  readonly #out: (message: McpMessage) => void;
  readonly #waiting = new Map<Id, Waiter>();
  #renamed = 0;
  #closed = false;

  constructor(name: string, out: (message: McpMessage) => void, report?: ReportFault) {
    this.#name = name;
    this.#out = out;
    this.report = report;
  }

  async start(): Promise<void> {
    this.#refuseClosed();
  }

  async send(message: McpMessage): Promise<void> {
    this.#refuseClosed();
    if ("method" in message) this.#out(message);
    else this.#settle(message);
  }

  async receive(message: McpMessage): Promise<McpReply | undefined> {
    this.#refuseClosed();
    if (!("method" in message)) this.#deliver(message);
    else if ("id" in message) return this.#ask(message);
    else if (message.method === "notifications/cancelled") this.#cancel(message);
    else this.#deliver(message);
    return undefined;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const { reject } of this.#waiting.values()) reject(new HawserError("closed"));
    this.#waiting.clear();
    try {
      this.onclose?.();
    } catch (error) {
      // A listener that fails must not keep a session from closing. MCP reports such errors here.
      this.onerror?.(error as Error);
    }
  }

  #ask(request: McpRequest): Promise<McpReply | undefined> {
    const { id } = request;
    // A client that reconnects counts from zero again, while calls of the old client may still run.
    const inner = this.#waiting.has(id) ? `${id}#${++this.#renamed}` : id;
    return new Promise((resolve, reject) => {
      this.#waiting.set(inner, { id, resolve, reject });
      try {
        this.#deliver({ ...request, id: inner });
      } catch (error) {
        this.#waiting.delete(inner);
        reject(error as HawserError);
      }
    });
  }

  /** Ignores a reply to a request that was cancelled. */
  #settle(reply: McpReply): void {
    const waiter = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    waiter?.resolve({ ...reply, id: waiter.id });
  }

  /** Settles the request at once, because the server sends no reply to a cancelled request. */
  #cancel(message: McpNotification): void {
    const asked = message.params?.["requestId"];
    const [requestId, waiter] = [...this.#waiting].findLast(([, { id }]) => id === asked) ?? [
      asked,
    ];
    this.#waiting.delete(requestId as Id);
    this.#deliver({ ...message, params: { ...message.params, requestId } });
    waiter?.resolve(undefined);
  }

  #deliver(message: McpMessage): void {
    try {
      this.onmessage?.(message);
    } catch (cause) {
      const why = textOf(cause);
      throw new HawserError("mcp_failed", `The MCP server "${this.#name}" failed: ${why}`, {
        hint: "The server's own code threw when it received a message; look at `cause`.",
        cause,
      });
    }
  }

  #refuseClosed(): void {
    if (this.#closed) throw new HawserError("closed");
  }
}
