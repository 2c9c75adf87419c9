import type { Logger } from "../base/index.js";
import type { JsonSchema, StandardSchema } from "../schema/index.js";
import type { History, JsonObject, Open, PermissionMode } from "../wire/index.js";
import type { ToolName } from "./tools/builtin-tools.js";
import type { AgentDefinition } from "./types/agent.js";
import type { ClientTool, ToolChoice } from "./types/client-tool.js";
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

/** An alias that the CLI resolves, such as `sonnet`, or the id of a model. */
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
  /** Path of the plugin's folder. */
  path: string;
  /**
   * Loads the plugin without its MCP servers.
   * @default false
   */
  skipMcpDiscovery?: boolean;
}

/** The option `outputFormat`: structured output as in the official Agent SDK. */
export interface OutputFormat {
  readonly type: "json_schema";
  readonly schema: JsonSchema;
}

/** A kind of settings file: of the user, of the project, or of the project on this machine only. */
export type SettingSource = "user" | "project" | "local";

/**
 * The options of `complete()`, `stream()`, `openSession()`, `query()` and a pool. All are optional.
 * A function throws `invalid_options` or `not_supported` for an option that it cannot obey.
 *
 * @example
 * ```ts
 * const options: Options = { model: "haiku", tools: ["Read", "Grep"], cwd: "/path/to/project" };
 * ```
 */
export interface Options {
  // The model and its limits.

  /**
   * Model id or alias. `""` leaves the choice to the CLI.
   * @default the CLI's own choice
   * @example
   * ```ts
   * await complete("Name three knots.", { model: "haiku" });
   * ```
   */
  model?: ModelName | undefined;
  /**
   * Your own aliases for models. They take precedence over the CLI's aliases.
   * @example
   * ```ts
   * const options: Options = { model: "fast", modelAliases: { fast: "claude-haiku-4-5" } };
   * ```
   */
  modelAliases?: Record<string, string> | undefined;
  /** Model, or models in order of preference, to use when `model` is overloaded. */
  fallbackModel?: ModelName | ModelName[] | undefined;
  /**
   * How much effort the model puts into an answer. A level that only a newer CLI knows is passed on
   * with a warning.
   * @default the CLI's own choice
   */
  effort?: Open<Effort> | undefined;
  /**
   * Whether and how much the model thinks before it answers.
   * @default the CLI's own choice
   * @example
   * ```ts
   * const options: Options = { thinking: { type: "enabled", budgetTokens: 4_000 } };
   * ```
   */
  thinking?: ThinkingConfig | undefined;
  /**
   * The older way to limit thinking tokens; 0 turns thinking off. If `thinking` is set as well,
   * this number counts only where `thinking` leaves the number of tokens open.
   */
  maxThinkingTokens?: number | undefined;
  /**
   * The most rounds (requests to the model) in one turn. A turn that reaches the limit stops with
   * `stop: "max_turns"`; with a `schema` the call fails with `max_turns`.
   * @default no limit; for complete() with `schema`: 10, or 100 with tools or MCP servers
   */
  maxTurns?: number | undefined;
  /**
   * US dollars that may be spent before the CLI stops. A call counts its own cost. A session counts
   * all its turns: once the budget is spent, every further turn stops.
   * @default no limit
   */
  maxBudgetUsd?: number | undefined;
  /** Number of tokens that the model is told it may use. */
  taskBudget?: { readonly total: number } | undefined;
  /** Beta features of the API to turn on, by name. */
  betas?: string[] | undefined;

  // Prompt and answer.

  /**
   * Your own system prompt, or the CLI's prompt with text appended. `""` is no system prompt.
   * @default "" for complete() and query(), the CLI's own prompt for openSession()
   * @example
   * ```ts
   * const own: Options = { systemPrompt: "You are a terse reviewer." };
   * const appended: Options = {
   *   systemPrompt: { type: "preset", preset: "claude_code", append: "Answer in French." },
   * };
   * ```
   */
  systemPrompt?: SystemPromptOption | undefined;
  /**
   * Earlier messages of the conversation, the oldest first. The model gets them verbatim, before the prompt.
   * By default, no message is written to disk. The text of the messages is data, like the text of a prompt. If
   * the last message is a user message, for example with the results of tool calls, the prompt may be
   * `undefined`. Only `complete()` and `stream()` take this option; a session has `append()`. Needs Claude Code
   * 2.1.197.
   * @default []
   * @example
   * ```ts
   * await complete("And which one is the strongest?", {
   *   history: [
   *     { role: "user", content: "Name two knots." },
   *     { role: "assistant", content: "Bowline and sheet bend." },
   *   ],
   * });
   * ```
   */
  history?: History | undefined;
  /** Instructions for plan mode that replace the CLI's own. */
  planModeInstructions?: string | undefined;
  /**
   * Sends a prompt as plain text: the CLI runs no slash command or skill and reads no `@path` file
   * because of it. Set it to false only for prompts that you write yourself. `query()` refuses this
   * option.
   * @default true
   */
  literalPrompt?: boolean | undefined;
  /** Alias of `literalPrompt`, the name in the official Agent SDK. Only newer CLIs support it. */
  verbatimPrompts?: boolean | undefined;
  /**
   * Requires an answer that matches this JSON Schema, as in the official Agent SDK. `schema` does
   * the same with types and repairs.
   */
  outputFormat?: OutputFormat | undefined;
  /**
   * Requires an answer that matches this schema: a Standard Schema (zod, valibot, arktype) or plain
   * JSON Schema. The answer is checked, typed, and returned as `value`. For `complete()` and
   * `stream()`.
   * @example
   * ```ts
   * const { value } = await complete("Name a knot.", { schema: z.object({ name: z.string() }) });
   * ```
   */
  schema?: StandardSchema | JsonSchema | undefined;
  /**
   * How many times the model is asked to correct an answer that does not match `schema`. Each time,
   * and before the first time, the CLI itself lets the model try up to five times.
   * @default 2
   */
  maxRepairs?: number | undefined;

  // Tools and permissions.

  /**
   * The built-in tools that the model has; `[]` is none. This option does not approve them: see
   * `allowedTools`.
   * @default [] for complete(), all tools for openSession() and query()
   * @example
   * ```ts
   * await complete("Summarize README.md.", { tools: ["Read"], allowedTools: ["Read"] });
   * ```
   */
  tools?: ToolName[] | { readonly type: "preset"; readonly preset: "claude_code" } | undefined;
  /**
   * Tools, or rules such as `Bash(npm test)`, that run without approval. This does not restrict
   * anything: to remove tools, set `tools` or `disallowedTools`.
   * @default []
   * @example
   * ```ts
   * const options: Options = { allowedTools: ["Read", "Bash(npm test)"] };
   * ```
   */
  allowedTools?: ToolName[] | undefined;
  /**
   * Tools to remove, or rules such as `Bash(rm *)` whose calls are denied.
   * @default []
   */
  disallowedTools?: ToolName[] | undefined;
  /**
   * An ordered permission policy. The first rule that matches a tool call decides it.
   * @example
   * ```ts
   * const options: Options = {
   *   rules: [
   *     { tool: "Read", decision: "allow" },
   *     { tool: "*", decision: "deny" },
   *   ],
   * };
   * ```
   */
  rules?: readonly PolicyRule[] | undefined;
  /**
   * Tools that your program runs itself. The model sees each name, description and schema exactly as given. If
   * the model calls some of these tools, the call ends with `stop: "tool_calls"` and `toolCalls`. Run the
   * tools, and continue with another call whose `history` holds the model's message and the results. Only
   * `complete()` and `stream()` take this option, and the call can have no other tools. With a `schema`, the model
   * calls tools or gives the value. In a session, use a tool of `createSdkMcpServer()` whose handler returns
   * later. Needs Claude Code 2.1.197.
   * @default []
   * @example
   * ```ts
   * const weather = {
   *   name: "weather",
   *   description: "Tells the weather of a city.",
   *   inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
   * };
   * const { toolCalls } = await complete("Rain in Oslo?", { clientTools: [weather] });
   * ```
   */
  clientTools?: readonly ClientTool[] | undefined;
  /**
   * Whether the model must call a tool of `clientTools`:
   *
   * - `"auto"`: the model decides.
   * - `"none"`: the model has no tools.
   * - `"required"`: the model makes one call of one of the tools.
   * - `{ tool: "weather" }`: the model makes one call of the tool with this name.
   *
   * The input of a call that the model must make fits the schema of the tool. If the model gives no such input,
   * the call rejects with `structured_output`.
   * @default "auto"
   */
  toolChoice?: ToolChoice | undefined;
  /** Additional names for tools: each key is a name that calls may use, each value is the tool. */
  toolAliases?: Record<string, string> | undefined;
  /** Settings of single tools. */
  toolConfig?:
    | {
        readonly askUserQuestion?: { readonly previewFormat?: "markdown" | "html" };
      }
    | undefined;
  /**
   * What happens to tool calls that no rule decides. It is always sent to the CLI. A mode that only
   * a newer CLI knows is passed on with a warning, and needs a cast in TypeScript; a misspelled
   * known mode is an error.
   * @default "default"
   * @example
   * ```ts
   * const session = await openSession({ permissionMode: "acceptEdits" });
   * ```
   */
  permissionMode?: PermissionMode | "manual" | undefined;
  /**
   * Allows a later switch to the mode `bypassPermissions`.
   * @default false
   */
  allowDangerouslySkipPermissions?: boolean | undefined;
  /**
   * Called for each tool call that needs approval. Without it, such calls are denied, and so is a
   * call for which it throws.
   * @example
   * ```ts
   * const session = await openSession({
   *   canUseTool: async (tool, input) =>
   *     tool === "Bash"
   *       ? { behavior: "deny", message: "No commands, please." }
   *       : { behavior: "allow", updatedInput: input },
   * });
   * ```
   */
  canUseTool?: CanUseTool | undefined;
  /** MCP tool that decides in place of `canUseTool`. */
  permissionPromptToolName?: string | undefined;
  /** `"none"` denies every tool call that would need approval. */
  permissionPrompts?: "host" | "none" | undefined;
  /**
   * Runs commands in the CLI's sandbox. If no sandbox is available, the CLI stops, unless
   * `failIfUnavailable` is false.
   * @example
   * ```ts
   * const options: Options = {
   *   sandbox: { enabled: true, network: { allowedDomains: ["registry.npmjs.org"] } },
   * };
   * ```
   */
  sandbox?: SandboxSettings | undefined;
  /**
   * Directories besides `cwd` that the tools may access.
   * @default []
   */
  additionalDirectories?: string[] | undefined;

  // Agents, hooks, skills, plugins, MCP servers.

  /** Runs the main thread as this agent. Your own `systemPrompt` replaces the agent's. */
  agent?: string | undefined;
  /**
   * Sub-agents by name, which the model can start.
   * @example
   * ```ts
   * const session = await openSession({
   *   agents: {
   *     reviewer: { description: "Reviews a diff.", prompt: "You review code.", tools: ["Read"] },
   *   },
   * });
   * ```
   */
  agents?: Record<string, AgentDefinition> | undefined;
  /**
   * Asks the CLI for short progress reports on running sub-agents.
   * @default false
   */
  agentProgressSummaries?: boolean | undefined;
  /**
   * Also delivers the text of sub-agents as messages.
   * @default false
   */
  forwardSubagentText?: boolean | undefined;
  /**
   * Callbacks by hook event. A PreToolUse callback that throws blocks the tool call.
   * @example
   * ```ts
   * const session = await openSession({
   *   hooks: {
   *     PreToolUse: [
   *       { matcher: "Bash", hooks: [async ({ tool_input }) => void console.log(tool_input)] },
   *     ],
   *   },
   * });
   * ```
   */
  hooks?: Hooks | undefined;
  /**
   * Also delivers messages about the start, progress and end of hooks from settings files.
   * @default false
   */
  includeHookEvents?: boolean | undefined;
  /** Skills to enable: a list of names, or `"all"`. */
  skills?: string[] | "all" | undefined;
  /** Plugins in local folders. */
  plugins?: PluginConfig[] | undefined;
  /**
   * How plugins are sent to the CLI: as arguments or in the initialize request. Arguments that are
   * too long for the command line go into the request if the CLI supports it.
   * @default "argv"
   */
  pluginDelivery?: "argv" | "initialize" | undefined;
  /**
   * MCP servers: an object by name, the path of a file, or JSON text. `createSdkMcpServer()` makes
   * a server that runs inside your program.
   * @example
   * ```ts
   * const session = await openSession({
   *   mcpServers: { files: { command: "npx", args: ["-y", "my-mcp-server"] } },
   * });
   * ```
   */
  mcpServers?: Readonly<Record<string, McpServerConfig>> | string | undefined;
  /**
   * Accepted because the official SDK has it, and without effect. Hawser sends the servers in a file
   * that only its owner can read, so that `env` and `headers` never stand on the command line, on every
   * version of the CLI.
   */
  mcpServersDelivery?: "argv" | "initialize" | undefined;
  /**
   * Ignores every MCP server that is not in `mcpServers`, such as those of settings files.
   * @default true for complete(), false for query(), true for openSession() if `mcpServers` is set
   */
  strictMcpConfig?: boolean | undefined;
  /**
   * Fails with `mcp_failed` unless these MCP servers have started; `true` means all of them.
   * @default false
   */
  requireMcp?: boolean | string[] | undefined;
  /** Answers questions that MCP servers ask the user. */
  onElicitation?: OnElicitation | undefined;
  /** Shows dialogs of the CLI to the user. */
  onUserDialog?: OnUserDialog | undefined;
  /** The kinds of dialog that `onUserDialog` can show. */
  supportedDialogKinds?: string[] | undefined;
  /**
   * Says that your program can stop single tasks, so that an interrupt leaves them running.
   * @default false
   */
  perTaskStopAffordance?: boolean | undefined;

  // Sessions.

  /**
   * Continues the latest session of the working directory.
   * @default false
   */
  continue?: boolean | undefined;
  /**
   * Continues the session with this id or title. The session must be on disk or in `sessionStore`.
   * @example
   * ```ts
   * const { sessionId } = await complete("My name is Ann.", { persistSession: true });
   * await complete("What is my name?", { resume: sessionId });
   * ```
   */
  resume?: string | undefined;
  /**
   * With `resume` or `continue`: goes on in a copy of the session, so that the original stays
   * unchanged.
   * @default false
   */
  forkSession?: boolean | undefined;
  /** Resumes the session only up to the message with this uuid. */
  resumeSessionAt?: string | undefined;
  /** The turn that `resumeSessionAt` must drop. If it would drop another turn, the start fails. */
  resumeDropsTurn?: string | undefined;
  /**
   * UUID for the new session.
   * @default a random UUID
   */
  sessionId?: string | undefined;
  /** Title of the session. */
  title?: string | undefined;
  /**
   * Keeps the transcript of the session on disk, so that the session can be resumed. In
   * `complete()`, `autoResume` and `preset: "agent"` turn it on.
   * @default true for openSession() and query(), false for complete()
   */
  persistSession?: boolean | undefined;
  /** Your own store for transcripts. They are mirrored to it and resumed from it. */
  sessionStore?: SessionStore | undefined;
  /**
   * When entries are written to `sessionStore`: at the end of a turn, or as soon as they arrive.
   * @default "batched"
   */
  sessionStoreFlush?: "batched" | "eager" | undefined;
  /**
   * The project key under which `sessionStore` keeps the sessions, for `resume`, `continue` and everything that is
   * written. With the same key, a session can be resumed in a working directory of another name, for example on
   * another machine. Letters, digits, `_` and `-`. Only with `sessionStore`.
   * @default made from the path of the working directory, as the CLI names its folders
   * @example
   * ```ts
   * const session = await openSession({ sessionStore: store, projectKey: "shop", resume: sessionId });
   * ```
   */
  projectKey?: string | undefined;
  /**
   * What happens when `sessionStore` refuses an entry, after the attempts that its error allows. An error of
   * the store that is a `HawserError` with `retryable: false` gets one attempt.
   *
   * - `"report"`: a message `mirror_error` says so, and the session goes on without these entries in the store.
   * - `"end"`: the process is killed at once, so that no other tool begins, and the session is over. Turns
   *   without a result reject with the error of the store, if it is a `HawserError`, or else with
   *   `storage_failed` and the error of the store as `cause`. Nothing is written to the store after the refused
   *   entries.
   * @default "report"
   * @example
   * ```ts
   * const session = await openSession({ sessionStore: store, onStoreFailure: "end" });
   * ```
   */
  onStoreFailure?: "report" | "end" | undefined;
  /**
   * Time limit for a load from `sessionStore`, in milliseconds.
   * @default 60_000
   */
  loadTimeoutMs?: number | undefined;
  /**
   * Keeps copies of the files that the tools change, so that `rewindFiles()` can restore them.
   * @default false
   */
  enableFileCheckpointing?: boolean | undefined;

  // Settings.

  /**
   * Settings for the CLI: an object, JSON text, or the path of a file.
   * @example
   * ```ts
   * const options: Options = { settings: { permissions: { deny: ["Read(./.env)"] } } };
   * ```
   */
  settings?: JsonObject | string | undefined;
  /**
   * What happens to `settings` that cannot be merged with `sandbox`: true throws, false leaves the
   * settings out with a warning.
   * @default true
   */
  strictSettingsMerge?: boolean | undefined;
  /** Restrictive policy settings from your program. */
  managedSettings?: JsonObject | undefined;
  /**
   * Which settings files the CLI reads; `[]` is none. Naming `project` or `local` states that you
   * trust the folder, like `trustProject: true`. With `trustProject: true`, `openSession()` and
   * `preset: "agent"` read the project's files too.
   * @default [] for complete(), ["user"] for openSession(), all of them for query()
   */
  settingSources?: SettingSource[] | undefined;
  /**
   * Whether files of the working directory may run code and widen rights: the hooks, MCP servers,
   * apiKeyHelper, env and permissions in its settings, and its skills, commands and agents. If
   * false, only the project's instructions (CLAUDE.md) are read. Set it to true only if you trust
   * every author of the folder.
   * @default false; true for query()
   */
  trustProject?: boolean | undefined;
  /** Reads the project configuration from this checkout. */
  projectConfigRoot?: string | undefined;
  /**
   * A set of defaults. `"lean"` is a bare completion: no tools, settings files, session on disk or
   * system prompt. `"agent"` is the CLI with its own tools, prompt and sessions.
   * @default "lean" for complete(), no preset otherwise
   */
  preset?: "lean" | "agent" | undefined;

  /**
   * Starts the CLI in its minimal mode (`--bare`). In this mode each request of a conversation begins with the
   * request before it, so that the API can cache the beginning. The CLI reads no login, keychain, CLAUDE.md,
   * plugins or hooks of settings files. The credential must be an API key, or an `apiKeyHelper` in `settings`,
   * so `bare` contradicts `oauthToken`. It also contradicts `rules` and `hooks`, because the CLI calls no hook
   * in this mode, not even those of your program. Needs Claude Code 2.1.81.
   * @default false
   */
  bare?: boolean | undefined;

  // Messages and logs.

  /**
   * Also delivers the model's stream events as messages of type `stream_event`.
   * @default false
   */
  includePartialMessages?: boolean | undefined;
  /**
   * Asks the CLI to suggest the next prompt.
   * @default false
   */
  promptSuggestions?: boolean | undefined;
  /**
   * Called with each line that the CLI writes to stderr, without trailing blanks. Blank lines are
   * left out. `query()` keeps blanks and line ends, as the official Agent SDK does.
   */
  stderr?: ((line: string) => void) | undefined;
  /**
   * Receives log messages with secrets masked: `console`, or a logger of winston or pino.
   * @default no logger; warnings go to process.emitWarning()
   */
  logger?: Logger | undefined;
  /**
   * Turns on the CLI's debug log.
   * @default false
   */
  debug?: boolean | undefined;
  /** File for the CLI's debug log. */
  debugFile?: string | undefined;

  // The process.

  /**
   * The CLI to start: a path, or a name to find on PATH.
   * @default the first CLI that `locateCli()` finds
   */
  cliPath?: string | undefined;
  /**
   * `"cwd"` searches for the CLI first in the `node_modules` of your program's current directory
   * and its parents, not of the option `cwd`. Use it only for a directory whose code you would run.
   * It has no effect if `cliPath` or HAWSER_CLI is set.
   */
  cliFrom?: "cwd" | undefined;
  /** Alias of `cliPath`, the name in the official Agent SDK. */
  pathToClaudeCodeExecutable?: string | undefined;
  /**
   * Runtime for a CLI that is a script.
   * @default the Node that runs your program
   */
  executable?: string | undefined;
  /**
   * Arguments for the runtime in `executable`.
   * @default []
   */
  executableArgs?: string[] | undefined;
  /**
   * Flags of the CLI that have no option here, without dashes. `null` is a flag without a value.
   * @example
   * ```ts
   * const options: Options = { extraArgs: { "some-flag": "value", "some-switch": null } };
   * ```
   */
  extraArgs?: Record<string, string | null> | undefined;
  /**
   * Working directory of the CLI. The variable PWD is set to it, unless `env` has a PWD.
   * @default the current directory of your program
   * @example
   * ```ts
   * const session = await openSession({ cwd: "/path/to/project" });
   * ```
   */
  cwd?: string | undefined;
  /**
   * Environment variables to add; `undefined` removes a variable. In `query()` they replace the
   * environment, as in the official Agent SDK, unless `inheritEnv` is set.
   * @example
   * ```ts
   * const options: Options = { env: { HTTPS_PROXY: "http://proxy:8080", DEBUG: undefined } };
   * ```
   */
  env?: Record<string, string | undefined> | undefined;
  /**
   * Whether the CLI gets your program's environment, or the names of the variables that it gets.
   * @default true; false for query() if `env` is set
   */
  inheritEnv?: boolean | string[] | undefined;
  /**
   * What to do if your program itself runs inside a session of the CLI: `"strip"` removes the CLI's
   * own variables, `"error"` throws `nested_session`, `"inherit"` changes nothing.
   * @default "strip"
   */
  nested?: "strip" | "error" | "inherit" | undefined;
  /** API key for the CLI. */
  apiKey?: string | undefined;
  /** OAuth token for the CLI. */
  oauthToken?: string | undefined;
  /**
   * The CLI's configuration directory.
   * @default CLAUDE_CONFIG_DIR, or else ~/.claude
   */
  configDir?: string | undefined;
  /**
   * User name or number to run the CLI as. Only root can choose another user.
   * @default the user of your program
   */
  user?: string | number | undefined;
  /** Starts the CLI process in your own way, for example in a container. */
  spawnClaudeCodeProcess?: ((request: SpawnRequest) => SpawnedProcess) | undefined;
  /**
   * What to do if the installed CLI is too old for an option: `"error"` throws
   * `unsupported_by_cli`, `"warn"` goes on without the option and warns, `"ignore"` goes on
   * silently.
   * @default "error"
   */
  onOldCli?: "error" | "warn" | "ignore" | undefined;
  /**
   * The longest line that is read from the CLI, in bytes.
   * @default 67_108_864 (64 MiB)
   */
  maxLineBytes?: number | undefined;
  /**
   * How long closing waits between two steps (end of input, SIGTERM, SIGKILL), in milliseconds.
   * @default 2_000
   */
  closeGraceMs?: number | undefined;

  // The call.

  /**
   * Aborting it ends the call, session or query.
   * @example
   * ```ts
   * await complete("Name three knots.", { signal: AbortSignal.timeout(30_000) });
   * ```
   */
  signal?: AbortSignal | undefined;
  /** Like `signal`, but a controller, as in the official Agent SDK. */
  abortController?: AbortController | undefined;
  /**
   * Time limits for the start, the first message, silence and the whole call.
   * @example
   * ```ts
   * await complete("Name three knots.", { timeouts: { totalMs: 60_000 } });
   * ```
   */
  timeouts?: TimeoutOptions | undefined;
  /**
   * How often and when a failed call is made again, and how often the CLI repeats a request to the
   * API. By default a call is not made again, and the CLI repeats a request once.
   * @example
   * ```ts
   * await complete("Name three knots.", { retry: { attempts: 3 } });
   * ```
   */
  retry?: RetryOptions | undefined;
  /**
   * How many times a call that reached `maxTurns` is continued. For `complete()` and `stream()`.
   * @default 0
   */
  autoResume?: number | AutoResumeOptions | undefined;
  /**
   * If the process of a session dies, starts a new one and resumes the session. The turn that was
   * running fails; the next one continues the same conversation. For `openSession()`.
   * @default false
   */
  recover?: boolean | undefined;
  /**
   * Ends the process and everything below it unless `session.renew()` is called again and again, each time within
   * this many milliseconds, at least 1,000. The watchdog, a process of its own, keeps the time, so the process ends
   * in time even if your program is frozen (SIGSTOP, a paused machine). Use it if another machine takes over the
   * work of a program that is silent. The time begins when the session is open. For `openSession()`; it contradicts
   * `recover` and `spawnClaudeCodeProcess`, and `not_supported` is thrown where there is no watchdog, as on Windows.
   * @default no such limit
   */
  renewWithinMs?: number | undefined;
  /**
   * A pool from `createPool()` whose processes serve the call or session. For `complete()`,
   * `stream()`, `openSession()` and the providers; `query()` and `startup()` refuse it.
   */
  pool?: object | undefined;
  /**
   * The customer or user on whose behalf a pool serves the call. Tenants take turns in the queue,
   * and each may have a budget. Tenants can still get the same process, one after the other. Only
   * with `pool`.
   */
  tenant?: string | undefined;
  /**
   * Rank in the queue of a pool: a call with a higher number always goes first. Only with `pool`.
   * @default 0
   */
  priority?: number | undefined;
}

/** The name of an option. */
export type OptionName = keyof Options;
