import { loadZod, type ZodConverter } from "../schema/index.js";
import type { JsonObject, McpMessage } from "../wire/index.js";
import type { PreparedTool } from "./call-tool.js";
import { ClientConnection, type ServerFacts } from "./client-connection.js";
import type { McpTransport } from "./mcp-transport.js";

/** A small MCP server of tools. It keeps no state between calls, so that many lines can share it. */
export class ToolServer {
  readonly #facts: Omit<ServerFacts, "listed">;
  readonly #lines = new Set<McpTransport>();
  #listed: Promise<readonly JsonObject[]> | undefined;

  constructor(facts: Omit<ServerFacts, "listed">) {
    this.#facts = facts;
  }

  /** Serves one more line, until that line closes. */
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
      this.#lines.delete(transport);
      connection.close();
    };
    this.#lines.add(transport);
    try {
      await transport.start();
    } catch (error) {
      this.#lines.delete(transport);
      throw error;
    }
  }

  /** Whether it serves a line at the moment. */
  isConnected(): boolean {
    return this.#lines.size > 0;
  }

  /** Ends every line that it serves; it can be connected again. */
  async close(): Promise<void> {
    await Promise.all([...this.#lines].map((line) => line.close()));
  }
}

async function listTools(tools: readonly PreparedTool[]): Promise<readonly JsonObject[]> {
  const zod = tools.some(({ input }) => input.needsZod) ? await loadZod() : undefined;
  return tools.map((tool) => listTool(tool, zod));
}

/** A tool as `tools/list` tells of it. */
export function listTool({ definition, input }: PreparedTool, zod?: ZodConverter): JsonObject {
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
