import type {
  AccountInfo,
  AgentInfo,
  McpServerStatus,
  ModelInfo,
  PermissionBehavior,
  SlashCommand,
} from "../../wire/index.js";
import type { FastModeDisabledReason, FastModeState } from "./model.js";

export type SDKControlInitializeResponse = {
  commands: SlashCommand[];
  agents: AgentInfo[];
  output_style: string;
  available_output_styles: string[];
  models: ModelInfo[];
  account: AccountInfo;
  hooks_applied?: boolean;
  hook_on_failure_supported?: boolean;
  plugins_applied?: boolean;
  sdk_mcp_manifests_parked?: Record<
    string,
    "parked" | "already_connected" | "protocol_version_mismatch" | "malformed" | "not_honoured"
  >;
  claude_code_version?: string;
  fast_mode_state?: FastModeState;
  fast_mode_disabled_reason?: FastModeDisabledReason;
};

export type SDKControlInterruptResponse = {
  /** Prompts that will still run. */
  still_queued: string[];
  cancelled?: string[];
};

export type SDKControlReadFileResponse = {
  contents: string;
  absPath: string;
  truncated?: boolean;
  encoding?: "base64";
  lossy?: boolean;
};

export type RewindFilesResult = {
  canRewind: boolean;
  error?: string;
  filesChanged?: string[];
  insertions?: number;
  deletions?: number;
  skippedLinks?: number;
};

export type SDKControlReloadPluginsResponse = {
  commands: SlashCommand[];
  agents: AgentInfo[];
  plugins: { name: string; path: string; source?: string; version?: string }[];
  mcpServers: McpServerStatus[];
  error_count: number;
  held?: boolean;
  cache_impact?: {
    mcp_servers_added: string[];
    mcp_servers_removed: string[];
    lsp_tool_change: "adds" | "may-add" | "removes" | "may-remove" | null;
  };
};

export type SDKControlReloadSkillsResponse = { skills: SlashCommand[] };

export type SDKControlReloadOutputStylesResponse = { available_output_styles: string[] };

export type SDKControlMcpReadResourceResponse = {
  contents: {
    uri: string;
    mimeType?: string;
    text?: string;
    blob?: string;
    _meta?: Record<string, unknown>;
  }[];
};

export type McpSetServersResult = {
  added: string[];
  removed: string[];
  /** Why a server failed, by name. */
  errors: Record<string, string>;
};

export type SDKControlListPermissionRulesResponse = { state: SDKControlPermissionRulesState };

export type SDKControlPermissionRulesState = {
  rules: SDKPermissionRuleEntry[];
  workspaceDirectories: SDKPermissionWorkspaceDirectory[];
  originalCwd: string;
  managedOnly: boolean;
  errors?: SDKSettingsParseError[];
  withheld?: boolean;
};

export type SDKPermissionRuleEntry = {
  behavior: PermissionBehavior;
  source:
    | "userSettings"
    | "projectSettings"
    | "localSettings"
    | "flagSettings"
    | "policySettings"
    | "cliArg"
    | "command"
    | "session"
    | "mcpMount"
    | "toolsNarrowing"
    | "mcpServerPolicy"
    | "hostCredential";
  rule: string;
  description?: SDKPermissionRuleDescription;
  editability: "persistent" | "session" | "readonly";
  notInEffect?: boolean;
};

export type SDKPermissionRuleDescription = {
  prefix: string;
  emphasis?: string;
  suffix?: string;
};

export type SDKPermissionWorkspaceDirectory = { path: string; source: string };

/** What is wrong with a settings file. */
export type SDKSettingsParseError = { file?: string; path: string; message: string };
