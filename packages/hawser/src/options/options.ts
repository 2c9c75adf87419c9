import type { Logger } from "../base/index.js";
import type { JsonSchema, StandardSchema } from "../schema/index.js";
import type { JsonObject, Open, PermissionMode } from "../wire/index.js";
import type { ToolName } from "./tools/builtin-tools.js";
import type { AgentDefinition } from "./types/agent.js";
import type { Hooks } from "./types/hooks.js";
import type { OnElicitation, OnUserDialog } from "./types/interaction.js";
import type { AutoResumeOptions, RetryOptions, TimeoutOptions } from "./types/limits.js";
import type { McpServerConfig } from "./types/mcp-config.js";
import type { CanUseTool, PolicyRule } from "./types/permission.js";
import type { SandboxSettings } from "./types/sandbox.js";
import type { SessionStore } from "./types/session-store.js";
import type { SpawnedProcess, SpawnRequest } from "./types/spawned-process.js";
import type { SystemPromptOption } from "./types/system-prompt.js";
import type { Effort, ThinkingConfig } from "./types/thinking.js";

/** An alias that the CLI resolves, or the id of a model. */
export type ModelName =
  | "best"
  | "default"
  | "fable"
  | "haiku"
  | "opus"
  | "opusplan"
  | "sonnet"
  | "fable[1m]"
  | "opus[1m]"
  | "sonnet[1m]"
  | (string & {});

/** A plugin in a local folder. */
export interface PluginConfig {
  type: "local";
  path: string;
  /** Leaves the plugin's MCP servers out. */
  skipMcpDiscovery?: boolean;
}

/** Structured output in the official SDK's words. */
export interface OutputFormat {
  readonly type: "json_schema";
  readonly schema: JsonSchema;
}

export type SettingSource = "user" | "project" | "local";

/** Everything that a call, a session or a pool may be told. All of it is optional. */
export interface Options {
  // The model and what it may spend.

  /** Model id or alias; `""` is the CLI's own choice. */
  model?: ModelName | undefined;
  /** Names that stand for models; looked up before the CLI's own aliases. */
  modelAliases?: Record<string, string> | undefined;
  /** Model, or models in order, to use when `model` is overloaded. */
  fallbackModel?: ModelName | ModelName[] | undefined;
  /** How hard the model tries. A level of a newer CLI is passed on with a warning. */
  effort?: Open<Effort> | undefined;
  /** Whether and how the model thinks. */
  thinking?: ThinkingConfig | undefined;
  /**
   * The older way to limit thinking; 0 is none. Beside `thinking` it counts only where that leaves the
   * number open.
   */
  maxThinkingTokens?: number | undefined;
  /** Rounds of tool use after which a turn ends. */
  maxTurns?: number | undefined;
  /** Dollars after which a turn ends. */
  maxBudgetUsd?: number | undefined;
  /** Tokens that the model is told it may use. */
  taskBudget?: { readonly total: number } | undefined;
  /** Beta features of the API. */
  betas?: string[] | undefined;

  // What it is told.

  /** Own system prompt, or the CLI's with something appended; `""` is none. */
  systemPrompt?: SystemPromptOption | undefined;
  /** Workflow text of plan mode, in place of the CLI's. */
  planModeInstructions?: string | undefined;
  /**
   * Whether a prompt is data: no slash command or skill is run and no file is read by `@path` because
   * of its text. The default is true in `complete()`, `stream()` and sessions.
   */
  literalPrompt?: boolean | undefined;
  /** Compatibility alias of `literalPrompt` with the official SDK's name; only newer CLIs know it. */
  verbatimPrompts?: boolean | undefined;
  /** Answer that fits this JSON Schema. */
  outputFormat?: OutputFormat | undefined;
  /** Answer that fits this schema, checked and typed; a Standard Schema or plain JSON Schema. */
  schema?: StandardSchema | JsonSchema | undefined;
  /**
   * How often the model is asked to correct an answer that does not fit; 2 unless given. Each time,
   * the first included, the CLI itself lets it try up to five times.
   */
  maxRepairs?: number | undefined;

  // Tools and permissions.

  /** The built-in tools that exist; `[]` is none. */
  tools?: ToolName[] | { readonly type: "preset"; readonly preset: "claude_code" } | undefined;
  /** Tools or rules that need no approval; this does not restrict anything. */
  allowedTools?: ToolName[] | undefined;
  /** Tools that are taken away, or rules that are refused. */
  disallowedTools?: ToolName[] | undefined;
  /** An ordered policy; the first rule that fits a call decides it. */
  rules?: readonly PolicyRule[] | undefined;
  /** Other names that tool calls may come under. */
  toolAliases?: Record<string, string> | undefined;
  /** Settings of single tools. */
  toolConfig?:
    | {
        readonly askUserQuestion?: { readonly previewFormat?: "markdown" | "html" };
      }
    | undefined;
  /**
   * What happens with calls that no rule decides; always sent, `default` unless given. A mode of a
   * newer CLI is passed on with a warning (in TypeScript it needs a cast, so that a typing mistake is
   * found); a mistyped name of a known mode is refused.
   */
  permissionMode?: PermissionMode | "manual" | undefined;
  /** Permits that `bypassPermissions` is chosen later. */
  allowDangerouslySkipPermissions?: boolean | undefined;
  /** Asked for each call that needs approval. */
  canUseTool?: CanUseTool | undefined;
  /** MCP tool that is asked in place of `canUseTool`. */
  permissionPromptToolName?: string | undefined;
  /** `none` refuses whatever would have to be asked. */
  permissionPrompts?: "host" | "none" | undefined;
  /** Sandbox for commands. */
  sandbox?: SandboxSettings | undefined;
  /** More directories that the tools may touch. */
  additionalDirectories?: string[] | undefined;

  // Agents, hooks, skills, plugins, MCP servers.

  /** Run the main thread as this agent; an own `systemPrompt` takes the place of the agent's. */
  agent?: string | undefined;
  /** Sub-agents by name. */
  agents?: Record<string, AgentDefinition> | undefined;
  /** Ask for short reports on running sub-agents. */
  agentProgressSummaries?: boolean | undefined;
  /** Hand on the text of sub-agents too. */
  forwardSubagentText?: boolean | undefined;
  /** Callbacks by hook event. */
  hooks?: Hooks | undefined;
  /** Hand on the lifecycle of hooks from settings files. */
  includeHookEvents?: boolean | undefined;
  /** Skills to enable. */
  skills?: string[] | "all" | undefined;
  /** Plugins in local folders. */
  plugins?: PluginConfig[] | undefined;
  /** How the CLI learns of plugins. */
  pluginDelivery?: "argv" | "initialize" | undefined;
  /** MCP servers: a map, the path of a file, or JSON text. */
  mcpServers?: Readonly<Record<string, McpServerConfig>> | string | undefined;
  /** Ignore all other MCP configuration; true unless given when there are `mcpServers`. */
  strictMcpConfig?: boolean | undefined;
  /** Fail unless these servers (true: all) have started. */
  requireMcp?: boolean | string[] | undefined;
  /** Answers what MCP servers ask. */
  onElicitation?: OnElicitation | undefined;
  /** Shows dialogs of the CLI. */
  onUserDialog?: OnUserDialog | undefined;
  /** The kinds of dialog that `onUserDialog` can show. */
  supportedDialogKinds?: string[] | undefined;
  /** This host can stop single tasks, so an interrupt spares them. */
  perTaskStopAffordance?: boolean | undefined;

  // Sessions.

  /** Go on with the latest session of the working directory. */
  continue?: boolean | undefined;
  /** Go on with the session of this id or title. */
  resume?: string | undefined;
  /** Resume into a new session, so that the old one stays as it is. */
  forkSession?: boolean | undefined;
  /** Resume up to this message. */
  resumeSessionAt?: string | undefined;
  /** The turn that `resumeSessionAt` is meant to drop; another one is an error. */
  resumeDropsTurn?: string | undefined;
  /** Id for the new session. */
  sessionId?: string | undefined;
  /** Title of the session. */
  title?: string | undefined;
  /** False keeps no transcript on disk. */
  persistSession?: boolean | undefined;
  /** Own store for transcripts. */
  sessionStore?: SessionStore | undefined;
  /** How eagerly the store is written. */
  sessionStoreFlush?: "batched" | "eager" | undefined;
  /** Limit for a load from the store, in milliseconds. */
  loadTimeoutMs?: number | undefined;
  /** Keep copies of files, so that `rewindFiles` works. */
  enableFileCheckpointing?: boolean | undefined;

  // Settings.

  /** Settings as an object, JSON text, or the path of a file. */
  settings?: JsonObject | string | undefined;
  /** False: settings that cannot be merged with the sandbox are left out with a warning. */
  strictSettingsMerge?: boolean | undefined;
  /** Restrictive policy from this host. */
  managedSettings?: JsonObject | undefined;
  /**
   * Which settings files are read; `[]` is none. The default is `[]` in `complete()`, also with
   * `preset: "agent"`, and `["user"]` in sessions. With `trustProject: true`, `preset: "agent"` and
   * sessions read the project's files too. In `query()` it is the CLI's own choice, which is all of
   * them. Naming `project` or `local` here is a statement of trust in the folder, like
   * `trustProject: true`.
   */
  settingSources?: SettingSource[] | undefined;
  /**
   * Whether the files of the working directory may run code and widen rights: hooks, MCP servers,
   * apiKeyHelper, env and permissions of its settings, its skills, commands and agents. The default
   * is false: of the project only the instructions (CLAUDE.md) are read. Set it to true only for a
   * folder whose every author you trust.
   */
  trustProject?: boolean | undefined;
  /** Take project configuration from this checkout. */
  projectConfigRoot?: string | undefined;
  /** `lean`: a bare completion; `agent`: the CLI as it is. */
  preset?: "lean" | "agent" | undefined;

  // What is handed on.

  /** Hand on the model's events as they stream in. */
  includePartialMessages?: boolean | undefined;
  /** Ask for a guess at the next prompt. */
  promptSuggestions?: boolean | undefined;
  /**
   * Told what the CLI writes to stderr, in whole lines without the blanks at their end. Blank lines are
   * left out. `query()` tells it text with its blanks and line ends, as the official SDK does.
   */
  stderr?: ((line: string) => void) | undefined;
  /** Told what happens, masked. */
  logger?: Logger | undefined;
  /** Turn on the CLI's debug log. */
  debug?: boolean | undefined;
  /** File of the CLI's debug log. */
  debugFile?: string | undefined;

  // The process.

  /** The CLI: a path, or a name to be found on PATH. */
  cliPath?: string | undefined;
  /**
   * `"cwd"` also searches for the CLI in the `node_modules` of this program's current directory and of
   * its parents, before every other place. Only for a directory whose code you would run. It means the
   * directory of this program, not the option `cwd`. Without effect if `cliPath` or HAWSER_CLI is set.
   */
  cliFrom?: "cwd" | undefined;
  /** The official SDK's name for `cliPath`. */
  pathToClaudeCodeExecutable?: string | undefined;
  /** Runtime for a CLI that is a script; the current Node unless given. */
  executable?: string | undefined;
  /** Arguments of that runtime. */
  executableArgs?: string[] | undefined;
  /** Flags that have no option here, without their dashes; `null` is a flag without a value. */
  extraArgs?: Record<string, string | null> | undefined;
  /** Working directory. The variable PWD follows it, unless `env` has one. */
  cwd?: string | undefined;
  /** Variables that are added to the environment; `undefined` removes one. */
  env?: Record<string, string | undefined> | undefined;
  /** Whether this program's environment is passed on, or which of its variables. */
  inheritEnv?: boolean | string[] | undefined;
  /** What to do inside another session of the CLI. */
  nested?: "strip" | "error" | "inherit" | undefined;
  /** API key to use. */
  apiKey?: string | undefined;
  /** OAuth token to use. */
  oauthToken?: string | undefined;
  /** The CLI's configuration directory. */
  configDir?: string | undefined;
  /** User to run the CLI as; root only. */
  user?: string | number | undefined;
  /** Own way to start the process. */
  spawnClaudeCodeProcess?: ((request: SpawnRequest) => SpawnedProcess) | undefined;
  /** What to do with an option that the installed CLI is too old for. */
  onOldCli?: "error" | "warn" | "ignore" | undefined;
  /** Longest line that is read from the CLI. */
  maxLineBytes?: number | undefined;
  /** Pause between two steps of closing, in milliseconds. */
  closeGraceMs?: number | undefined;

  // The call.

  /** Ends the call. */
  signal?: AbortSignal | undefined;
  /** Ends the call, by the official SDK's way. */
  abortController?: AbortController | undefined;
  /** Time limits. */
  timeouts?: TimeoutOptions | undefined;
  /** Retries. */
  retry?: RetryOptions | undefined;
  /** How often a call that reached `maxTurns` goes on by itself. */
  autoResume?: number | AutoResumeOptions | undefined;
  /**
   * Start the process anew and resume when it has died. The turn that ran then is lost, and says
   * so; the next one goes on in the same conversation.
   */
  recover?: boolean | undefined;
  /**
   * What `createPool()` returned: a process of the pool serves the call or session. For `complete()`,
   * `stream()`, `openSession()` and the providers; `query()` and `startup()` refuse it.
   */
  pool?: object | undefined;
  /**
   * On whose behalf a pool serves it: tenants take turns in its queue, and each may have a budget. It
   * does not keep them from having the same process, one after the other. Only with `pool`.
   */
  tenant?: string | undefined;
  /** Rank in a pool's queue, 0 unless given; higher goes first, always. Only with `pool`. */
  priority?: number | undefined;
}

export type OptionName = keyof Options;
