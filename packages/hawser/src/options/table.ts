import { kind } from "../base/index.js";
import { agents, hooks } from "./check/agent.js";
import { beta, credential, environment, extraArgs } from "./check/environment.js";
import * as hostKind from "./check/host.js";
import { mcpServers } from "./check/mcp.js";
import { model, models, taskBudget, thinking } from "./check/model.js";
import { isStandardSchema, outputFormat, schema, systemPrompt } from "./check/prompt.js";
import { rule } from "./check/rule.js";
import * as toolKind from "./check/tool.js";
import * as word from "./check/word.js";
import { addFlag } from "./draft.js";
import type { OptionName, Options } from "./options.js";
import { applyHooks } from "./row/hooks.js";
import { applyMcpServers } from "./row/mcp.js";
import {
  applyAgents,
  applyBetas,
  applyFallback,
  applyModel,
  applyThinking,
  applyThinkingTokens,
} from "./row/model.js";
import { bare, csv, flag, host, initialize, special, variable } from "./row/plain.js";
import { applyPlugins } from "./row/plugins.js";
import { applyManagedSettings } from "./row/policy.js";
import { applyLiteralPrompt, applySchema, applyToolConfig } from "./row/process.js";
import { applyUntrusted } from "./row/project.js";
import { applySessionStore } from "./row/session-store.js";
import { applySystemPrompt } from "./row/system-prompt.js";
import { applySkills, applyTools } from "./row/tools.js";
import { applyEffort, applyPermissionMode } from "./row/words.js";
import type { OptionSpec } from "./spec.js";

export type OptionTable = {
  readonly [Name in OptionName]-?: OptionSpec<NonNullable<Options[Name]>>;
};

/**
 * Every option: what it looks like, how it travels, and the first version of the CLI that has it.
 * Versions were found by searching the published packages and by running them; "1.0.0" is "in every
 * version that was looked at", "2.0.0" is "in the oldest version that is supported".
 */
export const OPTION_TABLE: OptionTable = {
  model: special({
    kind: model,
    ways: ["argv"],
    flags: ["--model"],
    since: "1.0.0",
    inUse: (value) => value !== "",
    apply: applyModel,
  }),
  modelAliases: host(kind.recordOf(kind.argument)),
  fallbackModel: special({
    kind: models,
    ways: ["argv"],
    flags: ["--fallback-model"],
    since: "1.0.31",
    apply: applyFallback,
  }),
  effort: special({
    kind: word.effort,
    ways: ["argv"],
    flags: ["--effort"],
    since: "2.1.38",
    apply: applyEffort,
  }),
  thinking: special({
    kind: thinking,
    ways: ["argv"],
    flags: ["--thinking", "--thinking-display"],
    since: "2.0.2",
    apply: applyThinking,
  }),
  maxThinkingTokens: special({
    kind: kind.size,
    ways: ["argv"],
    flags: ["--max-thinking-tokens"],
    since: "2.0.2",
    apply: applyThinkingTokens,
  }),
  maxTurns: flag("--max-turns", kind.count, "1.0.0"),
  maxBudgetUsd: flag("--max-budget-usd", kind.amount, "2.0.30"),
  taskBudget: special({
    kind: taskBudget,
    ways: ["argv"],
    flags: ["--task-budget"],
    since: "2.1.84",
    apply: (draft, { total }, name) => addFlag(draft, name, "--task-budget", `${total}`),
  }),
  betas: special({
    kind: kind.listOf(beta, "repeated"),
    ways: ["argv", "env"],
    flags: ["--betas"],
    since: "2.0.0",
    apply: applyBetas,
  }),

  systemPrompt: special({
    kind: systemPrompt,
    ways: ["initialize", "file"],
    since: "2.0.0",
    inUse: () => true,
    apply: applySystemPrompt,
  }),
  planModeInstructions: initialize("planModeInstructions", kind.string, "2.1.118"),
  literalPrompt: special({
    kind: kind.boolean,
    ways: ["prompt", "env"],
    apply: applyLiteralPrompt,
  }),
  verbatimPrompts: special({ kind: kind.boolean, ways: ["prompt"], since: "2.1.248" }),
  outputFormat: special({
    kind: outputFormat,
    ways: ["initialize"],
    flags: ["--json-schema"],
    since: "2.0.50",
    apply: (draft, format) => applySchema(draft, format.schema),
  }),
  schema: special({
    kind: schema,
    ways: ["initialize", "host"],
    since: "2.0.50",
    // What JSON Schema another library's schema has is for the layer that checks the answer.
    inUse: (value) => !isStandardSchema(value),
    apply: applySchema,
  }),

  tools: special({
    kind: toolKind.tools,
    ways: ["argv"],
    flags: ["--tools"],
    since: "2.0.31",
    inUse: () => true,
    apply: applyTools,
  }),
  allowedTools: special({
    kind: kind.listOf(rule, "csv"),
    ways: ["argv", "file"],
    flags: ["--allowedTools"],
    since: "1.0.0",
    apply: ({ permissions }, list) => permissions.allow.push(...list),
  }),
  disallowedTools: special({
    kind: kind.listOf(rule, "csv"),
    ways: ["argv", "file"],
    flags: ["--disallowedTools"],
    since: "1.0.0",
    apply: ({ permissions }, list) => permissions.deny.push(...list),
  }),
  rules: host(toolKind.rules),
  toolAliases: initialize("toolAliases", kind.recordOf(kind.string), "2.1.142"),
  toolConfig: special({
    kind: toolKind.toolConfig,
    ways: ["env"],
    since: "2.1.69",
    apply: applyToolConfig,
  }),
  permissionMode: special({
    kind: word.permissionMode,
    ways: ["argv"],
    flags: ["--permission-mode"],
    since: "1.0.31",
    apply: applyPermissionMode,
  }),
  allowDangerouslySkipPermissions: bare("--allow-dangerously-skip-permissions", "2.0.26"),
  canUseTool: special({
    kind: kind.callback,
    ways: ["argv", "host"],
    flags: ["--permission-prompt-tool"],
    since: "1.0.60",
    apply: (draft, _, name) => addFlag(draft, name, "--permission-prompt-tool", "stdio"),
  }),
  permissionPromptToolName: flag("--permission-prompt-tool", kind.argument, "1.0.60"),
  permissionPrompts: flag("--permission-prompts", kind.oneOf("host", "none"), "2.1.259"),
  sandbox: special({ kind: toolKind.sandbox, ways: ["argv", "file"], since: "2.0.8" }),
  additionalDirectories: special({
    kind: kind.listOf(kind.argument, "repeated"),
    ways: ["argv", "file"],
    flags: ["--add-dir"],
    since: "1.0.31",
    apply: ({ permissions }, list) => permissions.directories.push(...list),
  }),

  agent: flag("--agent", kind.argument, "2.0.59"),
  agents: special({ kind: agents, ways: ["initialize"], since: "2.0.56", apply: applyAgents }),
  agentProgressSummaries: initialize("agentProgressSummaries", kind.boolean, "2.1.72"),
  forwardSubagentText: initialize("forwardSubagentText", kind.boolean, "2.1.119"),
  hooks: special({ kind: hooks, ways: ["initialize", "host"], since: "2.0.0", apply: applyHooks }),
  includeHookEvents: bare("--include-hook-events", "2.1.88"),
  skills: special({
    kind: toolKind.skills,
    ways: ["argv", "file", "initialize"],
    since: "2.0.0",
    inUse: () => true,
    apply: applySkills,
  }),
  plugins: special({
    kind: toolKind.plugins,
    ways: ["argv", "initialize"],
    flags: ["--plugin-dir", "--plugin-dir-no-mcp", "--await-initialize"],
    since: "2.0.25",
    apply: applyPlugins,
  }),
  pluginDelivery: special({
    kind: kind.oneOf("argv", "initialize"),
    ways: ["argv", "initialize"],
    since: "2.1.261",
    inUse: (value) => value === "initialize",
  }),
  mcpServers: special({
    kind: mcpServers,
    ways: ["file", "initialize"],
    flags: ["--mcp-config"],
    since: "1.0.0",
    apply: applyMcpServers,
  }),
  strictMcpConfig: bare("--strict-mcp-config", "1.0.44"),
  requireMcp: host(hostKind.requireMcp),
  onElicitation: host(kind.callback),
  onUserDialog: host(kind.callback),
  supportedDialogKinds: initialize("supportedDialogKinds", kind.listOf(kind.string), "2.1.169"),
  perTaskStopAffordance: initialize("perTaskStopAffordance", kind.boolean, "2.1.246"),

  continue: bare("--continue", "1.0.0"),
  resume: flag("--resume", kind.argument, "1.0.0"),
  forkSession: bare("--fork-session", "1.0.119"),
  resumeSessionAt: flag("--resume-session-at", kind.uuid, "2.0.0"),
  resumeDropsTurn: flag("--resume-drops-turn", kind.uuid, "2.1.223"),
  sessionId: flag("--session-id", kind.uuid, "1.0.53"),
  title: initialize("title", kind.string, "2.1.113"),
  persistSession: bare("--no-session-persistence", "2.0.64", false),
  sessionStore: special({
    kind: hostKind.sessionStore,
    ways: ["argv", "host"],
    flags: ["--session-mirror"],
    since: "2.1.97",
    inUse: () => true,
    apply: applySessionStore,
  }),
  sessionStoreFlush: host(kind.oneOf("batched", "eager")),
  loadTimeoutMs: host(kind.duration),
  enableFileCheckpointing: special({
    kind: kind.boolean,
    ways: ["env"],
    since: "2.0.44",
    apply: ({ env }) => env.set("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING", "true"),
  }),

  settings: special({
    kind: hostKind.settings,
    ways: ["argv", "file"],
    flags: ["--settings"],
    since: "1.0.61",
  }),
  strictSettingsMerge: host(kind.boolean),
  managedSettings: special({
    kind: kind.json,
    ways: ["argv", "initialize"],
    flags: ["--managed-settings", "--managed-settings-in-initialize"],
    since: "2.1.118",
    apply: applyManagedSettings,
  }),
  settingSources: csv("--setting-sources", kind.oneOf("user", "project", "local"), "1.0.126"),
  trustProject: special({
    kind: kind.boolean,
    ways: ["argv", "env", "file"],
    since: "1.0.126",
    inUse: (value) => value === false,
    apply: applyUntrusted,
  }),
  projectConfigRoot: flag("--project-config-root", kind.argument, "2.1.275"),
  preset: host(kind.oneOf("lean", "agent")),

  includePartialMessages: bare("--include-partial-messages", "1.0.109"),
  promptSuggestions: initialize("promptSuggestions", kind.boolean, "2.1.48"),
  stderr: host(kind.callback),
  logger: host(hostKind.logger),
  debug: bare("--debug", "2.0.0"),
  debugFile: flag("--debug-file", kind.argument, "2.1.20"),

  cliPath: host(kind.path),
  cliFrom: host(kind.oneOf("cwd")),
  pathToClaudeCodeExecutable: host(kind.path),
  executable: host(kind.path),
  executableArgs: host(kind.listOf(kind.argument)),
  extraArgs: special({ kind: extraArgs, ways: ["argv"] }),
  cwd: host(kind.path),
  env: special({ kind: environment, ways: ["env"] }),
  inheritEnv: special({ kind: hostKind.inheritEnv, ways: ["env"] }),
  nested: special({ kind: kind.oneOf("strip", "error", "inherit"), ways: ["env"] }),
  apiKey: variable("ANTHROPIC_API_KEY", credential),
  oauthToken: variable("CLAUDE_CODE_OAUTH_TOKEN", credential),
  configDir: variable("CLAUDE_CONFIG_DIR", kind.path),
  user: host(hostKind.user),
  spawnClaudeCodeProcess: host(kind.callback),
  onOldCli: host(kind.oneOf("error", "warn", "ignore")),
  maxLineBytes: host(kind.count),
  closeGraceMs: host(kind.duration),

  signal: host(hostKind.signal),
  abortController: host(hostKind.controller),
  timeouts: host(hostKind.timeouts),
  retry: special({ kind: hostKind.retry, ways: ["env", "host"] }),
  autoResume: host(hostKind.autoResume),
  maxRepairs: host(kind.size),
  recover: host(kind.boolean),
  pool: host(kind.object),
  tenant: host(kind.string),
  priority: host(kind.rank),
};

export const OPTION_NAMES: readonly OptionName[] = Object.keys(OPTION_TABLE) as OptionName[];
