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

/** The requests to a running CLI beside prompts, under the official SDK's names. */
export abstract class Controls {
  /** The last `setMcpServers()`: it may take two requests, with no other change in between. */
  #setting: Promise<unknown> = Promise.resolve();

  /** The CLI's answer to initialize. */
  abstract initializationResult(): Promise<InitializePayload>;

  /** Any control request, also one that has no method here; gives the payload of its answer. */
  abstract request<S extends string>(
    subtype: S,
    fields?: FieldsOf<S>,
    options?: RequestOptions,
  ): Promise<HostPayload<S>>;

  /**
   * Links the servers of this program before the CLI gets their names. Gives the names under which the
   * CLI knows another server.
   */
  protected abstract linkServers(
    servers: Readonly<Record<string, McpServerConfig>>,
  ): readonly string[];

  /** Without a name the CLI chooses. An unknown name fails at the next prompt. */
  async setModel(model?: string): Promise<void> {
    // An older CLI never answers a request with another type.
    mustBe(model === undefined || typeof model === "string", "model", "a string");
    await this.request("set_model", model === undefined ? {} : { model });
  }

  /**
   * What happens from now on with calls that no rule decides. A mode that is not known here is refused,
   * because an older CLI takes any word (observed: 2.1.197).
   */
  async setPermissionMode(mode: PermissionMode): Promise<void> {
    mustBe(PERMISSION_MODES.includes(mode), "mode", `one of ${PERMISSION_MODES.join(", ")}`);
    await this.request("set_permission_mode", { mode });
  }

  /** `null` is no limit, 0 is no thinking. */
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

  /** Another mode for the tools of one server; `null` takes it off again. */
  async setMcpPermissionModeOverride(
    serverName: string,
    mode: PermissionMode | null,
  ): Promise<{ warning?: string }> {
    const fields = { serverName, mode };
    return (await this.request("set_mcp_permission_mode_override", fields)) ?? {};
  }

  /** Lays settings over those of the files, for this process; `null` takes one off again. */
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

  /** The slash commands, as the CLI told them at its start. */
  async supportedCommands(): Promise<SlashCommand[]> {
    return [...(await this.initializationResult()).commands];
  }

  /** The models, as the CLI told them at its start. */
  async supportedModels(): Promise<ModelInfo[]> {
    return [...(await this.initializationResult()).models];
  }

  /** The sub-agents, as the CLI told them at its start. */
  async supportedAgents(): Promise<AgentInfo[]> {
    return [...(await this.initializationResult()).agents];
  }

  /** Whose account it is, as the CLI told it at its start; never a credential. */
  async accountInfo(): Promise<AccountInfo> {
    return (await this.initializationResult()).account;
  }

  /** All MCP servers: which are connected, which failed and why, and their tools. */
  async mcpServerStatus(): Promise<McpServerStatus[]> {
    return [...(await this.request("mcp_status")).mcpServers];
  }

  /**
   * Replaces the servers that were set this way before and all servers of this program, those of
   * the options included; other servers of the options stay.
   */
  async setMcpServers(
    servers: Readonly<Record<string, McpServerConfig>>,
  ): Promise<HostPayload<"mcp_set_servers">> {
    const setting = this.#setting.then(() => this.#setMcpServers(servers));
    this.#setting = setting.catch(() => {}); // The caller gets the error.
    return setting;
  }

  /** Starts a server anew, or reaches it again. */
  async reconnectMcpServer(serverName: string): Promise<void> {
    await this.request("mcp_reconnect", { serverName });
  }

  /** Switches a server off or on, for this process. */
  async toggleMcpServer(serverName: string, enabled: boolean): Promise<void> {
    await this.request("mcp_toggle", { serverName, enabled });
  }

  /** A resource of a server, by its URI. */
  async readMcpResource(
    serverName: string,
    uri: string,
  ): Promise<HostPayload<"mcp_read_resource">> {
    return this.request("mcp_read_resource", { serverName, uri });
  }

  /** `full` counts tokens at the API. */
  async getContextUsage(options: { detail?: "summary" | "full" } = {}): Promise<ContextUsage> {
    return this.request("get_context_usage", options);
  }

  /**
   * Cost and limits of the account, as far as the CLI knows them; the official SDK's warning holds.
   */
  async usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(
    options: { skipBehaviors?: boolean } = {},
  ): Promise<HostPayload<"get_usage">> {
    const { skipBehaviors } = options;
    return this.request("get_usage", {
      ...(skipBehaviors === undefined ? {} : { skip_behaviors: skipBehaviors }),
    });
  }

  /** `null` when there is no such file, or it may not be read. */
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

  /** Reads the plugins again; gives what there is now. */
  async reloadPlugins(options: JsonObject = {}): Promise<HostPayload<"reload_plugins">> {
    return this.request("reload_plugins", snakeCase(options));
  }

  /** Reads the skills again; gives what there is now. */
  async reloadSkills(): Promise<HostPayload<"reload_skills">> {
    return this.request("reload_skills");
  }

  /** Reads the output styles again; gives what there is now. */
  async reloadOutputStyles(): Promise<HostPayload<"reload_output_styles">> {
    return this.request("reload_output_styles");
  }

  /** Puts files back to where they were before a prompt; needs `enableFileCheckpointing`. */
  async rewindFiles(
    userMessageId: string,
    options: { dryRun?: boolean } = {},
  ): Promise<RewindReceipt> {
    return this.request("rewind_files", {
      user_message_id: userMessageId,
      ...(options.dryRun === undefined ? {} : { dry_run: options.dryRun }),
    });
  }

  /** Ends one task in the background; an unknown id is no error. */
  async stopTask(taskId: string): Promise<void> {
    await this.request("stop_task", { task_id: taskId });
  }

  /** Moves running work to the background; false when there was none. */
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
