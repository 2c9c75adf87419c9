import type { AgentDefinition, HookEvent } from "../../options/index.js";
import type {
  HookInput,
  McpServerConfigForProcessTransport,
  McpServerProvenance,
  McpServerToolPolicy,
  PermissionMode,
  PermissionUpdate,
} from "../../wire/index.js";
import type { SdkPluginConfig } from "./option.js";

/** A request of either side. */
export type SDKControlRequest = {
  type: "control_request";
  request_id: string;
  request: { [S in keyof Requests]: { subtype: S } & Requests[S] }[keyof Requests];
};

export type SDKControlResponse = {
  type: "control_response";
  response:
    | ({ subtype: "success"; request_id: string; response?: Record<string, unknown> } & Pending)
    | ({ subtype: "error"; request_id: string; error: string } & Pending);
};

/** Requests of the CLI that still wait; on the answer to `initialize`. */
type Pending = {
  pending_permission_requests?: SDKControlRequest[];
  pending_user_dialog_requests?: SDKControlRequest[];
  pending_elicitation_requests?: SDKControlRequest[];
};

type None = Record<never, never>;

/** The fields of each request beside its subtype. */
type Requests = {
  can_use_tool: PermissionRequest;
  hook_callback: { callback_id: string; input: HookInput; tool_use_id?: string };
  mcp_message: { server_name: string; message: JsonRpcMessage };
  elicitation: ElicitationAsked;
  request_user_dialog: {
    dialog_kind: string;
    payload: Record<string, unknown>;
    tool_use_id?: string;
  };
  initialize: InitializeFields;
  interrupt: { cancel_queued?: boolean };
  set_permission_mode: { mode: PermissionMode };
  set_model: { model?: string | null };
  set_max_thinking_tokens: {
    max_thinking_tokens?: number | null;
    thinking_display?: "summarized" | "omitted" | "highlights" | null;
  };
  rename_session: { title: string; source?: "remote" | "host"; session_id?: string };
  set_color: { color: string };
  mcp_status: { liveReply?: boolean };
  get_context_usage: { detail?: "summary" | "full" };
  get_session_cost: None;
  list_models: None;
  get_usage: { skip_behaviors?: boolean };
  get_binary_version: None;
  mcp_call: McpCall;
  file_suggestions: { query: string };
  rewind_files: { user_message_id: string; dry_run?: boolean };
  cancel_async_message: { message_uuid: string };
  read_file: { path: string; max_bytes?: number; encoding?: "utf-8" | "base64" };
  seed_read_state: { path: string; mtime: number };
  mcp_set_servers: { servers: Record<string, McpServerConfigForProcessTransport> };
  register_repo_root: {
    directory: string;
    reload_claude_md?: boolean;
    reload_plugins?: boolean;
    reload_skills?: boolean;
  };
  reload_plugins: {
    hold_on_cache_impact?: boolean;
    add_plugins?: SdkPluginConfig[];
    refuse_if_busy?: boolean;
  };
  reload_skills: None;
  reload_output_styles: None;
  mcp_reconnect: { serverName: string };
  mcp_toggle: { serverName: string; enabled: boolean };
  set_has_subscribers: { has_subscribers: boolean | null };
  stop_task: { task_id: string };
  background_tasks: { tool_use_id?: string };
  get_task_output: { task_id: string };
  apply_flag_settings: { settings: Record<string, unknown> };
  get_settings: None;
  get_hooks_listing: None;
  update_settings: {
    source: "localSettings" | "userSettings";
    settings: Record<string, unknown>;
  };
  list_permission_rules: None;
  mcp_read_resource: { serverName: string; uri: string };
};

type PermissionRequest = {
  tool_name: string;
  mcp_server?: McpServerProvenance;
  input: Record<string, unknown>;
  permission_suggestions?: PermissionUpdate[];
  blocked_path?: string;
  decision_reason?: string;
  decision_reason_type?:
    | "rule"
    | "mode"
    | "subcommandResults"
    | "permissionPromptTool"
    | "hook"
    | "asyncAgent"
    | "sandboxOverride"
    | "workingDir"
    | "safetyCheck"
    | "classifier"
    | "other";
  classifier_approvable?: boolean;
  suppress_always_allow_rule?: boolean;
  default_to_no?: boolean;
  matched_ask_rule?: { source: string; tool_name: string; rule_content?: string };
  title?: string;
  display_name?: string;
  tool_use_id: string;
  agent_id?: string;
  description?: string;
  requires_user_interaction?: boolean;
};

type ElicitationAsked = {
  mcp_server_name: string;
  message: string;
  mode?: "form" | "url";
  url?: string;
  elicitation_id?: string;
  requested_schema?: Record<string, unknown>;
  property_order?: string[];
  title?: string;
  display_name?: string;
  description?: string;
};

type JsonRpcMessage =
  | { jsonrpc: "2.0"; id: string | number; method: string; params?: JsonRpcBody | undefined }
  | { jsonrpc: "2.0"; method: string; params?: JsonRpcBody | undefined }
  | { jsonrpc: "2.0"; id: string | number; result: JsonRpcBody }
  | {
      jsonrpc: "2.0";
      id?: string | number | undefined;
      error: { code: number; message: string; data?: unknown };
    };

type JsonRpcBody = { [field: string]: unknown };

type McpCall = {
  tool: string;
  arguments?: Record<string, unknown>;
  expires_at?: string;
  timeout_ms?: number;
  result_not_for_model?: boolean;
  check_permissions?: boolean;
  input_files?: { name: string; lane_path: string }[];
  output_files?: { name: string; lane_path: string; if_match?: string }[];
};

type InitializeFields = {
  hooks?: Partial<
    Record<
      HookEvent,
      {
        matcher?: string;
        hookCallbackIds: string[];
        timeout?: number;
        onFailure?: "continue" | "block";
      }[]
    >
  >;
  sdkMcpServers?: string[];
  sdkMcpServerConfigs?: Record<string, { timeout?: number; tools?: McpServerToolPolicy[] }>;
  sdkMcpServerManifests?: Record<
    string,
    { initializeResult: Record<string, unknown>; toolsListResult?: Record<string, unknown> }
  >;
  sdkMcpServerManifestsOrigin?: "host_per_send";
  jsonSchema?: Record<string, unknown>;
  systemPrompt?: string[];
  appendSystemPrompt?: string;
  systemPromptSnapshot?: boolean;
  planModeInstructions?: string;
  toolAliases?: Record<string, string>;
  excludeDynamicSections?: boolean;
  agents?: Record<string, AgentDefinition>;
  title?: string;
  skills?: string[];
  promptSuggestions?: boolean;
  agentProgressSummaries?: boolean;
  forwardSubagentText?: boolean;
  supportedDialogKinds?: string[];
  perTaskStopAffordance?: boolean;
  plugins?: SdkPluginConfig[];
};
