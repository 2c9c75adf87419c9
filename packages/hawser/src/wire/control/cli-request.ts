import type { HookInput } from "../hook/hook-input.js";
import type { JsonObject, Open } from "../open.js";
import type { UnknownRequest } from "./control.js";
import type { McpMessage, McpReply, McpServerProvenance } from "./mcp.js";
import type { PermissionUpdate } from "./permission.js";

/** A request of the CLI to the host. */
export type CliRequest =
  | CanUseToolRequest
  | HookCallbackRequest
  | McpMessageRequest
  | ElicitationRequest
  | UserDialogRequest
  | UnknownRequest;

/**
 * The CLI asks whether a tool may run. It asks only with `--permission-prompt-tool=stdio`, and
 * waits for the answer without a limit.
 */
export interface CanUseToolRequest {
  readonly subtype: "can_use_tool";
  readonly tool_name: string;
  readonly display_name?: string;
  readonly input: JsonObject;
  readonly description?: string;
  /** Most of these write a settings file if the answer returns them unchanged. */
  readonly permission_suggestions?: PermissionUpdate[];
  readonly blocked_path?: string;
  readonly tool_use_id: string;
  readonly agent_id?: string;
  readonly mcp_server?: McpServerProvenance;
  readonly title?: string;
  readonly decision_reason?: string;
  readonly decision_reason_type?: Open<
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
    | "other"
  >;
  readonly classifier_approvable?: boolean;
  /** Do not offer "don't ask again", because the rule would allow more than this call. */
  readonly suppress_always_allow_rule?: boolean;
  readonly default_to_no?: boolean;
  readonly matched_ask_rule?: {
    readonly source: string;
    readonly tool_name: string;
    readonly rule_content?: string;
  };
  readonly requires_user_interaction?: boolean;
  readonly server_policy_ask_only?: boolean;
}

/** The CLI calls a hook callback of the host. */
export interface HookCallbackRequest {
  readonly subtype: "hook_callback";
  readonly callback_id: string;
  readonly input: HookInput;
  /** A random id for events without a tool. */
  readonly tool_use_id?: string;
}

/**
 * A message of an in-process MCP server, in either direction. It may come before the answer to
 * `initialize`.
 */
export interface McpMessageRequest {
  readonly subtype: "mcp_message";
  readonly server_name: string;
  readonly message: McpMessage;
}

/** The payload that answers `mcp_message`. The CLI expects an answer to notifications too. */
export interface McpMessagePayload {
  readonly mcp_response: McpReply | { readonly jsonrpc: "2.0"; readonly result: JsonObject };
}

/** An MCP server asks the user a question. */
export interface ElicitationRequest {
  readonly subtype: "elicitation";
  readonly mcp_server_name: string;
  readonly message: string;
  readonly mode?: Open<"form" | "url">;
  readonly requested_schema?: JsonObject;
  readonly property_order?: readonly string[];
  readonly url?: string;
  readonly elicitation_id?: string;
  readonly title?: string;
  readonly display_name?: string;
  readonly description?: string;
}

/** The payload that answers `elicitation`. */
export type ElicitationResult = {
  action: "accept" | "decline" | "cancel";
  /** The fields that the user filled in; only with `accept`. */
  content?: Record<string, string | number | boolean | string[]> | undefined;
  _meta?: Record<string, unknown> | undefined;
  [field: string]: unknown;
};

/** The CLI asks the host to show a dialog. It asks only for the kinds in `supportedDialogKinds`. */
export interface UserDialogRequest {
  readonly subtype: "request_user_dialog";
  readonly dialog_kind: string;
  readonly payload: Record<string, unknown>;
  readonly tool_use_id?: string;
  readonly [field: string]: unknown;
}
