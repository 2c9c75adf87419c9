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

/** The CLI's answer to initialize: commands, models, agents and account. */
export type SDKControlInitializeResponse = Official<
  InitializePayload,
  { output_style: string; available_output_styles: string[] }
>;

/** The receipt of an interrupt: the prompts that still wait. */
export type SDKControlInterruptResponse = Official<InterruptReceipt>;

/** A file that the CLI has read. */
export type SDKControlReadFileResponse = Official<HostPayloads["read_file"]>;

/** Whether the files could be restored, and which files changed. */
export type RewindFilesResult = Official<RewindReceipt>;

/** The plugins after they were read again. */
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

/** The skills after they were read again. */
export type SDKControlReloadSkillsResponse = { skills: SlashCommand[] };

/** The output styles after they were read again. */
export type SDKControlReloadOutputStylesResponse = { available_output_styles: string[] };

/** The contents of a resource of an MCP server. */
export type SDKControlMcpReadResourceResponse = {
  contents: {
    uri: string;
    mimeType?: string;
    text?: string;
    blob?: string;
    _meta?: Record<string, unknown>;
  }[];
};

/** Which MCP servers were added and removed, and which failed. */
export type McpSetServersResult = Official<HostPayloads["mcp_set_servers"]>;

/** The permission rules that are in effect. */
export type SDKControlListPermissionRulesResponse = { state: SDKControlPermissionRulesState };

/** The permission rules and folders of a session. */
export type SDKControlPermissionRulesState = {
  rules: SDKPermissionRuleEntry[];
  workspaceDirectories: SDKPermissionWorkspaceDirectory[];
  originalCwd: string;
  managedOnly: boolean;
  errors?: SDKSettingsParseError[];
  withheld?: boolean;
};

/** One permission rule and where it is set. */
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

/** A permission rule described for a person. */
export type SDKPermissionRuleDescription = {
  prefix: string;
  emphasis?: string;
  suffix?: string;
};

/** A folder that the session may work in, and where it is set. */
export type SDKPermissionWorkspaceDirectory = { path: string; source: string };

/** A problem in a settings file. */
export type SDKSettingsParseError = { file?: string; path: string; message: string };
