import type { Environment, Logger } from "../errors/index.js";
import type { JsonObject, PermissionMode } from "../wire/index.js";
import type { AgentDefinition } from "./shape/agent.js";
import type { Hooks } from "./shape/hook.js";
import type { OnElicitation, OnUserDialog } from "./shape/interaction.js";
import type { RetryOptions, TimeoutOptions } from "./shape/limits.js";
import type { McpServerConfig } from "./shape/mcp-config.js";
import type { CanUseTool, PolicyRule } from "./shape/permission.js";
import type { PluginConfig } from "./shape/plugin.js";
import type { SandboxSettings } from "./shape/sandbox.js";
import type { JsonSchema, OutputFormat, StandardSchema } from "./shape/schema.js";
import type { SessionStore } from "./shape/session-store.js";
import type { SpawnedProcess, SpawnRequest } from "./shape/spawned-process.js";
import type { SystemPromptOption } from "./shape/system-prompt.js";
import type { Effort, ThinkingConfig } from "./shape/thinking.js";

export type SettingSource = "user" | "project" | "local";

/** Everything that a call, a session or a pool may be told. All of it is optional. */
export interface Options {
  // The model and what it may spend.

  /** Model id or alias; `""` is the CLI's own choice. */
  readonly model?: string;
  /** Names that stand for models; looked up before the CLI's own aliases. */
  readonly modelAliases?: Readonly<Record<string, string>>;
  /** Model, or models in order, to use when `model` is overloaded. */
  readonly fallbackModel?: string | readonly string[];
  /** How hard the model tries. */
  readonly effort?: Effort;
  /** Whether and how the model thinks. */
  readonly thinking?: ThinkingConfig;
  /** The older way to limit thinking; 0 is none. */
  readonly maxThinkingTokens?: number;
  /** Rounds of tool use after which a turn ends. */
  readonly maxTurns?: number;
  /** Dollars after which a turn ends. */
  readonly maxBudgetUsd?: number;
  /** Tokens that the model is told it may use. */
  readonly taskBudget?: { readonly total: number };
  /** Beta features of the API. */
  readonly betas?: readonly string[];

  // What it is told.

  /** Own system prompt, or the CLI's with something appended; `""` is none. */
  readonly systemPrompt?: SystemPromptOption;
  /** Workflow text of plan mode, in place of the CLI's. */
  readonly planModeInstructions?: string;
  /** Whether a prompt is text only: no slash commands, no files read by `@path`. */
  readonly literalPrompt?: boolean;
  /** The same by the official SDK's way, which only newer CLIs know. */
  readonly verbatimPrompts?: boolean;
  /** Answer that fits this JSON Schema. */
  readonly outputFormat?: OutputFormat;
  /** Answer that fits this schema, checked and typed; a Standard Schema or plain JSON Schema. */
  readonly schema?: StandardSchema | JsonSchema;

  // Tools and permissions.

  /** The built-in tools that exist; `[]` is none. */
  readonly tools?: readonly string[] | { readonly type: "preset"; readonly preset: "claude_code" };
  /** Tools or rules that need no approval; this does not restrict anything. */
  readonly allowedTools?: readonly string[];
  /** Tools that are taken away, or rules that are refused. */
  readonly disallowedTools?: readonly string[];
  /** An ordered policy; the first rule that fits a call decides it. */
  readonly rules?: readonly PolicyRule[];
  /** Other names that tool calls may come under. */
  readonly toolAliases?: Readonly<Record<string, string>>;
  /** Settings of single tools. */
  readonly toolConfig?: {
    readonly askUserQuestion?: { readonly previewFormat?: "markdown" | "html" };
  };
  /** What happens with calls that no rule decides; always sent, `default` unless given. */
  readonly permissionMode?: PermissionMode;
  /** Permits that `bypassPermissions` is chosen later. */
  readonly allowDangerouslySkipPermissions?: boolean;
  /** Asked for each call that needs approval. */
  readonly canUseTool?: CanUseTool;
  /** MCP tool that is asked in place of `canUseTool`. */
  readonly permissionPromptToolName?: string;
  /** `none` refuses whatever would have to be asked. */
  readonly permissionPrompts?: "host" | "none";
  /** Sandbox for commands. */
  readonly sandbox?: SandboxSettings;
  /** More directories that the tools may touch. */
  readonly additionalDirectories?: readonly string[];

  // Agents, hooks, skills, plugins, MCP servers.

  /** Run the main thread as this agent. */
  readonly agent?: string;
  /** Sub-agents by name. */
  readonly agents?: Readonly<Record<string, AgentDefinition>>;
  /** Ask for short reports on running sub-agents. */
  readonly agentProgressSummaries?: boolean;
  /** Hand on the text of sub-agents too. */
  readonly forwardSubagentText?: boolean;
  /** Callbacks by hook event. */
  readonly hooks?: Hooks;
  /** Hand on the lifecycle of hooks from settings files. */
  readonly includeHookEvents?: boolean;
  /** Skills to enable. */
  readonly skills?: readonly string[] | "all";
  /** Plugins in local folders. */
  readonly plugins?: readonly PluginConfig[];
  /** How the CLI learns of plugins. */
  readonly pluginDelivery?: "argv" | "initialize";
  /** MCP servers: a map, the path of a file, or JSON text. */
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>> | string;
  /** Ignore all other MCP configuration; true unless given when there are `mcpServers`. */
  readonly strictMcpConfig?: boolean;
  /** Fail unless these servers (true: all) have started. */
  readonly requireMcp?: boolean | readonly string[];
  /** Answers what MCP servers ask. */
  readonly onElicitation?: OnElicitation;
  /** Shows dialogs of the CLI. */
  readonly onUserDialog?: OnUserDialog;
  /** The kinds of dialog that `onUserDialog` can show. */
  readonly supportedDialogKinds?: readonly string[];
  /** This host can stop single tasks, so an interrupt spares them. */
  readonly perTaskStopAffordance?: boolean;

  // Sessions.

  /** Go on with the latest session of the working directory. */
  readonly continue?: boolean;
  /** Go on with the session of this id or title. */
  readonly resume?: string;
  /** Resume into a new session, so that the old one stays as it is. */
  readonly forkSession?: boolean;
  /** Resume up to this message. */
  readonly resumeSessionAt?: string;
  /** The turn that `resumeSessionAt` is meant to drop; another one is an error. */
  readonly resumeDropsTurn?: string;
  /** Id for the new session. */
  readonly sessionId?: string;
  /** Title of the session. */
  readonly title?: string;
  /** False keeps no transcript on disk. */
  readonly persistSession?: boolean;
  /** Own store for transcripts. */
  readonly sessionStore?: SessionStore;
  /** How eagerly the store is written. */
  readonly sessionStoreFlush?: "batched" | "eager";
  /** Limit for a load from the store, in milliseconds. */
  readonly loadTimeoutMs?: number;
  /** Keep copies of files, so that `rewindFiles` works. */
  readonly enableFileCheckpointing?: boolean;

  // Settings.

  /** Settings as an object, JSON text, or the path of a file. */
  readonly settings?: JsonObject | string;
  /** False: settings that cannot be merged with the sandbox are left out with a warning. */
  readonly strictSettingsMerge?: boolean;
  /** Restrictive policy from this host. */
  readonly managedSettings?: JsonObject;
  /** Which settings files are read; `[]` is none, absent is the CLI's own choice. */
  readonly settingSources?: readonly SettingSource[];
  /** Take project configuration from this checkout. */
  readonly projectConfigRoot?: string;
  /** `lean`: a bare completion; `agent`: the CLI as it is. */
  readonly preset?: "lean" | "agent";

  // What is handed on.

  /** Hand on the model's events as they stream in. */
  readonly includePartialMessages?: boolean;
  /** Ask for a guess at the next prompt. */
  readonly promptSuggestions?: boolean;
  /** Told what the CLI writes to stderr, in whole lines. */
  readonly stderr?: (line: string) => void;
  /** Told what happens, masked. */
  readonly logger?: Logger;
  /** Turn on the CLI's debug log. */
  readonly debug?: boolean;
  /** File of the CLI's debug log. */
  readonly debugFile?: string;

  // The process.

  /** The CLI: a path, or a name to be found on PATH. */
  readonly cliPath?: string;
  /** The official SDK's name for `cliPath`. */
  readonly pathToClaudeCodeExecutable?: string;
  /** Runtime for a CLI that is a script; the current Node unless given. */
  readonly executable?: string;
  /** Arguments of that runtime. */
  readonly executableArgs?: readonly string[];
  /** Flags that have no option here, without their dashes; `null` is a flag without a value. */
  readonly extraArgs?: Readonly<Record<string, string | null>>;
  /** Working directory. */
  readonly cwd?: string;
  /** Variables that are added to the environment; `undefined` removes one. */
  readonly env?: Environment;
  /** Whether this program's environment is passed on, or which of its variables. */
  readonly inheritEnv?: boolean | readonly string[];
  /** What to do inside another session of the CLI. */
  readonly nested?: "strip" | "error" | "inherit";
  /** API key to use. */
  readonly apiKey?: string;
  /** OAuth token to use. */
  readonly oauthToken?: string;
  /** The CLI's configuration directory. */
  readonly configDir?: string;
  /** User to run the CLI as; root only. */
  readonly user?: string | number;
  /** Own way to start the process. */
  readonly spawnClaudeCodeProcess?: (request: SpawnRequest) => SpawnedProcess;
  /** What to do with an option that the installed CLI is too old for. */
  readonly onOldCli?: "error" | "warn" | "ignore";
  /** Longest line that is read from the CLI. */
  readonly maxLineBytes?: number;
  /** Pause between two steps of closing, in milliseconds. */
  readonly closeGraceMs?: number;

  // The call.

  /** Ends the call. */
  readonly signal?: AbortSignal;
  /** Ends the call, by the official SDK's way. */
  readonly abortController?: AbortController;
  /** Time limits. */
  readonly timeouts?: TimeoutOptions;
  /** Retries. */
  readonly retry?: RetryOptions;
  /** How often a call that reached `maxTurns` goes on by itself. */
  readonly autoResume?: number;
  /** Start the process anew and resume when it has died. */
  readonly recover?: boolean;
  /** Pool that serves the call. */
  readonly pool?: object;
  /** On whose behalf the pool serves it. */
  readonly tenant?: string;
  /** Rank in the pool's queue; higher goes first. */
  readonly priority?: number;
}

export type OptionName = keyof Options;
