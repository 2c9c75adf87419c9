import {
  type ApprovalDecision,
  type Approvals,
  type CallToolResult,
  createApprovals,
  HawserError,
  type McpServerConfig,
  type Options,
} from "hawser";
import { AgentTurn, type TurnSource, type Waiting } from "./agent-turn.js";
import { type HostCall, type HostTool, HostTools } from "./host-tools.js";

export interface TurnHostOptions {
  /** Tools that this program runs. Their calls are `host_call` events, and wait for `answerToolCall()`. */
  readonly tools?: readonly HostTool[] | undefined;
  /**
   * Whether questions of permission are `question` events, which wait for `answerApproval()`. Otherwise `canUseTool` of
   * the options answers them, or they are denied.
   */
  readonly asks?: boolean | undefined;
  /** Whether questions of MCP servers are `question` events too. Otherwise `onElicitation` of the options answers them. */
  readonly asksForServers?: boolean | undefined;
  /**
   * The name of the MCP server that offers the tools. The model sees `mcp__<name>__<tool>`.
   *
   * @default "app"
   */
  readonly serverName?: string | undefined;
}

/**
 * What the turns of one session, or of one call, need of this program: it offers the host's tools, and lets questions and
 * calls wait for their answers.
 *
 * @example
 * ```ts
 * const host = new TurnHost({ asks: true, tools: [{ name: "now", inputSchema: { type: "object" } }] });
 * const session = await openSession(host.extend({ cwd }));
 * const turn = host.follow(fromSession(session.send("What time is it?")));
 * for (let event = await turn.next(); event !== undefined; event = await turn.next()) {
 *   if (event.type === "host_call") {
 *     host.answerToolCall(event.id, { content: [{ type: "text", text: new Date().toISOString() }] });
 *   }
 * }
 * await session.close();
 * await host.close();
 * ```
 */
export class TurnHost {
  readonly #options: TurnHostOptions;
  readonly #approvals: Approvals | undefined;
  readonly #tools: HostTools | undefined;
  readonly #waiting = new Map<string, Waiting>();
  #turn: AgentTurn | undefined;

  constructor(options: TurnHostOptions) {
    const { tools = [], asks = false, asksForServers = false, serverName = "app" } = options;
    this.#options = options;
    if (tools.length > 0) this.#tools = new HostTools(serverName, tools, this);
    if (asks || asksForServers) {
      this.#approvals = createApprovals();
      void this.#watch(this.#approvals);
    }
  }

  /** The questions and calls that wait for an answer, the oldest first. */
  get waiting(): readonly Waiting[] {
    return [...this.#waiting.values()];
  }

  /** The options of a session or a call, with what this object adds to them. */
  extend<O extends Options>(options: O): O {
    const { asks = false, asksForServers = false, serverName = "app", tools = [] } = this.#options;
    const approvals = this.#approvals;
    const server = this.#tools?.server;
    const { mcpServers, allowedTools = [], strictMcpConfig } = options;
    return {
      ...options,
      // The raw events of the model are needed.
      includePartialMessages: true,
      ...(asks && approvals !== undefined ? { canUseTool: approvals.canUseTool } : {}),
      ...(asksForServers && approvals !== undefined
        ? { onElicitation: approvals.onElicitation }
        : {}),
      ...(server === undefined
        ? {}
        : {
            mcpServers: { ...serversOf(mcpServers, serverName), [serverName]: server },
            // Without servers of the caller, the other MCP configuration stays in effect.
            strictMcpConfig: strictMcpConfig ?? mcpServers !== undefined,
            allowedTools: [
              ...allowedTools,
              ...tools.map(({ name }) => `mcp__${serverName}__${name}`),
            ],
          }),
    };
  }

  /** The events of a turn. Questions and calls go to the turn that was followed last. */
  follow<Outcome>(source: TurnSource<Outcome>): AgentTurn<Outcome> {
    const turn = new AgentTurn(source, (shown) => this.#tools?.hostName(shown));
    this.#turn = turn;
    for (const waiting of this.#waiting.values()) turn.receive(waiting);
    return turn;
  }

  /**
   * Answers a question by the id of its approval. The first answer counts. Rejects with `invalid_options` if the decision
   * does not fit the question.
   */
  async answerApproval(
    id: string,
    decision: ApprovalDecision,
    by?: string,
  ): Promise<"counted" | "too_late"> {
    if (!this.#waiting.has(id)) return "too_late";
    const answered = await this.#approvals?.answer(id, decision, by === undefined ? {} : { by });
    return answered ?? "too_late";
  }

  /** Gives the result of a host tool, by the id of its call. The first result counts. */
  answerToolCall(id: string, result: CallToolResult): "counted" | "too_late" {
    if (!this.#waiting.delete(id)) return "too_late";
    return this.#tools?.answer(id, result) ?? "too_late";
  }

  /** Denies all questions that wait. Close the session or the call before or after. */
  async close(): Promise<void> {
    this.#waiting.clear();
    await this.#approvals?.close();
  }

  // What follows is for `HostTools`.

  onHostCall({ id, name, input }: HostCall): void {
    this.#receive(id, { type: "host_call", id, name, input });
  }

  onHostCallWithdrawn(id: string): void {
    this.#withdraw(id);
  }

  async #watch(approvals: Approvals): Promise<void> {
    for await (const change of approvals) {
      if (change.type === "asked") {
        this.#receive(change.approval.id, { type: "question", approval: change.approval });
      } else if (change.type === "answered") this.#waiting.delete(change.id);
      else if (change.type !== "missed") this.#withdraw(change.id);
    }
  }

  #receive(id: string, waiting: Waiting): void {
    this.#waiting.set(id, waiting);
    this.#turn?.receive(waiting);
  }

  #withdraw(id: string): void {
    if (this.#waiting.delete(id)) this.#turn?.withdraw(id);
  }
}

function serversOf(
  given: Options["mcpServers"],
  serverName: string,
): Record<string, McpServerConfig> {
  if (typeof given === "string") {
    throw new HawserError(
      "invalid_options",
      "Tools of the host do not go with mcpServers as a text.",
      {
        hint: "Give `mcpServers` as an object.",
        issues: [{ path: "mcpServers", message: "must be an object" }],
      },
    );
  }
  if (given !== undefined && Object.hasOwn(given, serverName)) {
    throw new HawserError(
      "invalid_options",
      `mcpServers.${serverName} is taken by the tools of the host.`,
      {
        hint: "Give the server another name.",
        issues: [{ path: `mcpServers.${serverName}`, message: "must have another name" }],
      },
    );
  }
  return { ...given };
}
