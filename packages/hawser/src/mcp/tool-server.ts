import { loadZod, type ZodConverter } from "../schema/index.js";
import type { JsonObject, McpMessage } from "../wire/index.js";
import type { PreparedTool } from "./call-tool.js";
import { ClientConnection, type ServerFacts } from "./client-connection.js";
import type { McpTransport } from "./mcp-transport.js";

/** A small MCP server with tools. It keeps no state between calls, so many clients can share it. */
export class ToolServer {
  readonly #facts: Omit<ServerFacts, "listed">;
  readonly #transports = new Set<McpTransport>();
  #listed: Promise<readonly JsonObject[]> | undefined;

  constructor(facts: Omit<ServerFacts, "listed">) {
    this.#facts = facts;
  }

  /** Serves one more client, until its transport closes. */
  async connect(transport: McpTransport): Promise<void> {
    this.#listed ??= listTools([...this.#facts.tools.values()]);
    const connection = new ClientConnection(
      { ...this.#facts, listed: await this.#listed },
      transport,
    );
    const { onclose } = transport;
    transport.onmessage = (message: McpMessage) => connection.receive(message);
    transport.onclose = () => {
      onclose?.();
      this.#transports.delete(transport);
      connection.close();
    };
    this.#transports.add(transport);
    try {
      await transport.start();
    } catch (error) {
      this.#transports.delete(transport);
      throw error;
    }
  }

  /** Whether the server has a client now. */
  isConnected(): boolean {
    return this.#transports.size > 0;
  }

  /** Closes the transports of all clients. The server can be connected again. */
  async close(): Promise<void> {
    await Promise.all([...this.#transports].map((transport) => transport.close()));
  }
}

async function listTools(tools: readonly PreparedTool[]): Promise<readonly JsonObject[]> {
  const zod = tools.some(({ input }) => input.needsZod) ? await loadZod() : undefined;
  return tools.map((tool) => describeTool(tool, zod));
}

/** A tool as an entry of the answer to `tools/list`. */
export function describeTool({ definition, input }: PreparedTool, zod?: ZodConverter): JsonObject {
  const { name, title, description, annotations, _meta } = definition;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: input.describe(zod),
    ...(annotations === undefined ? {} : { annotations }),
    ...(_meta === undefined ? {} : { _meta }),
  };
}
