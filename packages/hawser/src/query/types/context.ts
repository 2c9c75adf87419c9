import type { ModelUsage } from "../../wire/index.js";

/** The contents of the context window, as a reply reports them. */
export type SDKContextUsage = {
  model: string;
  total_tokens: number;
  raw_max_tokens: number;
  percentage: number;
  over_limit?: { tokens_over: number; kind: "hard_limit" | "compaction_window" };
  categories: SDKContextUsageCategory[];
  mcp_tools: { name: string; server_name: string; tokens: number }[];
  memory_files: { path: string; type: string; tokens: number }[];
  agents: { agent_type: string; source: string; tokens: number }[];
  skills?: { name: string; source: string; plugin_name?: string; tokens: number }[];
};

/** A part of the context window, for example the system prompt or the messages. */
export type SDKContextUsageCategory = {
  name: string;
  tokens: number;
  kind: ContextKind;
};

type ContextKind = "used" | "free" | "buffer" | "deferred";

/** The contents of the context window: the answer to `getContextUsage`. */
export type SDKControlGetContextUsageResponse = {
  categories: {
    id?:
      | "system_prompt"
      | "system_tools"
      | "mcp_tools"
      | "mcp_instructions"
      | "mcp_tools_deferred"
      | "system_tools_deferred"
      | "custom_agents"
      | "memory_files"
      | "skills"
      | "messages"
      | "autocompact_buffer"
      | "compact_buffer"
      | "free_space";
    name: string;
    tokens: number;
    color: string;
    isDeferred?: boolean;
    kind: ContextKind;
  }[];
  totalTokens: number;
  maxTokens: number;
  rawMaxTokens: number;
  percentage: number;
  gridRows: {
    color: string;
    isFilled: boolean;
    categoryName: string;
    tokens: number;
    percentage: number;
    squareFullness: number;
  }[][];
  model: string;
  memoryFiles: { path: string; type: string; tokens: number }[];
  mcpTools: { name: string; serverName: string; tokens: number; isLoaded?: boolean }[];
  mcpInstructions?: { serverName: string; tokens: number }[];
  deferredBuiltinTools?: (Counted & { isLoaded: boolean })[];
  systemTools?: Counted[];
  systemPromptSections?: Counted[];
  agents: {
    agentType: string;
    source: string;
    pluginId?: string;
    path?: string;
    tokens: number;
  }[];
  slashCommands?: { totalCommands: number; includedCommands: number; tokens: number };
  skills?: {
    totalSkills: number;
    includedSkills: number;
    tokens: number;
    skillFrontmatter: (Counted & {
      source: string;
      pluginName?: string;
      pluginId?: string;
      path?: string;
    })[];
  };
  autoCompactThreshold?: number;
  isAutoCompactEnabled: boolean;
  messageBreakdown?: {
    toolCallTokens: number;
    toolResultTokens: number;
    attachmentTokens: number;
    assistantMessageTokens: number;
    userMessageTokens: number;
    redirectedContextTokens: number;
    unattributedTokens: number;
    toolCallsByType: { name: string; callTokens: number; resultTokens: number }[];
    attachmentsByType: Counted[];
  };
  apiUsage: {
    input_tokens: number;
    output_tokens: number;
    cache_creation_input_tokens: number;
    cache_read_input_tokens: number;
  } | null;
};

type Counted = { name: string; tokens: number };

type SessionTotals = {
  total_cost_usd: number;
  total_api_duration_ms: number;
  total_duration_ms: number;
  total_lines_added: number;
  total_lines_removed: number;
  model_usage: Record<string, ModelUsage>;
};

type ExtraUsage = {
  is_enabled: boolean;
  monthly_limit: number | null;
  used_credits: number | null;
  utilization: number | null;
  currency?: string | null;
};

/** The usage of the session and the account, as a reply reports it. */
export type SDKUsageReport = {
  session: SessionTotals;
  rate_limits: {
    limits:
      | {
          kind: string;
          group: string;
          percent: number;
          resets_at: string | null;
          scope?: {
            model?: { display_name: string } | null;
            surface?: { display_name: string } | null;
          } | null;
          severity: string;
          is_active: boolean;
        }[]
      | null;
    extra_usage?: ExtraUsage | null;
  } | null;
};

/** The usage of the session and the account: the answer to a request. Unstable. */
export type SDKControlGetUsageResponse = {
  session: SessionTotals;
  subscription_type: string | null;
  rate_limits_available: boolean;
  rate_limits: {
    five_hour?: UsageWindow | null;
    seven_day?: UsageWindow | null;
    seven_day_oauth_apps?: UsageWindow | null;
    seven_day_opus?: UsageWindow | null;
    seven_day_sonnet?: UsageWindow | null;
    model_scoped?: (UsageWindow & { display_name: string })[];
    extra_usage?: ExtraUsage | null;
  } | null;
  behaviors: { day: UsageHabits; week: UsageHabits } | null;
};

type UsageWindow = { utilization: number | null; resets_at: string | null };

type UsageHabits = {
  request_count: number;
  session_count: number;
  behaviors: {
    key:
      | "cache_miss"
      | "long_context"
      | "subagent_heavy"
      | "high_parallel"
      | "cron"
      | "max_effort"
      | "workflow"
      | "always_on_context"
      | "large_tool_results";
    pct: number;
    count: number;
  }[];
  recommendations?: { key: string; pct: number; title: string; detail?: string }[];
  fix?: { keys: string[]; messages: string[] };
  agents: Share[];
  skills: Share[];
  plugins: Share[];
  mcp_servers: Share[];
};

type Share = { name: string; pct: number };
