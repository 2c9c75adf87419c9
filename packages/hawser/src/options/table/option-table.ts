import { kind } from "../../base/index.js";
import { applyEffort, applyPermissionMode } from "../apply/effort-and-mode.js";
import { applyHooks } from "../apply/hooks.js";
import { applyMcpServers } from "../apply/mcp-servers.js";
import {
  applyAgents,
  applyBetas,
  applyFallback,
  applyModel,
  applyThinking,
  applyThinkingTokens,
} from "../apply/model.js";
import { applyPlugins } from "../apply/plugins.js";
import { applyLiteralPrompt, applySchema, applySystemPrompt } from "../apply/prompt.js";
import { applySessionStore } from "../apply/session-store.js";
import { applyManagedSettings } from "../apply/settings.js";
import { applySkills, applyToolConfig, applyTools } from "../apply/tools.js";
import { applyUntrusted } from "../apply/untrusted-project.js";
import { addFlag } from "../invocation/draft.js";
import type { OptionName } from "../options.js";
import { agents, hooks } from "../validate/kinds/agents-and-hooks.js";
import * as word from "../validate/kinds/effort-and-mode.js";
import { beta, credential, environment, extraArgs } from "../validate/kinds/environment.js";
import * as hostKind from "../validate/kinds/host.js";
import { mcpServers } from "../validate/kinds/mcp-servers.js";
import { model, models, taskBudget, thinking } from "../validate/kinds/model.js";
import { rule } from "../validate/kinds/permission-rule.js";
import { isStandardSchema, outputFormat, schema, systemPrompt } from "../validate/kinds/prompt.js";
import * as toolKind from "../validate/kinds/tools.js";
import type { OptionRow } from "./option-row.js";
import {
  bare,
  csv,
  flag,
  host,
  initialize,
  isEmpty,
  isFalse,
  isTrue,
  MAY_LEAVE,
  special,
  unless,
  variable,
} from "./row-builders.js";

export type OptionTable = {
  readonly [Name in OptionName]-?: OptionRow<Name>;
};

/** The facts of most general options. A reset leaves nothing of them that matters to the next caller. */
const GENERAL = { scope: "any", general: true, residue: "none", folder: "free" } as const;

/** The facts of most other options. What a reset leaves of them was not examined. */
const PARTICULAR = { scope: "any", general: false, residue: "unknown", folder: "free" } as const;

/**
 * Every option: what it looks like, how it travels, the first version of the CLI that has it, and the
 * facts that other layers need. The order of the rows is the order of the flags on the command line.
 * Versions were found by searching the published packages and by running them; "1.0.0" is "in every
 * version that was looked at", "2.0.0" is "in the oldest version that is supported".
 */
export const OPTION_TABLE: OptionTable = {
  model: special({
    ...GENERAL,
    kind: model,
    channels: ["argv"],
    flags: ["--model"],
    since: "1.0.0",
    inUse: (value) => value !== "",
    apply: applyModel,
  }),
  modelAliases: host(kind.recordOf(kind.argument), GENERAL),
  fallbackModel: special({
    ...GENERAL,
    residue: unless(() => false, "the process may go on with the other model"),
    kind: models,
    channels: ["argv"],
    flags: ["--fallback-model"],
    since: "1.0.31",
    apply: applyFallback,
  }),
  effort: special({
    ...GENERAL,
    kind: word.effort,
    channels: ["argv"],
    flags: ["--effort"],
    since: "2.1.38",
    apply: applyEffort,
  }),
  thinking: special({
    ...GENERAL,
    kind: thinking,
    channels: ["argv"],
    flags: ["--thinking", "--thinking-display"],
    since: "2.0.2",
    apply: applyThinking,
  }),
  maxThinkingTokens: special({
    ...PARTICULAR,
    residue: "none",
    kind: kind.size,
    channels: ["argv"],
    flags: ["--max-thinking-tokens"],
    since: "2.0.2",
    apply: applyThinkingTokens,
  }),
  maxTurns: flag("--max-turns", kind.count, "1.0.0", GENERAL),
  maxBudgetUsd: flag("--max-budget-usd", kind.amount, "2.0.30", GENERAL),
  taskBudget: special({
    ...PARTICULAR,
    kind: taskBudget,
    channels: ["argv"],
    flags: ["--task-budget"],
    since: "2.1.84",
    apply: (draft, { total }, name) => addFlag(draft, name, "--task-budget", `${total}`),
  }),
  betas: special({
    ...GENERAL,
    kind: kind.listOf(beta, "repeated"),
    channels: ["argv", "env"],
    flags: ["--betas"],
    since: "2.0.0",
    apply: applyBetas,
  }),

  systemPrompt: special({
    ...PARTICULAR,
    residue: "none",
    kind: systemPrompt,
    channels: ["initialize", "file"],
    since: "2.0.0",
    inUse: () => true,
    apply: applySystemPrompt,
  }),
  planModeInstructions: initialize("planModeInstructions", kind.string, "2.1.118", PARTICULAR),
  literalPrompt: special({
    ...PARTICULAR,
    scope: "turn",
    residue: unless(
      isTrue,
      "a prompt may be a command that changes the process: must be true",
      "leaves_too",
    ),
    kind: kind.boolean,
    channels: ["prompt", "env"],
    apply: applyLiteralPrompt,
  }),
  verbatimPrompts: special({
    ...PARTICULAR,
    residue: "none",
    kind: kind.boolean,
    channels: ["prompt"],
    since: "2.1.248",
  }),
  outputFormat: special({
    ...PARTICULAR,
    residue: "none",
    kind: outputFormat,
    channels: ["initialize"],
    flags: ["--json-schema"],
    since: "2.0.50",
    apply: (draft, format) => applySchema(draft, format.schema),
  }),
  schema: special({
    ...PARTICULAR,
    scope: "call",
    residue: "none",
    kind: schema,
    channels: ["initialize", "host"],
    since: "2.0.50",
    // The layer that checks the answer converts the schema of another library to JSON Schema.
    inUse: (value) => !isStandardSchema(value),
    apply: applySchema,
  }),

  tools: special({
    ...GENERAL,
    residue: unless(
      isEmpty,
      "tools leave files, shells and grants behind: must be []",
      "leaves_too",
    ),
    kind: toolKind.tools,
    channels: ["argv"],
    flags: ["--tools"],
    since: "2.0.31",
    inUse: () => true,
    apply: applyTools,
  }),
  allowedTools: special({
    ...GENERAL,
    residue: unless(isEmpty, "grants are not cleared by a reset"),
    kind: kind.listOf(rule, "csv"),
    channels: ["argv", "file"],
    flags: ["--allowedTools"],
    since: "1.0.0",
    apply: ({ permissions }, list) => permissions.allow.push(...list),
  }),
  disallowedTools: special({
    ...GENERAL,
    residue: unless(isEmpty, "rules are not cleared by a reset"),
    kind: kind.listOf(rule, "csv"),
    channels: ["argv", "file"],
    flags: ["--disallowedTools"],
    since: "1.0.0",
    apply: ({ permissions }, list) => permissions.deny.push(...list),
  }),
  rules: host(toolKind.rules, { ...GENERAL, residue: "unknown" }),
  toolAliases: initialize("toolAliases", kind.recordOf(kind.string), "2.1.142", PARTICULAR),
  toolConfig: special({
    ...PARTICULAR,
    kind: toolKind.toolConfig,
    channels: ["env"],
    since: "2.1.69",
    apply: applyToolConfig,
  }),
  permissionMode: special({
    ...PARTICULAR,
    residue: unless((mode) => mode === "default" || mode === "manual", MAY_LEAVE),
    kind: word.permissionMode,
    channels: ["argv"],
    flags: ["--permission-mode"],
    since: "1.0.31",
    apply: applyPermissionMode,
  }),
  allowDangerouslySkipPermissions: bare(
    "--allow-dangerously-skip-permissions",
    "2.0.26",
    PARTICULAR,
  ),
  canUseTool: special({
    ...PARTICULAR,
    kind: kind.callback,
    channels: ["argv", "host"],
    flags: ["--permission-prompt-tool"],
    since: "1.0.60",
    apply: (draft, _, name) => addFlag(draft, name, "--permission-prompt-tool", "stdio"),
  }),
  permissionPromptToolName: flag("--permission-prompt-tool", kind.argument, "1.0.60", PARTICULAR),
  permissionPrompts: flag(
    "--permission-prompts",
    kind.oneOf("host", "none"),
    "2.1.259",
    PARTICULAR,
  ),
  sandbox: special({
    ...GENERAL,
    residue: "unknown",
    folder: "fixed",
    kind: toolKind.sandbox,
    channels: ["argv", "file"],
    since: "2.0.8",
  }),
  additionalDirectories: special({
    ...GENERAL,
    residue: unless(isEmpty, "directories are not cleared by a reset"),
    folder: "fixed",
    kind: kind.listOf(kind.argument, "repeated"),
    channels: ["argv", "file"],
    flags: ["--add-dir"],
    since: "1.0.31",
    apply: ({ permissions }, list) => permissions.directories.push(...list),
  }),

  agent: flag("--agent", kind.argument, "2.0.59", PARTICULAR),
  agents: special({
    ...GENERAL,
    kind: agents,
    channels: ["initialize"],
    since: "2.0.56",
    apply: applyAgents,
  }),
  agentProgressSummaries: initialize("agentProgressSummaries", kind.boolean, "2.1.72", PARTICULAR),
  forwardSubagentText: initialize("forwardSubagentText", kind.boolean, "2.1.119", PARTICULAR),
  hooks: special({
    ...GENERAL,
    residue: unless(isEmpty, "hooks are not cleared by a reset"),
    kind: hooks,
    channels: ["initialize", "host"],
    since: "2.0.0",
    apply: applyHooks,
  }),
  includeHookEvents: bare("--include-hook-events", "2.1.88", PARTICULAR),
  skills: special({
    ...GENERAL,
    residue: "unknown",
    kind: toolKind.skills,
    channels: ["argv", "file", "initialize"],
    since: "2.0.0",
    inUse: () => true,
    apply: applySkills,
  }),
  plugins: special({
    ...GENERAL,
    residue: unless(isEmpty, MAY_LEAVE),
    folder: "fixed",
    kind: toolKind.plugins,
    channels: ["argv", "initialize"],
    flags: ["--plugin-dir", "--plugin-dir-no-mcp", "--await-initialize"],
    since: "2.0.25",
    apply: applyPlugins,
  }),
  pluginDelivery: special({
    ...PARTICULAR,
    kind: kind.oneOf("argv", "initialize"),
    channels: ["argv", "initialize"],
    since: "2.1.261",
    inUse: (value) => value === "initialize",
  }),
  mcpServers: special({
    ...PARTICULAR,
    residue: unless(isEmpty, "servers have a state of their own"),
    kind: mcpServers,
    channels: ["file", "initialize"],
    flags: ["--mcp-config"],
    since: "1.0.0",
    apply: applyMcpServers,
  }),
  strictMcpConfig: bare("--strict-mcp-config", "1.0.44", {
    ...GENERAL,
    residue: unless(isTrue, "other MCP configuration counts: must be true", "leaves_too"),
  }),
  requireMcp: host(hostKind.requireMcp, { ...GENERAL, residue: "unknown" }),
  onElicitation: host(kind.callback, PARTICULAR),
  onUserDialog: host(kind.callback, PARTICULAR),
  supportedDialogKinds: initialize(
    "supportedDialogKinds",
    kind.listOf(kind.string),
    "2.1.169",
    PARTICULAR,
  ),
  perTaskStopAffordance: initialize("perTaskStopAffordance", kind.boolean, "2.1.246", PARTICULAR),

  continue: bare("--continue", "1.0.0", {
    ...PARTICULAR,
    residue: unless(isFalse, "the session is another's"),
  }),
  resume: flag("--resume", kind.argument, "1.0.0", { ...PARTICULAR, residue: "exclusive" }),
  forkSession: bare("--fork-session", "1.0.119", {
    ...PARTICULAR,
    residue: unless(isFalse, "the session is another's"),
  }),
  resumeSessionAt: flag("--resume-session-at", kind.uuid, "2.0.0", PARTICULAR),
  resumeDropsTurn: flag("--resume-drops-turn", kind.uuid, "2.1.223", PARTICULAR),
  sessionId: flag("--session-id", kind.uuid, "1.0.53", { ...PARTICULAR, residue: "exclusive" }),
  title: initialize("title", kind.string, "2.1.113", PARTICULAR),
  persistSession: bare(
    "--no-session-persistence",
    "2.0.64",
    {
      ...PARTICULAR,
      residue: unless(isFalse, "the session stays on disk: must be false", "leaves_too"),
    },
    false,
  ),
  sessionStore: special({
    ...PARTICULAR,
    residue: "exclusive",
    kind: hostKind.sessionStore,
    channels: ["argv", "host"],
    flags: ["--session-mirror"],
    since: "2.1.97",
    inUse: () => true,
    apply: applySessionStore,
  }),
  sessionStoreFlush: host(kind.oneOf("batched", "eager"), PARTICULAR),
  loadTimeoutMs: host(kind.duration, PARTICULAR),
  enableFileCheckpointing: special({
    ...PARTICULAR,
    kind: kind.boolean,
    channels: ["env"],
    since: "2.0.44",
    apply: ({ env }) => env.set("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING", "true"),
  }),

  settings: special({
    ...GENERAL,
    residue: "unknown",
    folder: "fixed",
    kind: hostKind.settings,
    channels: ["argv", "file"],
    flags: ["--settings"],
    since: "1.0.61",
  }),
  strictSettingsMerge: host(kind.boolean, GENERAL),
  managedSettings: special({
    ...PARTICULAR,
    folder: "fixed",
    kind: kind.json,
    channels: ["argv", "initialize"],
    flags: ["--managed-settings", "--managed-settings-in-initialize"],
    since: "2.1.118",
    apply: applyManagedSettings,
  }),
  settingSources: csv("--setting-sources", kind.oneOf("user", "project", "local"), "1.0.126", {
    ...GENERAL,
    residue: unless(
      isEmpty,
      "settings files bring hooks, servers and rules: must be []",
      "leaves_too",
    ),
  }),
  trustProject: special({
    ...GENERAL,
    residue: unless(isTrue, "instructions of the project are read"),
    folder: "fixed",
    kind: kind.boolean,
    channels: ["argv", "env", "file"],
    since: "1.0.126",
    inUse: (value) => value === false,
    apply: applyUntrusted,
  }),
  projectConfigRoot: flag("--project-config-root", kind.argument, "2.1.275", {
    ...PARTICULAR,
    folder: "fixed",
  }),
  preset: host(kind.oneOf("lean", "agent"), { ...PARTICULAR, residue: "none" }),

  includePartialMessages: bare("--include-partial-messages", "1.0.109", {
    ...PARTICULAR,
    residue: "none",
  }),
  promptSuggestions: initialize("promptSuggestions", kind.boolean, "2.1.48", PARTICULAR),
  stderr: host(kind.callback, GENERAL),
  logger: host(hostKind.logger, GENERAL),
  debug: bare("--debug", "2.0.0", GENERAL),
  debugFile: flag("--debug-file", kind.argument, "2.1.20", { ...GENERAL, folder: "fixed" }),

  cliPath: host(kind.path, GENERAL),
  cliFrom: host(kind.oneOf("cwd"), GENERAL),
  pathToClaudeCodeExecutable: host(kind.path, GENERAL),
  executable: host(kind.path, GENERAL),
  executableArgs: host(kind.listOf(kind.argument), GENERAL),
  extraArgs: special({
    ...GENERAL,
    residue: "unknown",
    folder: "fixed",
    kind: extraArgs,
    channels: ["argv"],
  }),
  cwd: host(kind.path, GENERAL),
  env: special({ ...GENERAL, kind: environment, channels: ["env"] }),
  inheritEnv: special({ ...GENERAL, kind: hostKind.inheritEnv, channels: ["env"] }),
  nested: special({ ...GENERAL, kind: kind.oneOf("strip", "error", "inherit"), channels: ["env"] }),
  apiKey: variable("ANTHROPIC_API_KEY", credential, GENERAL),
  oauthToken: variable("CLAUDE_CODE_OAUTH_TOKEN", credential, GENERAL),
  configDir: variable("CLAUDE_CONFIG_DIR", kind.path, { ...GENERAL, folder: "fixed" }),
  user: host(hostKind.user, GENERAL),
  spawnClaudeCodeProcess: host(kind.callback, { ...GENERAL, residue: "exclusive" }),
  onOldCli: host(kind.oneOf("error", "warn", "ignore"), GENERAL),
  maxLineBytes: host(kind.count, GENERAL),
  closeGraceMs: host(kind.duration, GENERAL),

  signal: host(hostKind.signal, GENERAL),
  abortController: host(hostKind.controller, GENERAL),
  timeouts: host(hostKind.timeouts, {
    ...GENERAL,
    scope: { bootMs: "any", firstMessageMs: "turn", idleMs: "turn", totalMs: "turn" },
  }),
  retry: special({
    ...GENERAL,
    scope: {
      attempts: "call",
      baseMs: "call",
      maxMs: "call",
      budgetMs: "call",
      afterTools: "call",
      cliRetries: "any",
      apiTimeoutMs: "any",
    },
    kind: hostKind.retry,
    channels: ["env", "host"],
  }),
  autoResume: host(hostKind.autoResume, {
    ...PARTICULAR,
    scope: "call",
    residue: unless((times) => times === 0, "the session stays on disk"),
  }),
  maxRepairs: host(kind.size, { ...PARTICULAR, scope: "call", residue: "none" }),
  recover: host(kind.boolean, {
    ...PARTICULAR,
    scope: "session",
    residue: unless(isFalse, "the session stays on disk"),
  }),
  pool: host(kind.object, { ...GENERAL, scope: "pool" }),
  tenant: host(kind.string, { ...GENERAL, scope: "pool" }),
  priority: host(kind.rank, { ...GENERAL, scope: "pool" }),
};

export const OPTION_NAMES: readonly OptionName[] = Object.keys(OPTION_TABLE) as OptionName[];
