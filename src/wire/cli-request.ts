import type { UnknownRequest } from "./control.js";
import type { McpMessage, McpReply } from "./mcp.js";
import type { JsonObject, Open } from "./open.js";
import type { PermissionMode, PermissionUpdate } from "./permission.js";

/** What the CLI asks of the host. */
export type CliRequest =
  | CanUseToolRequest
  | HookCallbackRequest
  | McpMessageRequest
  | ElicitationRequest
  | UserDialogRequest
  | UnknownRequest;

/** Only with `--permission-prompt-tool=stdio`; waits for its answer without a limit. */
export interface CanUseToolRequest {
  readonly subtype: "can_use_tool";
  readonly tool_name: string;
  readonly display_name?: string;
  readonly input: JsonObject;
  readonly description?: string;
  /** Sent back unchanged, most of them write a settings file. */
  readonly permission_suggestions?: readonly PermissionUpdate[];
  readonly blocked_path?: string;
  readonly tool_use_id: string;
  readonly agent_id?: string;
  readonly mcp_server?: { readonly name: string; readonly source?: string };
  readonly decision_reason?: string;
  readonly decision_reason_type?: string;
  readonly requires_user_interaction?: boolean;
  readonly server_policy_ask_only?: boolean;
}

export interface HookCallbackRequest {
  readonly subtype: "hook_callback";
  readonly callback_id: string;
  readonly input: HookInput;
  /** A random id for events without a tool. */
  readonly tool_use_id?: string;
}

/** What every hook is told; the rest depends on the event. */
export interface HookInput {
  readonly hook_event_name: string;
  readonly session_id: string;
  readonly transcript_path: string;
  readonly cwd: string;
  readonly prompt_id?: string;
  readonly permission_mode?: PermissionMode;
  readonly agent_id?: string;
  readonly agent_type?: string;
  readonly [field: string]: unknown;
}

/** The payload that answers `hook_callback`; an empty one is "no opinion". */
export interface HookOutput {
  readonly continue?: boolean;
  readonly stopReason?: string;
  readonly suppressOutput?: boolean;
  readonly systemMessage?: string;
  readonly decision?: "approve" | "block";
  readonly reason?: string;
  readonly hookSpecificOutput?: JsonObject & { readonly hookEventName: string };
  readonly async?: boolean;
  readonly asyncTimeout?: number;
}

/** MCP traffic of an in-process server, both ways; may come before the answer to `initialize`. */
export interface McpMessageRequest {
  readonly subtype: "mcp_message";
  readonly server_name: string;
  readonly message: McpMessage;
}

/** The payload that answers `mcp_message`; owed for notifications too. */
export interface McpMessagePayload {
  readonly mcp_response: McpReply | { readonly jsonrpc: "2.0"; readonly result: JsonObject };
}

export interface ElicitationRequest {
  readonly subtype: "elicitation";
  readonly mcp_server_name: string;
  readonly message: string;
  readonly mode?: Open<"form" | "url">;
  readonly requested_schema?: JsonObject;
  readonly property_order?: readonly string[];
  readonly url?: string;
  readonly elicitation_id?: string;
}

/** The payload that answers `elicitation`. */
export interface ElicitationResult {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: JsonObject;
}

/** Only for kinds declared in `supportedDialogKinds`. */
export interface UserDialogRequest {
  readonly subtype: "request_user_dialog";
  readonly [field: string]: unknown;
}
