import { HawserError, type Logger, type ReportFault, textOf } from "../../base/index.js";
import { linkServer, type McpLink } from "../../mcp/index.js";
import type { McpSdkServer, McpServerConfig } from "../../options/index.js";
import type { McpMessage, McpMessagePayload, McpMessageRequest } from "../../wire/index.js";

/** Sends the messages of MCP servers to the CLI. The connection implements it. */
export interface McpMessageSink {
  sendMcpMessage(serverName: string, message: McpMessage): void;
}

/** The MCP servers inside this program that one process talks to. */
export class HostMcpServers {
  readonly #sink: McpMessageSink;
  readonly #log: Logger;
  readonly #report: ReportFault;
  readonly #links = new Map<string, Linked>();
  #names: readonly string[] = [];

  constructor(sink: McpMessageSink, log: Logger, report: ReportFault) {
    this.#sink = sink;
    this.#log = log;
    this.#report = report;
  }

  /**
   * Links the servers of a map that live in this program, and unlinks the servers that are no longer in
   * the map. Returns the names that another server had before: the CLI has shaken hands with that server.
   */
  set(servers: Readonly<Record<string, McpServerConfig>>): readonly string[] {
    this.#names = Object.keys(servers);
    for (const name of this.#links.keys()) {
      if (servers[name]?.type !== "sdk") this.#unlink(name);
    }
    const here = Object.entries(servers).flatMap(([name, server]) =>
      server.type === "sdk" ? [{ name, server }] : [],
    );
    const changed = here.filter(({ name, server }) => this.#isOther(name, server));
    for (const { name } of changed) this.#unlink(name);
    for (const { name, server } of here) this.#link(name, server);
    return changed.map(({ name }) => name);
  }

  /** The names of all servers of the newest map, also of those that the CLI starts. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** Rejects if one of these could not be linked. */
  async linked(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.#links.get(name)?.link));
  }

  async answer({ server_name, message }: McpMessageRequest): Promise<McpMessagePayload> {
    const link = await this.#links.get(server_name)?.link;
    if (link === undefined) {
      throw new HawserError("mcp_failed", `There is no MCP server ${server_name} here.`);
    }
    const reply = await link.receive(message);
    // The CLI waits for a reply to a notification too, although MCP has none.
    return { mcp_response: reply ?? { jsonrpc: "2.0", id: 0, result: {} } };
  }

  close(): void {
    for (const name of [...this.#links.keys()]) this.#unlink(name);
  }

  /** A server that could not be linked counts as another server: it may have become free since. */
  #isOther(name: string, { instance }: McpSdkServer): boolean {
    const before = this.#links.get(name);
    if (before === undefined || instance === undefined) return false;
    return before.failed || before.instance !== instance;
  }

  #link(name: string, { instance }: McpSdkServer): void {
    if (instance === undefined || this.#links.has(name)) return;
    const link = linkServer(name, instance, (message) => this.#sink.sendMcpMessage(name, message), {
      report: this.#report,
    });
    const linked: Linked = { instance, link, failed: false };
    this.#links.set(name, linked);
    link.catch((error: unknown) => {
      // The failed link stays, so that a request for this server is answered with the reason.
      linked.failed = true;
      this.#log.error("an MCP server of this program could not be linked", {
        server: name,
        error: textOf(error),
      });
    });
  }

  #unlink(name: string): void {
    const link = this.#links.get(name)?.link;
    this.#links.delete(name);
    // A server that never came up has nothing to close.
    link?.then((it) => it.close()).catch(() => {});
  }
}

interface Linked {
  readonly instance: object;
  readonly link: Promise<McpLink>;
  failed: boolean;
}
