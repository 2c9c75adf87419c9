import {
  type CallToolResult,
  createSdkMcpServer,
  type JsonSchema,
  type ToolExtra,
  type ToolServerConfig,
  tool,
} from "hawser";

/** A tool that the host program runs itself. */
export interface HostTool {
  readonly name: string;
  readonly description?: string | undefined;
  /** The schema of the input, which the model sees as it is. The input is not checked against it. */
  readonly inputSchema: JsonSchema;
}

/** A call of a host tool. */
export interface HostCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** The object that `HostTools` tells of the calls. `TurnHost` implements it. */
export interface HostCallListener {
  onHostCall(call: HostCall): void;
  /** The CLI no longer waits for the result. */
  onHostCallWithdrawn(id: string): void;
}

/**
 * The tools of the host as an MCP server inside this program. A call waits until `answer()` gives its result. A result
 * that comes before its call is not kept.
 */
export class HostTools {
  readonly server: ToolServerConfig;
  readonly #prefix: string;
  readonly #listener: HostCallListener;
  readonly #names: ReadonlySet<string>;
  readonly #calls = new Map<string, (result: CallToolResult) => void>();
  #count = 0;

  constructor(serverName: string, tools: readonly HostTool[], listener: HostCallListener) {
    this.#prefix = `mcp__${serverName}__`;
    this.#names = new Set(tools.map(({ name }) => name));
    this.#listener = listener;
    this.server = createSdkMcpServer({
      name: serverName,
      // Without it, the CLI leaves a tool out of the request until the model has searched for it.
      alwaysLoad: true,
      tools: tools.map(({ name, description = "", inputSchema }) =>
        tool(
          name,
          description,
          inputSchema as Record<string, unknown>,
          (input, extra) => this.#call(name, input, extra),
          // The CLI calls such tools at once, and others one after the other.
          { annotations: { readOnlyHint: true } },
        ),
      ),
    });
  }

  /** The name that the host gave to a tool; undefined if it is not a tool of the host. */
  hostName(shown: string): string | undefined {
    if (!shown.startsWith(this.#prefix)) return undefined;
    const name = shown.slice(this.#prefix.length);
    return this.#names.has(name) ? name : undefined;
  }

  /** Gives the result of a call that waits. */
  answer(id: string, result: CallToolResult): "counted" | "too_late" {
    const resolve = this.#calls.get(id);
    if (resolve === undefined) return "too_late";
    this.#calls.delete(id);
    resolve(result);
    return "counted";
  }

  #call(name: string, input: unknown, { signal, _meta }: ToolExtra): Promise<CallToolResult> {
    this.#count += 1;
    const given = _meta?.["claudecode/toolUseId"];
    const id = typeof given === "string" ? given : `host_call_${this.#count}`;
    return new Promise((resolve) => {
      const withdraw = () => {
        if (!this.#calls.delete(id)) return;
        // The CLI does not read this result, because it waits no more.
        resolve(WITHDRAWN);
        this.#listener.onHostCallWithdrawn(id);
      };
      this.#calls.set(id, (result) => {
        signal.removeEventListener("abort", withdraw);
        resolve(result);
      });
      if (signal.aborted) withdraw();
      else {
        signal.addEventListener("abort", withdraw, { once: true });
        this.#listener.onHostCall({ id, name, input });
      }
    });
  }
}

const WITHDRAWN: CallToolResult = {
  content: [{ type: "text", text: "The call was withdrawn." }],
  isError: true,
};
