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
  readonly model?: string | undefined;
  /** Names that stand for models; looked up before the CLI's own aliases. */
  readonly modelAliases?: Readonly<Record<string, string>> | undefined;
  /** Model, or models in order, to use when `model` is overloaded. */
  readonly fallbackModel?: string | readonly string[] | undefined;
  /** How hard the model tries. */
  readonly effort?: Effort | undefined;
  /** Whether and how the model thinks. */
  readonly thinking?: ThinkingConfig | undefined;
  /** The older way to limit thinking; 0 is none. */
  readonly maxThinkingTokens?: number | undefined;
  /** Rounds of tool use after which a turn ends. */
  readonly maxTurns?: number | undefined;
  /** Dollars after which a turn ends. */
  readonly maxBudgetUsd?: number | undefined;
  /** Tokens that the model is told it may use. */
  readonly taskBudget?: { readonly total: number } | undefined;
  /** Beta features of the API. */
  readonly betas?: readonly string[] | undefined;

  // What it is told.

  /** Own system prompt, or the CLI's with something appended; `""` is none. */
  readonly systemPrompt?: SystemPromptOption | undefined;
  /** Workflow text of plan mode, in place of the CLI's. */
  readonly planModeInstructions?: string | undefined;
  /** Whether a prompt is text only: no slash commands, no files read by `@path`. */
  readonly literalPrompt?: boolean | undefined;
  /** The same by the official SDK's way, which only newer CLIs know. */
  readonly verbatimPrompts?: boolean | undefined;
  /** Answer that fits this JSON Schema. */
  readonly outputFormat?: OutputFormat | undefined;
  /** Answer that fits this schema, checked and typed; a Standard Schema or plain JSON Schema. */
  readonly schema?: StandardSchema | JsonSchema | undefined;

  // Tools and permissions.

  /** The built-in tools that exist; `[]` is none. */
  readonly tools?:
    | readonly string[]
    | { readonly type: "preset"; readonly preset: "claude_code" }
    | undefined;
  /** Tools or rules that need no approval; this does not restrict anything. */
  readonly allowedTools?: readonly string[] | undefined;
  /** Tools that are taken away, or rules that are refused. */
  readonly disallowedTools?: readonly string[] | undefined;
  /** An ordered policy; the first rule that fits a call decides it. */
  readonly rules?: readonly PolicyRule[] | undefined;
  /** Other names that tool calls may come under. */
  readonly toolAliases?: Readonly<Record<string, string>> | undefined;
  /** Settings of single tools. */
  readonly toolConfig?:
    | {
        readonly askUserQuestion?: { readonly previewFormat?: "markdown" | "html" };
      }
    | undefined;
  /** What happens with calls that no rule decides; always sent, `default` unless given. */
  readonly permissionMode?: PermissionMode | undefined;
  /** Permits that `bypassPermissions` is chosen later. */
  readonly allowDangerouslySkipPermissions?: boolean | undefined;
  /** Asked for each call that needs approval. */
  readonly canUseTool?: CanUseTool | undefined;
  /** MCP tool that is asked in place of `canUseTool`. */
  readonly permissionPromptToolName?: string | undefined;
  /** `none` refuses whatever would have to be asked. */
  readonly permissionPrompts?: "host" | "none" | undefined;
  /** Sandbox for commands. */
  readonly sandbox?: SandboxSettings | undefined;
  /** More directories that the tools may touch. */
  readonly additionalDirectories?: readonly string[] | undefined;

  // Agents, hooks, skills, plugins, MCP servers.

  /** Run the main thread as this agent. */
  readonly agent?: string | undefined;
  /** Sub-agents by name. */
  readonly agents?: Readonly<Record<string, AgentDefinition>> | undefined;
  /** Ask for short reports on running sub-agents. */
  readonly agentProgressSummaries?: boolean | undefined;
  /** Hand on the text of sub-agents too. */
  readonly forwardSubagentText?: boolean | undefined;
  /** Callbacks by hook event. */
  readonly hooks?: Hooks | undefined;
  /** Hand on the lifecycle of hooks from settings files. */
  readonly includeHookEvents?: boolean | undefined;
  /** Skills to enable. */
  readonly skills?: readonly string[] | "all" | undefined;
  /** Plugins in local folders. */
  readonly plugins?: readonly PluginConfig[] | undefined;
  /** How the CLI learns of plugins. */
  readonly pluginDelivery?: "argv" | "initialize" | undefined;
  /** MCP servers: a map, the path of a file, or JSON text. */
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>> | string | undefined;
  /** Ignore all other MCP configuration; true unless given when there are `mcpServers`. */
  readonly strictMcpConfig?: boolean | undefined;
  /** Fail unless these servers (true: all) have started. */
  readonly requireMcp?: boolean | readonly string[] | undefined;
  /** Answers what MCP servers ask. */
  readonly onElicitation?: OnElicitation | undefined;
  /** Shows dialogs of the CLI. */
  readonly onUserDialog?: OnUserDialog | undefined;
  /** The kinds of dialog that `onUserDialog` can show. */
  readonly supportedDialogKinds?: readonly string[] | undefined;
  /** This host can stop single tasks, so an interrupt spares them. */
  readonly perTaskStopAffordance?: boolean | undefined;

  // Sessions.

  /** Go on with the latest session of the working directory. */
  readonly continue?: boolean | undefined;
  /** Go on with the session of this id or title. */
  readonly resume?: string | undefined;
  /** Resume into a new session, so that the old one stays as it is. */
  readonly forkSession?: boolean | undefined;
  /** Resume up to this message. */
  readonly resumeSessionAt?: string | undefined;
  /** The turn that `resumeSessionAt` is meant to drop; another one is an error. */
  readonly resumeDropsTurn?: string | undefined;
  /** Id for the new session. */
  readonly sessionId?: string | undefined;
  /** Title of the session. */
  readonly title?: string | undefined;
  /** False keeps no transcript on disk. */
  readonly persistSession?: boolean | undefined;
  /** Own store for transcripts. */
  readonly sessionStore?: SessionStore | undefined;
  /** How eagerly the store is written. */
  readonly sessionStoreFlush?: "batched" | "eager" | undefined;
  /** Limit for a load from the store, in milliseconds. */
  readonly loadTimeoutMs?: number | undefined;
  /** Keep copies of files, so that `rewindFiles` works. */
  readonly enableFileCheckpointing?: boolean | undefined;

  // Settings.

  /** Settings as an object, JSON text, or the path of a file. */
  readonly settings?: JsonObject | string | undefined;
  /** False: settings that cannot be merged with the sandbox are left out with a warning. */
  readonly strictSettingsMerge?: boolean | undefined;
  /** Restrictive policy from this host. */
  readonly managedSettings?: JsonObject | undefined;
  /** Which settings files are read; `[]` is none, absent is the CLI's own choice. */
  readonly settingSources?: readonly SettingSource[] | undefined;
  /** Take project configuration from this checkout. */
  readonly projectConfigRoot?: string | undefined;
  /** `lean`: a bare completion; `agent`: the CLI as it is. */
  readonly preset?: "lean" | "agent" | undefined;

  // What is handed on.

  /** Hand on the model's events as they stream in. */
  readonly includePartialMessages?: boolean | undefined;
  /** Ask for a guess at the next prompt. */
  readonly promptSuggestions?: boolean | undefined;
  /** Told what the CLI writes to stderr, in whole lines. */
  readonly stderr?: ((line: string) => void) | undefined;
  /** Told what happens, masked. */
  readonly logger?: Logger | undefined;
  /** Turn on the CLI's debug log. */
  readonly debug?: boolean | undefined;
  /** File of the CLI's debug log. */
  readonly debugFile?: string | undefined;

  // The process.

  /** The CLI: a path, or a name to be found on PATH. */
  readonly cliPath?: string | undefined;
  /** The official SDK's name for `cliPath`. */
  readonly pathToClaudeCodeExecutable?: string | undefined;
  /** Runtime for a CLI that is a script; the current Node unless given. */
  readonly executable?: string | undefined;
  /** Arguments of that runtime. */
  readonly executableArgs?: readonly string[] | undefined;
  /** Flags that have no option here, without their dashes; `null` is a flag without a value. */
  readonly extraArgs?: Readonly<Record<string, string | null>> | undefined;
  /** Working directory. */
  readonly cwd?: string | undefined;
  /** Variables that are added to the environment; `undefined` removes one. */
  readonly env?: Environment | undefined;
  /** Whether this program's environment is passed on, or which of its variables. */
  readonly inheritEnv?: boolean | readonly string[] | undefined;
  /** What to do inside another session of the CLI. */
  readonly nested?: "strip" | "error" | "inherit" | undefined;
  /** API key to use. */
  readonly apiKey?: string | undefined;
  /** OAuth token to use. */
  readonly oauthToken?: string | undefined;
  /** The CLI's configuration directory. */
  readonly configDir?: string | undefined;
  /** User to run the CLI as; root only. */
  readonly user?: string | number | undefined;
  /** Own way to start the process. */
  readonly spawnClaudeCodeProcess?: ((request: SpawnRequest) => SpawnedProcess) | undefined;
  /** What to do with an option that the installed CLI is too old for. */
  readonly onOldCli?: "error" | "warn" | "ignore" | undefined;
  /** Longest line that is read from the CLI. */
  readonly maxLineBytes?: number | undefined;
  /** Pause between two steps of closing, in milliseconds. */
  readonly closeGraceMs?: number | undefined;

  // The call.

  /** Ends the call. */
  readonly signal?: AbortSignal | undefined;
  /** Ends the call, by the official SDK's way. */
  readonly abortController?: AbortController | undefined;
  /** Time limits. */
  readonly timeouts?: TimeoutOptions | undefined;
  /** Retries. */
  readonly retry?: RetryOptions | undefined;
  /** How often a call that reached `maxTurns` goes on by itself. */
  readonly autoResume?: number | undefined;
  /** Start the process anew and resume when it has died. */
  readonly recover?: boolean | undefined;
  /** Pool that serves the call. */
  readonly pool?: object | undefined;
  /** On whose behalf the pool serves it. */
  readonly tenant?: string | undefined;
  /** Rank in the pool's queue; higher goes first. */
  readonly priority?: number | undefined;
}

export type OptionName = keyof Options;
