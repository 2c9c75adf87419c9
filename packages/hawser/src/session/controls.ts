import { HawserError, isHawserError } from "../base/index.js";
import type { RequestOptions } from "../control/index.js";
import { type McpServerConfig, PERMISSION_MODES } from "../options/index.js";
import type {
  AccountInfo,
  AgentInfo,
  ContextUsage,
  HostPayload,
  HostRequestFields,
  InitializePayload,
  JsonObject,
  McpServerStatus,
  ModelInfo,
  PermissionMode,
  RewindReceipt,
  SlashCommand,
} from "../wire/index.js";

/** The fields of a request: typed where the subtype is known, open where it is not. */
export type FieldsOf<S extends string> = S extends keyof HostRequestFields
  ? HostRequestFields[S]
  : JsonObject;

/** The requests to a running CLI other than prompts, with the names of the official SDK. */
export abstract class Controls {
  /** The last `setMcpServers()`. It may need two requests, and no other change may come between them. */
  #setting: Promise<unknown> = Promise.resolve();

  /** The CLI's answer to initialize. */
  abstract initializationResult(): Promise<InitializePayload>;

  /**
   * Sends any control request, also a request that has no method here, and resolves with the payload of the
   * answer.
   *
   * @example
   * ```ts
   * const settings = await session.request("get_settings");
   * ```
   */
  abstract request<S extends string>(
    subtype: S,
    fields?: FieldsOf<S>,
    options?: RequestOptions,
  ): Promise<HostPayload<S>>;

  /**
   * Links the servers of this program before the CLI gets their names. Returns the names under which the
   * CLI knows another server.
   */
  protected abstract linkServers(
    servers: Readonly<Record<string, McpServerConfig>>,
  ): readonly string[];

  /**
   * Sets the model for the next turns. Without a name the CLI chooses. An unknown name fails at the next
   * prompt.
   */
  async setModel(model?: string): Promise<void> {
    // An older CLI never answers a request with another type.
    mustBe(model === undefined || typeof model === "string", "model", "a string");
    await this.request("set_model", model === undefined ? {} : { model });
  }

  /**
   * Sets what happens from now on with tool calls that no rule decides. A mode that is not known here is
   * refused, because an older CLI accepts any word (observed: 2.1.197).
   */
  async setPermissionMode(mode: PermissionMode): Promise<void> {
    mustBe(PERMISSION_MODES.includes(mode), "mode", `one of ${PERMISSION_MODES.join(", ")}`);
    // An older CLI does not know the newer name of the default mode, and would accept it nevertheless.
    const known = (mode as string) === "manual" ? "default" : mode;
    await this.request("set_permission_mode", { mode: known });
  }

  /** Sets how many tokens the model may think. `null` removes the limit; 0 switches thinking off. */
  async setMaxThinkingTokens(
    maxThinkingTokens: number | null,
    thinkingDisplay?: "summarized" | "omitted" | "highlights" | null,
  ): Promise<void> {
    const isCount = Number.isInteger(maxThinkingTokens) && Number(maxThinkingTokens) >= 0;
    mustBe(maxThinkingTokens === null || isCount, "maxThinkingTokens", "a whole number or null");
    await this.request("set_max_thinking_tokens", {
      max_thinking_tokens: maxThinkingTokens,
      ...(thinkingDisplay ? { thinking_display: thinkingDisplay } : {}),
    });
  }

  /** Sets another permission mode for the tools of one server; `null` removes it. */
  async setMcpPermissionModeOverride(
    serverName: string,
    mode: PermissionMode | null,
  ): Promise<{ warning?: string }> {
    const fields = { serverName, mode };
    return (await this.request("set_mcp_permission_mode_override", fields)) ?? {};
  }

  /** Overrides settings of the files for this process; `null` removes an override. */
  async applyFlagSettings(settings: JsonObject): Promise<void> {
    await this.request("apply_flag_settings", { settings });
  }

  /** Writes a settings file. */
  async updateSettings(
    source: "localSettings" | "userSettings",
    settings: JsonObject,
  ): Promise<void> {
    await this.request("update_settings", { source, settings });
  }

  /** The slash commands, as the CLI reported them at its start. */
  async supportedCommands(): Promise<SlashCommand[]> {
    return [...(await this.initializationResult()).commands];
  }

  /** The models, as the CLI reported them at its start. */
  async supportedModels(): Promise<ModelInfo[]> {
    return [...(await this.initializationResult()).models];
  }

  /** The sub-agents, as the CLI reported them at its start. */
  async supportedAgents(): Promise<AgentInfo[]> {
    return [...(await this.initializationResult()).agents];
  }

  /** The account, as the CLI reported it at its start; never a credential. */
  async accountInfo(): Promise<AccountInfo> {
    return (await this.initializationResult()).account;
  }

  /** All MCP servers: which are connected, which failed and why, and their tools. */
  async mcpServerStatus(): Promise<McpServerStatus[]> {
    return [...(await this.request("mcp_status")).mcpServers];
  }

  /**
   * Replaces the servers that were set by this method before, and all servers of this program, also those of
   * the options. Other servers of the options stay.
   */
  async setMcpServers(
    servers: Readonly<Record<string, McpServerConfig>>,
  ): Promise<HostPayload<"mcp_set_servers">> {
    const setting = this.#setting.then(() => this.#setMcpServers(servers));
    this.#setting = setting.catch(() => {}); // The caller gets the error.
    return setting;
  }

  /** Restarts a server, or connects to it again. */
  async reconnectMcpServer(serverName: string): Promise<void> {
    await this.request("mcp_reconnect", { serverName });
  }

  /** Switches a server on or off for this process. */
  async toggleMcpServer(serverName: string, enabled: boolean): Promise<void> {
    await this.request("mcp_toggle", { serverName, enabled });
  }

  /** Reads a resource of a server by its URI. */
  async readMcpResource(
    serverName: string,
    uri: string,
  ): Promise<HostPayload<"mcp_read_resource">> {
    return this.request("mcp_read_resource", { serverName, uri });
  }

  /**
   * How full the context window is. With `detail: "full"` the CLI asks the API to count the tokens.
   */
  async getContextUsage(options: { detail?: "summary" | "full" } = {}): Promise<ContextUsage> {
    return this.request("get_context_usage", options);
  }

  /**
   * Cost and limits of the account, as far as the CLI knows them. As the name says, the CLI may change this
   * request.
   */
  async usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(
    options: { skipBehaviors?: boolean } = {},
  ): Promise<HostPayload<"get_usage">> {
    const { skipBehaviors } = options;
    return this.request("get_usage", {
      ...(skipBehaviors === undefined ? {} : { skip_behaviors: skipBehaviors }),
    });
  }

  /** Reads a file as the CLI sees it; `null` if it does not exist or may not be read. */
  async readFile(
    path: string,
    options: { maxBytes?: number; encoding?: "utf-8" | "base64" } = {},
  ): Promise<HostPayload<"read_file"> | null> {
    const { maxBytes, encoding } = options;
    try {
      return await this.request("read_file", {
        path,
        ...(maxBytes === undefined ? {} : { max_bytes: maxBytes }),
        ...(encoding === undefined ? {} : { encoding }),
      });
    } catch (error) {
      if (isHawserError(error, "control_error")) return null;
      throw error;
    }
  }

  /** Tells the CLI that a file has been read, so that it may be edited. */
  async seedReadState(path: string, mtime: number): Promise<void> {
    await this.request("seed_read_state", { path, mtime });
  }

  /** Reads the plugins again and returns the current list. */
  async reloadPlugins(options: JsonObject = {}): Promise<HostPayload<"reload_plugins">> {
    return this.request("reload_plugins", snakeCase(options));
  }

  /** Reads the skills again and returns the current list. */
  async reloadSkills(): Promise<HostPayload<"reload_skills">> {
    return this.request("reload_skills");
  }

  /** Reads the output styles again and returns the current list. */
  async reloadOutputStyles(): Promise<HostPayload<"reload_output_styles">> {
    return this.request("reload_output_styles");
  }

  /**
   * Restores the files to their state before a prompt. Needs the option `enableFileCheckpointing`.
   *
   * @example
   * ```ts
   * const turn = session.send("Rename the module.");
   * await turn.result;
   * await session.rewindFiles(turn.uuid);
   * ```
   */
  async rewindFiles(
    userMessageId: string,
    options: { dryRun?: boolean } = {},
  ): Promise<RewindReceipt> {
    return this.request("rewind_files", {
      user_message_id: userMessageId,
      ...(options.dryRun === undefined ? {} : { dry_run: options.dryRun }),
    });
  }

  /** Ends a background task. An unknown id is not an error. */
  async stopTask(taskId: string): Promise<void> {
    await this.request("stop_task", { task_id: taskId });
  }

  /** Moves running work to the background. Resolves with false if there was none. */
  async backgroundTasks(toolUseId?: string): Promise<boolean> {
    const fields = toolUseId === undefined ? {} : { tool_use_id: toolUseId };
    const payload = await this.request("background_tasks", fields);
    return payload?.["backgrounded"] !== false;
  }

  async #setMcpServers(
    servers: Readonly<Record<string, McpServerConfig>>,
  ): Promise<HostPayload<"mcp_set_servers">> {
    const others = new Set(this.linkServers(servers));
    const named = Object.entries(servers).map(([name, server]) => [
      name,
      server.type === "sdk" ? { type: "sdk", name } : server,
    ]);
    const all = { servers: Object.fromEntries(named) };
    if (others.size === 0) return this.request("mcp_set_servers", all);
    // The CLI compares servers by name alone: it would keep the old server and not shake hands again.
    const kept = named.filter(([name]) => !others.has(String(name)));
    const before = await this.request("mcp_set_servers", { servers: Object.fromEntries(kept) });
    const after = await this.request("mcp_set_servers", all);
    return {
      added: [...new Set([...before.added, ...after.added])],
      removed: [...new Set([...before.removed, ...after.removed])],
      errors: { ...before.errors, ...after.errors },
    };
  }
}

function mustBe(fine: boolean, path: string, what: string): void {
  if (fine) return;
  const message = `${path} must be ${what}.`;
  throw new HawserError("invalid_options", message, { issues: [{ path, message }] });
}

function snakeCase(fields: JsonObject): JsonObject {
  const renamed = Object.entries(fields).map(([name, value]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]);
  return Object.fromEntries(renamed);
}
