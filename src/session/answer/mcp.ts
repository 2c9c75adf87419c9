import { HawserError, type Logger } from "../../errors/index.js";
import { linkServer, type McpLink } from "../../mcp/index.js";
import type { McpSdkServer, McpServerConfig } from "../../options/index.js";
import type { McpMessage, McpMessagePayload, McpMessageRequest } from "../../wire/index.js";

/** The MCP servers inside this program that one process talks to. */
export class McpServers {
  readonly #send: (serverName: string, message: McpMessage) => void;
  readonly #log: Logger;
  readonly #links = new Map<string, Promise<McpLink>>();

  constructor(send: (serverName: string, message: McpMessage) => void, log: Logger) {
    this.#send = send;
    this.#log = log;
  }

  /** Links the servers of a map that live here, and lets go of those that are no longer in it. */
  set(servers: Readonly<Record<string, McpServerConfig>>): void {
    for (const name of this.#links.keys()) {
      if (servers[name]?.type !== "sdk") this.#unlink(name);
    }
    for (const [name, server] of Object.entries(servers)) {
      if (server.type === "sdk") this.#link(name, server);
    }
  }

  /** Rejects if one of these could not be linked. */
  async linked(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.#links.get(name)));
  }

  async answer({ server_name, message }: McpMessageRequest): Promise<McpMessagePayload> {
    const link = await this.#links.get(server_name);
    if (link === undefined) {
      throw new HawserError("mcp_failed", `There is no MCP server ${server_name} here.`);
    }
    const reply = await link.receive(message);
    // Owed for notifications too, which have no reply of their own.
    return { mcp_response: reply ?? { jsonrpc: "2.0", id: 0, result: {} } };
  }

  close(): void {
    for (const name of [...this.#links.keys()]) this.#unlink(name);
  }

  #link(name: string, { instance }: McpSdkServer): void {
    if (instance === undefined || this.#links.has(name)) return;
    const link = linkServer(name, instance, (message) => this.#send(name, message));
    this.#links.set(name, link);
    link.catch((error: unknown) => {
      this.#log.error("an MCP server of this program could not be linked", {
        server: name,
        error: String(error),
      });
    });
  }

  #unlink(name: string): void {
    const link = this.#links.get(name);
    this.#links.delete(name);
    // A server that never came up has nothing to close.
    link?.then((it) => it.close()).catch(() => {});
  }
}
