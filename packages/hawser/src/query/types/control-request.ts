import type { AgentDefinition, HookEvent } from "../../options/index.js";
import type {
  CanUseToolRequest,
  ElicitationRequest,
  HookCallbackRequest,
  HostRequestFields,
  HostSubtype,
  InitializeRequest,
  McpServerConfigForProcessTransport,
  McpServerToolPolicy,
  PermissionMode,
  UserDialogRequest,
} from "../../wire/index.js";
import type { Official } from "./official.js";
import type { SdkPluginConfig } from "./option.js";

/** A request of either side. */
export type SDKControlRequest = {
  type: "control_request";
  request_id: string;
  request:
    | Official<CanUseToolRequest>
    | Official<HookCallbackRequest>
    | Official<ElicitationRequest>
    | Official<UserDialogRequest>
    | Official<InitializeRequest, InitializeFields>
    | { [S in SameSubtype]: { subtype: S } & Official<HostRequestFields[S]> }[SameSubtype]
    | { [S in keyof Differing]: { subtype: S } & Differing[S] }[keyof Differing];
};

/** The answer to a control request. */
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

/** Requests that the official SDK does not declare. */
type Undeclared =
  | "set_mcp_permission_mode_override"
  | "side_question"
  | "end_session"
  | "claim_session"
  | "set_cwd";

type SameSubtype = Exclude<HostSubtype, keyof Differing | Undeclared>;

/** Requests that the official SDK declares in another way than the wire. */
type Differing = {
  mcp_message: { server_name: string; message: JsonRpcMessage };
  set_permission_mode: { mode: PermissionMode };
  set_max_thinking_tokens: Partial<Official<HostRequestFields["set_max_thinking_tokens"]>>;
  mcp_call: McpCall;
  mcp_set_servers: { servers: Record<string, McpServerConfigForProcessTransport> };
  reload_plugins: {
    hold_on_cache_impact?: boolean;
    add_plugins?: SdkPluginConfig[];
    refuse_if_busy?: boolean;
  };
  set_has_subscribers: { has_subscribers: boolean | null };
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

/** The fields of `initialize` that the official SDK declares in another way than the wire. */
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
  sdkMcpServerConfigs?: Record<string, { timeout?: number; tools?: McpServerToolPolicy[] }>;
  sdkMcpServerManifests?: Record<
    string,
    { initializeResult: Record<string, unknown>; toolsListResult?: Record<string, unknown> }
  >;
  sdkMcpServerManifestsOrigin?: "host_per_send";
  agents?: Record<string, AgentDefinition>;
  plugins?: SdkPluginConfig[];
};
