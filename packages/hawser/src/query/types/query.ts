import type { AgentDefinition, McpServerConfig, Options } from "../../options/index.js";
import type {
  AccountInfo,
  AgentInfo,
  EffortLevel,
  McpServerStatus,
  ModelInfo,
  PermissionMode,
  SlashCommand,
} from "../../wire/index.js";
import type { SDKControlGetContextUsageResponse, SDKControlGetUsageResponse } from "./context.js";
import type {
  McpSetServersResult,
  RewindFilesResult,
  SDKControlInitializeResponse,
  SDKControlInterruptResponse,
  SDKControlMcpReadResourceResponse,
  SDKControlReadFileResponse,
  SDKControlReloadOutputStylesResponse,
  SDKControlReloadPluginsResponse,
  SDKControlReloadSkillsResponse,
} from "./control.js";
import type { SDKMessage } from "./message.js";
import type { SdkPluginConfig } from "./option.js";
import type { Settings } from "./settings.js";
import type { SDKUserMessage } from "./user.js";

/** The parameters of `query()`. */
export type QueryParams = {
  /** One prompt, or an iterable of prompts, which keeps the process open for more. */
  prompt: string | AsyncIterable<SDKUserMessage>;
  /** The options of the official SDK, and the options of hawser that have a meaning in a query. */
  options?: Options | undefined;
};

/** A run of the CLI: an async generator of its messages, with methods to control the process. */
export interface Query extends AsyncGenerator<SDKMessage, void> {
  /** Interrupts the turn. A CLI older than the generation of 2.1.325 gives no receipt. */
  interrupt(): Promise<SDKControlInterruptResponse | undefined>;
  /** Sets what happens with tool calls that no rule decides. */
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /** Sets another permission mode for the tools of one server; `null` removes it. */
  setMcpPermissionModeOverride(
    serverName: string,
    mode: "default" | "auto" | null,
  ): Promise<{ warning?: string }>;
  /** Sets the model for the next turns. Without a name the CLI chooses its default. */
  setModel(model?: string): Promise<void>;
  /** Sets how many tokens the model may think. `null` removes the limit; 0 switches thinking off. */
  setMaxThinkingTokens(
    maxThinkingTokens: number | null,
    thinkingDisplay?: "summarized" | "omitted" | "highlights" | null,
  ): Promise<void>;
  /** Overrides settings of the files for this process; `null` removes an override. */
  applyFlagSettings(settings: FlagSettings): Promise<void>;
  /** Writes a settings file. */
  updateSettings(
    source: "localSettings" | "userSettings",
    settings: Record<string, unknown>,
  ): Promise<void>;
  /** The CLI's answer to initialize. */
  initializationResult(): Promise<SDKControlInitializeResponse>;
  /** Initializes again, and gives the new answer. */
  reinitialize(): Promise<SDKControlInitializeResponse>;
  /** The slash commands, as the CLI reported them at its start. */
  supportedCommands(): Promise<SlashCommand[]>;
  /** The models, as the CLI reported them at its start. */
  supportedModels(): Promise<ModelInfo[]>;
  /** The sub-agents, as the CLI reported them at its start. */
  supportedAgents(): Promise<AgentInfo[]>;
  /** All MCP servers: which are connected, which failed and why, and their tools. */
  mcpServerStatus(): Promise<McpServerStatus[]>;
  /** How full the context is; `full` counts tokens at the API. */
  getContextUsage(opts?: {
    detail?: "summary" | "full";
  }): Promise<SDKControlGetContextUsageResponse>;
  /**
   * Cost and limits of the account, as far as the CLI knows them. As the name says, the CLI may change this
   * request.
   */
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(opts?: {
    skipBehaviors?: boolean;
  }): Promise<SDKControlGetUsageResponse>;
  /** Reads a file as the CLI sees it; `null` if it does not exist or may not be read. */
  readFile(
    path: string,
    options?: { maxBytes?: number; encoding?: "utf-8" | "base64" },
  ): Promise<SDKControlReadFileResponse | null>;
  /** Reads the plugins again and returns the current list. */
  reloadPlugins(options?: {
    holdOnCacheImpact?: boolean;
    addPlugins?: SdkPluginConfig[];
    refuseIfBusy?: boolean;
  }): Promise<SDKControlReloadPluginsResponse>;
  /** Reads the skills again and returns the current list. */
  reloadSkills(): Promise<SDKControlReloadSkillsResponse>;
  /** Reads the output styles again and returns the current list. */
  reloadOutputStyles(): Promise<SDKControlReloadOutputStylesResponse>;
  /** The account, as the CLI reported it at its start; never a credential. */
  accountInfo(): Promise<AccountInfo>;
  /** Restores the files to their state before a prompt. Needs the option `enableFileCheckpointing`. */
  rewindFiles(userMessageId: string, options?: { dryRun?: boolean }): Promise<RewindFilesResult>;
  /** Tells the CLI that a file has been read, so that it may be edited. */
  seedReadState(path: string, mtime: number): Promise<void>;
  /** Restarts a server, or connects to it again. */
  reconnectMcpServer(serverName: string): Promise<void>;
  /** Switches a server off or on, for this process. */
  toggleMcpServer(serverName: string, enabled: boolean): Promise<void>;
  /** Reads a resource of a server by its URI. */
  readMcpResource(serverName: string, uri: string): Promise<SDKControlMcpReadResourceResponse>;
  /** Replaces the servers that were set this way before. */
  setMcpServers(servers: Record<string, McpServerConfig>): Promise<McpSetServersResult>;
  /** Sends more prompts, in a query whose prompt was an iterable. */
  streamInput(stream: AsyncIterable<SDKUserMessage>): Promise<void>;
  /** Ends a background task. An unknown id is not an error. */
  stopTask(taskId: string): Promise<void>;
  /** Moves running work to the background. Resolves with false if there was none. */
  backgroundTasks(toolUseId?: string): Promise<boolean>;
  /** Ends the process. */
  close(): void;
  /** Ends the process and waits until it is gone. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Settings for `applyFlagSettings`. */
export type FlagSettings = {
  [K in keyof Settings]?: K extends "effortLevel" ? EffortLevel | null : Settings[K] | null;
};

/** The parameters of `startup()` and `prewarm()`. */
export type StartupParams = {
  /** The options of the query. */
  options?: Options | undefined;
  /**
   * How long the start may take, in milliseconds.
   *
   * @default `timeouts.bootMs` of the options, or 60_000
   */
  initializeTimeoutMs?: number | undefined;
};

/** A process that has started and waits for its first prompt. */
export interface WarmQuery extends AsyncDisposable {
  /** Sends the prompt. It can be called once. */
  query(prompt: string | AsyncIterable<SDKUserMessage>): Query;
  /** Ends the process. */
  close(): void;
}

/** A process that has started and does not know yet which folder it will work in. */
export interface SpareProcess extends AsyncDisposable {
  /** Gives the process its folder and its prompt. It can be called once. */
  claim(params: { prompt: string | AsyncIterable<SDKUserMessage>; options: ClaimOptions }): Query;
  readonly claimed: Promise<{
    cwd: string;
    sessionId: string;
    parkedMs?: number;
    sdkMcpSettled: boolean;
  }>;
  readonly exited: Promise<void>;
  /** Ends the process. */
  close(): void;
}

/** The options of a session that a spare process gets when it is claimed. */
export type ClaimOptions = {
  cwd: string;
  env?: Record<string, string>;
  additionalDirectories?: string[];
  model?: string;
  permissionMode?: PermissionMode;
  maxThinkingTokens?: number | null;
  settings?: FlagSettings;
  appendSystemPrompt?: string;
  title?: string;
  agents?: Record<string, AgentDefinition>;
};
