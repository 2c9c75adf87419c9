import type { OptionName, Options } from "../../src/options/index.js";
import type { Added } from "./facts.helper.js";

/** An option with a value, and what it must add to the invocation on the newest CLI. */
export interface Case {
  readonly options: Options;
  readonly adds: Added;
}

export const UUID = "11111111-2222-4333-8444-555555555555";
export const SCHEMA = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };

const answer = async () => ({ behavior: "deny", message: "no" }) as const;
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const store = { append: async () => {}, load: async () => null };
const hook = () => ({});
const MCP_FILE = "/tmp/hawser-1/mcp.json";
const SETTINGS_FILE = "/tmp/hawser-1/settings.json";

const POLICY = { hookCallbackIds: ["hawser_policy"], onFailure: "block" };

const one = (options: Options, adds: Added = {}): Case[] => [{ options, adds }];
const flag = (options: Options, ...flags: string[]): Case[] => one(options, { flags });
const field = (options: Options, initialize: object): Case[] => one(options, { initialize });
const variable = (options: Options, env: Readonly<Record<string, string>>): Case[] =>
  one(options, { env });

/** A forgotten option is a compile error here too. */
export const CASES: { readonly [Name in OptionName]-?: readonly Case[] } = {
  model: [...flag({ model: "sonnet" }, "--model=sonnet"), ...one({ model: "" })],
  modelAliases: [
    ...one({ modelAliases: { fast: "claude-haiku-4-5" } }),
    ...flag(
      {
        modelAliases: { fast: "claude-haiku-4-5", spare: "claude-sonnet-4-5" },
        model: "fast",
        effort: "low",
      },
      "--model=claude-haiku-4-5",
      "--effort=low",
    ),
  ],
  fallbackModel: [
    ...one(
      { fallbackModel: "haiku" },
      { flags: ["--fallback-model=haiku"], env: { CLAUDE_CODE_MAX_RETRIES: "2" } },
    ),
    ...one(
      { fallbackModel: ["fast", "sonnet"], modelAliases: { fast: "haiku" } },
      { flags: ["--fallback-model=haiku,sonnet"], env: { CLAUDE_CODE_MAX_RETRIES: "2" } },
    ),
  ],
  effort: flag({ effort: "high" }, "--effort=high"),
  thinking: [
    ...flag({ thinking: { type: "adaptive" } }, "--thinking=adaptive"),
    ...flag(
      { thinking: { type: "adaptive", display: "summarized" } },
      "--thinking=adaptive",
      "--thinking-display=summarized",
    ),
    ...flag({ thinking: { type: "enabled", budgetTokens: 2048 } }, "--max-thinking-tokens=2048"),
    ...flag({ thinking: { type: "enabled" } }, "--thinking=enabled"),
    ...flag({ thinking: { type: "disabled" } }, "--thinking=disabled"),
  ],
  maxThinkingTokens: [
    ...flag({ maxThinkingTokens: 4096 }, "--max-thinking-tokens=4096"),
    ...flag({ maxThinkingTokens: 0 }, "--thinking=disabled"),
    ...flag({ maxThinkingTokens: 4096, thinking: { type: "disabled" } }, "--thinking=disabled"),
    ...flag(
      { maxThinkingTokens: 5000, thinking: { type: "adaptive" } },
      "--max-thinking-tokens=5000",
    ),
  ],
  maxTurns: flag({ maxTurns: 3 }, "--max-turns=3"),
  maxBudgetUsd: flag({ maxBudgetUsd: 0.5 }, "--max-budget-usd=0.5"),
  taskBudget: flag({ taskBudget: { total: 50_000 } }, "--task-budget=50000"),
  betas: [
    ...flag({ betas: ["context-1m-2025-08-07"] }, "--betas=context-1m-2025-08-07"),
    ...one(
      { betas: ["context-1m-2025-08-07", "a-1", "b-2"] },
      { flags: ["--betas=context-1m-2025-08-07"], env: { ANTHROPIC_BETAS: "a-1,b-2" } },
    ),
    ...one({ betas: [] }),
  ],

  systemPrompt: [
    ...field({ systemPrompt: "X" }, { systemPrompt: ["X"] }),
    ...field({ systemPrompt: "" }, { systemPrompt: [""] }),
    ...field({ systemPrompt: [] }, { systemPrompt: [] }),
    ...field(
      { systemPrompt: ["A", "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__", "B"] },
      { systemPrompt: ["A", "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__", "B"] },
    ),
    ...field(
      { systemPrompt: { type: "custom", prompt: "P", snapshot: true } },
      { systemPrompt: ["P"], systemPromptSnapshot: true },
    ),
    ...field(
      { systemPrompt: { type: "custom", prompt: ["P", "Q"] } },
      { systemPrompt: ["P", "Q"] },
    ),
    ...one({ systemPrompt: { type: "preset", preset: "claude_code" } }),
    ...field(
      { systemPrompt: { preset: "claude_code", append: "more" } },
      { appendSystemPrompt: "more" },
    ),
    ...field(
      {
        systemPrompt: {
          type: "preset",
          preset: "claude_code",
          excludeDynamicSections: true,
          snapshot: false,
        },
      },
      { excludeDynamicSections: true, systemPromptSnapshot: false },
    ),
  ],
  history: one({ history: [{ role: "user", content: "Hi." }] }),
  planModeInstructions: field({ planModeInstructions: "plan" }, { planModeInstructions: "plan" }),
  literalPrompt: [...one({ literalPrompt: true }), ...one({ literalPrompt: false })],
  verbatimPrompts: one({ verbatimPrompts: true }),
  outputFormat: field(
    { outputFormat: { type: "json_schema", schema: SCHEMA } },
    { jsonSchema: SCHEMA },
  ),
  schema: [
    ...field({ schema: SCHEMA }, { jsonSchema: SCHEMA }),
    ...one({
      schema: { "~standard": { version: 1, vendor: "x", validate: (value) => ({ value }) } },
    }),
  ],

  tools: [
    ...flag({ tools: ["Bash", "Read"] }, "--tools=Bash,Read"),
    ...flag({ tools: [] }, "--tools="),
    ...flag({ tools: { type: "preset", preset: "claude_code" } }, "--tools=default"),
    ...flag({ tools: ["mcp__x__y", "Bash", "Bash"] }, "--tools=Bash"),
  ],
  allowedTools: [
    ...flag(
      { allowedTools: ["Read", "Bash(git log, -n *)", "Read"] },
      "--allowedTools=Read,Bash(git log, -n *)",
    ),
    ...one({ allowedTools: [] }),
  ],
  disallowedTools: flag(
    { disallowedTools: ["Bash", "WebFetch"] },
    "--disallowedTools=Bash,WebFetch",
  ),
  rules: [
    ...one(
      { rules: [{ tool: "Bash", input: { command: "git *" }, decision: "allow" }] },
      {
        flags: ["--settings", '{"disableSkillShellExecution":true}'],
        initialize: { hooks: { PreToolUse: [POLICY] } },
      },
    ),
    ...field({ rules: [{ tool: "*", decision: "allow" }] }, { hooks: { PreToolUse: [POLICY] } }),
  ],
  clientTools: [
    ...one(
      { clientTools: [{ name: "get", description: "Gets.", inputSchema: { type: "object" } }] },
      {
        flags: ["--allowedTools=mcp__client_tools"],
        env: {
          CLAUDE_AGENT_SDK_MCP_NO_PREFIX: "1",
          CLAUDE_CODE_MAX_MCP_DESCRIPTION_LENGTH: "1000000",
        },
        initialize: { sdkMcpServers: ["client_tools"] },
      },
    ),
    ...one({ clientTools: [] }),
  ],
  toolChoice: one({ toolChoice: "none" }),
  toolAliases: field({ toolAliases: { Shell: "Bash" } }, { toolAliases: { Shell: "Bash" } }),
  toolConfig: variable(
    { toolConfig: { askUserQuestion: { previewFormat: "html" } } },
    { CLAUDE_CODE_QUESTION_PREVIEW_FORMAT: "html" },
  ),
  permissionMode: [
    ...flag({ permissionMode: "plan" }, "--permission-mode=plan"),
    ...flag({ permissionMode: "acceptEdits" }, "--permission-mode=acceptEdits"),
    ...flag({ permissionMode: "dontAsk" }, "--permission-mode=dontAsk"),
    ...flag({ permissionMode: "auto" }, "--permission-mode=auto"),
    ...flag({ permissionMode: "bypassPermissions" }, "--permission-mode=bypassPermissions"),
    ...one({ permissionMode: "manual" }),
    ...one({ permissionMode: "default" }),
  ],
  allowDangerouslySkipPermissions: flag(
    { allowDangerouslySkipPermissions: true },
    "--allow-dangerously-skip-permissions",
  ),
  canUseTool: flag({ canUseTool: answer }, "--permission-prompt-tool=stdio"),
  permissionPromptToolName: flag(
    { permissionPromptToolName: "mcp__x__y" },
    "--permission-prompt-tool=mcp__x__y",
  ),
  permissionPrompts: flag({ permissionPrompts: "none" }, "--permission-prompts=none"),
  sandbox: flag(
    { sandbox: { enabled: true } },
    "--settings",
    '{"sandbox":{"enabled":true,"failIfUnavailable":true}}',
  ),
  additionalDirectories: flag(
    { additionalDirectories: ["/a", "/b", "/a"] },
    "--add-dir=/a",
    "--add-dir=/b",
  ),

  agent: flag({ agent: "rev" }, "--agent=rev"),
  agents: field(
    {
      agents: { rev: { description: "d", prompt: "p", tools: ["Read"], model: "fast" } },
      modelAliases: { fast: "haiku" },
    },
    { agents: { rev: { description: "d", prompt: "p", tools: ["Read"], model: "haiku" } } },
  ),
  agentProgressSummaries: field({ agentProgressSummaries: true }, { agentProgressSummaries: true }),
  forwardSubagentText: field({ forwardSubagentText: true }, { forwardSubagentText: true }),
  hooks: field(
    {
      hooks: {
        PreToolUse: [
          { matcher: "Bash|Write", hooks: [hook, hook], timeout: 5, onFailure: "block" },
          { hooks: [hook], onFailure: "continue" },
        ],
        Stop: [{ hooks: [hook] }],
      },
    },
    {
      hooks: {
        PreToolUse: [
          {
            matcher: "Bash|Write",
            hookCallbackIds: ["hook_0", "hook_1"],
            timeout: 5,
            onFailure: "block",
          },
          { hookCallbackIds: ["hook_2"] },
        ],
        Stop: [{ hookCallbackIds: ["hook_3"] }],
      },
    },
  ),
  includeHookEvents: flag({ includeHookEvents: true }, "--include-hook-events"),
  skills: [
    ...flag({ skills: "all" }, "--allowedTools=Skill"),
    ...one(
      { skills: ["pdf", "x:y"], allowedTools: ["Read"] },
      {
        flags: ["--allowedTools=Read,Skill(pdf),Skill(x:y)"],
        initialize: { skills: ["pdf", "x:y"] },
      },
    ),
    ...field({ skills: [] }, { skills: [] }),
  ],
  plugins: flag(
    {
      plugins: [
        { type: "local", path: "/p" },
        { type: "local", path: "/q", skipMcpDiscovery: true },
      ],
    },
    "--plugin-dir=/p",
    "--plugin-dir-no-mcp=/q",
  ),
  pluginDelivery: [
    ...one(
      {
        plugins: [
          { type: "local", path: "/p" },
          { type: "local", path: "/q", skipMcpDiscovery: true },
        ],
        pluginDelivery: "initialize",
      },
      {
        flags: ["--await-initialize"],
        initialize: {
          plugins: [
            { type: "local", path: "/p" },
            { type: "local", path: "/q", skipMcpDiscovery: true },
          ],
        },
      },
    ),
    ...one({ pluginDelivery: "argv" }),
  ],
  mcpServers: [
    ...one(
      {
        mcpServers: {
          files: { command: "node", args: ["server.js"], env: { TOKEN: "t" } },
          web: { type: "http", url: "http://127.0.0.1:9/", headers: { Authorization: "x" } },
        },
      },
      {
        flags: ["--mcp-config", MCP_FILE, "--strict-mcp-config"],
        files: {
          [MCP_FILE]: {
            mcpServers: {
              files: { command: "node", args: ["server.js"], env: { TOKEN: "t" } },
              web: { type: "http", url: "http://127.0.0.1:9/", headers: { Authorization: "x" } },
            },
          },
        },
      },
    ),
    ...one(
      { mcpServers: { srv: { type: "sdk", name: "srv", instance: {} } } },
      { flags: ["--strict-mcp-config"], initialize: { sdkMcpServers: ["srv"] } },
    ),
    ...one(
      { mcpServers: { srv: { type: "sdk", name: "srv", instance: {}, timeout: 5000 } } },
      {
        flags: ["--strict-mcp-config"],
        initialize: { sdkMcpServers: ["srv"], sdkMcpServerConfigs: { srv: { timeout: 5000 } } },
      },
    ),
    ...flag(
      { mcpServers: "/etc/mcp.json" },
      "--mcp-config",
      "/etc/mcp.json",
      "--strict-mcp-config",
    ),
    ...one({ mcpServers: {} }),
  ],
  mcpServersDelivery: [
    ...one({ mcpServersDelivery: "argv" }),
    ...one({ mcpServersDelivery: "initialize" }),
  ],
  strictMcpConfig: [
    ...flag({ strictMcpConfig: true }, "--strict-mcp-config"),
    ...one({ strictMcpConfig: false }),
  ],
  requireMcp: one({ requireMcp: ["files"] }),
  onElicitation: one({ onElicitation: async () => ({ action: "decline" }) }),
  onUserDialog: one({ onUserDialog: async () => ({ behavior: "cancelled" }) }),
  supportedDialogKinds: field({ supportedDialogKinds: ["k"] }, { supportedDialogKinds: ["k"] }),
  perTaskStopAffordance: field({ perTaskStopAffordance: true }, { perTaskStopAffordance: true }),

  continue: flag({ continue: true }, "--continue"),
  resume: [
    ...flag({ resume: UUID }, `--resume=${UUID}`),
    ...flag({ resume: "my title" }, "--resume=my title"),
  ],
  forkSession: flag({ continue: true, forkSession: true }, "--continue", "--fork-session"),
  resumeSessionAt: flag(
    { resume: UUID, resumeSessionAt: UUID },
    `--resume=${UUID}`,
    `--resume-session-at=${UUID}`,
  ),
  resumeDropsTurn: flag(
    { resume: UUID, resumeSessionAt: UUID, resumeDropsTurn: UUID },
    `--resume=${UUID}`,
    `--resume-session-at=${UUID}`,
    `--resume-drops-turn=${UUID}`,
  ),
  sessionId: flag({ sessionId: UUID }, `--session-id=${UUID}`),
  title: field({ title: "T" }, { title: "T" }),
  persistSession: [
    ...flag({ persistSession: false }, "--no-session-persistence"),
    ...one({ persistSession: true }),
  ],
  sessionStore: flag({ sessionStore: store }, "--session-mirror"),
  sessionStoreFlush: one({ sessionStoreFlush: "eager" }),
  projectKey: flag({ sessionStore: store, projectKey: "-work" }, "--session-mirror"),
  onStoreFailure: one({ onStoreFailure: "report" }),
  loadTimeoutMs: one({ loadTimeoutMs: 1000 }),
  enableFileCheckpointing: variable(
    { enableFileCheckpointing: true },
    { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "true" },
  ),

  settings: [
    ...flag({ settings: { model: "haiku" } }, "--settings", '{"model":"haiku"}'),
    ...flag({ settings: ' {"model": "haiku"} ' }, "--settings", '{"model":"haiku"}'),
    ...flag({ settings: "/etc/settings.json" }, "--settings", "/etc/settings.json"),
    ...one(
      { settings: { env: { A: "b" } } },
      { flags: ["--settings", SETTINGS_FILE], files: { [SETTINGS_FILE]: { env: { A: "b" } } } },
    ),
  ],
  strictSettingsMerge: one({ strictSettingsMerge: false }),
  managedSettings: [
    ...flag(
      { managedSettings: { permissions: { deny: ["WebFetch"] } } },
      "--managed-settings",
      '{"permissions":{"deny":["WebFetch"]}}',
    ),
    ...one(
      { managedSettings: { env: { A: "b" } } },
      {
        flags: ["--managed-settings-in-initialize", "--await-initialize"],
        initialize: { managedSettings: { env: { A: "b" } } },
      },
    ),
  ],
  settingSources: [
    ...flag({ settingSources: ["user", "project"] }, "--setting-sources=user,project"),
    ...flag({ settingSources: [] }, "--setting-sources="),
  ],
  trustProject: [
    ...one({ trustProject: true }),
    ...one(
      { trustProject: false },
      { flags: ["--add-dir=."], env: { CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: "1" } },
    ),
  ],
  projectConfigRoot: flag({ projectConfigRoot: "/tmp" }, "--project-config-root=/tmp"),
  preset: one({ preset: "lean" }),

  bare: [...flag({ bare: true }, "--bare"), ...one({ bare: false })],
  includePartialMessages: flag({ includePartialMessages: true }, "--include-partial-messages"),
  promptSuggestions: field({ promptSuggestions: true }, { promptSuggestions: true }),
  stderr: one({ stderr: () => {} }),
  logger: one({ logger: silent }),
  debug: [...flag({ debug: true }, "--debug"), ...one({ debug: false })],
  debugFile: flag({ debugFile: "debug.txt" }, "--debug-file=debug.txt"),

  cliPath: one({ cliPath: "/opt/claude" }),
  cliFrom: one({ cliFrom: "cwd" }),
  pathToClaudeCodeExecutable: one({ pathToClaudeCodeExecutable: "/opt/claude" }),
  executable: one({ executable: "bun" }),
  executableArgs: one({ executableArgs: ["--smol"] }),
  extraArgs: flag(
    { extraArgs: { "replay-user-messages": null, "max-tokens": "5", odd: "-v" } },
    "--replay-user-messages",
    "--max-tokens",
    "5",
    "--odd=-v",
  ),
  cwd: one({ cwd: "/work" }),
  env: one({ env: { A: "1", HOME: undefined } }, { env: { A: "1", HOME: undefined } }),
  inheritEnv: [
    ...one({ inheritEnv: false }, { env: { PATH: undefined, HOME: undefined } }),
    ...one({ inheritEnv: ["PATH", "NONE"] }, { env: { HOME: undefined } }),
    ...one({ inheritEnv: true }),
  ],
  nested: one({ nested: "error" }),
  apiKey: variable({ apiKey: "sk-ant-key-1" }, { ANTHROPIC_API_KEY: "sk-ant-key-1" }),
  oauthToken: variable({ oauthToken: "oat-1" }, { CLAUDE_CODE_OAUTH_TOKEN: "oat-1" }),
  configDir: variable({ configDir: "/cfg" }, { CLAUDE_CONFIG_DIR: "/cfg" }),
  user: one({ user: "nobody" }),
  spawnClaudeCodeProcess: one({
    spawnClaudeCodeProcess: () => {
      throw new Error("never called");
    },
  }),
  onOldCli: one({ onOldCli: "warn" }),
  maxLineBytes: one({ maxLineBytes: 1024 }),
  closeGraceMs: one({ closeGraceMs: 0 }),

  signal: one({ signal: new AbortController().signal }),
  abortController: one({ abortController: new AbortController() }),
  timeouts: one({ timeouts: { bootMs: 1, totalMs: Number.POSITIVE_INFINITY } }),
  retry: [
    ...variable({ retry: { cliRetries: 0 } }, { CLAUDE_CODE_MAX_RETRIES: "0" }),
    ...variable({ retry: { apiTimeoutMs: 1500 } }, { API_TIMEOUT_MS: "1500" }),
    ...one({ retry: { attempts: 3, baseMs: 5, maxMs: 50, budgetMs: 500, afterTools: true } }),
  ],
  autoResume: [...one({ autoResume: 5 }), ...one({ autoResume: { times: 2, waitMs: 5 } })],
  maxRepairs: one({ maxRepairs: 1 }),
  recover: one({ recover: true }),
  renewWithinMs: one({ renewWithinMs: 10_000 }),
  pool: one({ pool: {} }),
  tenant: one({ tenant: "t" }),
  priority: one({ priority: -1 }),
};
