import { isBlock, isMessage, isSystem, type Message } from "../../wire/index.js";
import { serverNames } from "../connection/require-servers.js";

/**
 * What the CLI has said about its session so far. The requests of the CLI do not say it, but the messages
 * before them do.
 */
export class AnnouncedSession {
  #sessionId: string | undefined;
  #cwd: string | undefined;
  #servers: readonly string[] = [];
  /** For each tool call of a sub-agent, the tool call that started the sub-agent. */
  readonly #parents = new Map<string, string>();

  /** To be called with every message that is no stream event. */
  observe(message: Message): void {
    if (isSystem(message, "init")) {
      this.#sessionId = message.session_id;
      this.#cwd = message.cwd;
      if (Array.isArray(message.mcp_servers)) this.#servers = serverNames(message.mcp_servers);
    } else if (isMessage(message, "assistant") && message.parent_tool_use_id) {
      const { content } = message.message ?? {};
      for (const block of Array.isArray(content) ? content : []) {
        if (isBlock(block, "tool_use")) this.#addParent(block.id, message.parent_tool_use_id);
      }
    }
  }

  /** The CLI's id of the session; undefined before its first turn. */
  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** The working directory, as the CLI named it last. */
  get cwd(): string | undefined {
    return this.#cwd;
  }

  /** The MCP servers that the CLI named last, also those of settings files. */
  get servers(): readonly string[] {
    return this.#servers;
  }

  /** The tool call that started the sub-agent which makes this tool call. */
  parentOf(toolUseId: string): string | undefined {
    return this.#parents.get(toolUseId);
  }

  #addParent(toolUseId: string, parent: string): void {
    this.#parents.set(toolUseId, parent);
    const [oldest] = this.#parents.keys();
    if (this.#parents.size > MOST && oldest !== undefined) this.#parents.delete(oldest);
  }
}

/** More calls of sub-agents than wait for an answer at the same time. */
const MOST = 1000;
