import { isResult, isSystem, type Message } from "../../wire/index.js";

/**
 * What the CLI has said about its session so far. The requests of the CLI do not say it, but the messages
 * before them do.
 */
export class AnnouncedSession {
  #sessionId: string | undefined;
  #cwd: string | undefined;
  #results = 0;
  #servers: readonly string[] = [];
  /** The tool call that started each sub-agent, by the id of the sub-agent. */
  readonly #parents = new Map<string, string>();

  /** To be called with every message that is no stream event. */
  observe(message: Message): void {
    if (isResult(message)) this.#results += 1;
    if (isSystem(message, "init")) {
      this.#sessionId = message.session_id;
      this.#cwd = message.cwd;
      if (Array.isArray(message.mcp_servers)) this.#servers = serverNames(message.mcp_servers);
    } else if (isSystem(message, "task_started") && message.tool_use_id !== undefined) {
      this.#addParent(message.task_id, message.tool_use_id);
    }
  }

  /** The CLI's id of the session; undefined before its first turn. */
  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** How many turns have ended. */
  get results(): number {
    return this.#results;
  }

  /** The working directory, as the CLI named it last. */
  get cwd(): string | undefined {
    return this.#cwd;
  }

  /** The MCP servers that the CLI named last, also those of settings files. */
  get servers(): readonly string[] {
    return this.#servers;
  }

  /** The tool call that started a sub-agent. Observed: the id of a sub-agent is the id of its task. */
  parentOf(agentId: string | undefined): string | undefined {
    return agentId === undefined ? undefined : this.#parents.get(agentId);
  }

  #addParent(agentId: string, toolUseId: string): void {
    this.#parents.set(agentId, toolUseId);
    const [oldest] = this.#parents.keys();
    if (this.#parents.size > MOST && oldest !== undefined) this.#parents.delete(oldest);
  }
}

/** More sub-agents than work at the same time. */
const MOST = 1000;

/** The names of the servers in an init message of the CLI. */
function serverNames(servers: readonly ({ readonly name?: unknown } | null)[]): readonly string[] {
  return servers.map((server) => server?.name).filter((name) => typeof name === "string");
}
