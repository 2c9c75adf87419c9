import type {
  AgentInfo,
  HostPayloads,
  InitializePayload,
  InterruptReceipt,
  McpServerStatus,
  PermissionBehavior,
  RewindReceipt,
  SlashCommand,
} from "../../wire/index.js";
import type { Official } from "./official.js";

export type SDKControlInitializeResponse = Official<
  InitializePayload,
  { output_style: string; available_output_styles: string[] }
>;

export type SDKControlInterruptResponse = Official<InterruptReceipt>;

export type SDKControlReadFileResponse = Official<HostPayloads["read_file"]>;

export type RewindFilesResult = Official<RewindReceipt>;

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

export type McpSetServersResult = Official<HostPayloads["mcp_set_servers"]>;

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

/** A problem in a settings file. */
export type SDKSettingsParseError = { file?: string; path: string; message: string };
