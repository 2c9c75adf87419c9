import type { McpServerProvenance } from "../control/mcp.js";
import type { PermissionUpdate } from "../control/permission.js";
import type { BaseHookInput } from "./base-hook-input.js";

type ToolCall = {
  tool_name: string;
  tool_input: unknown;
  tool_use_id: string;
  /** Only for tools of MCP servers. */
  mcp_server?: McpServerProvenance;
};

/** A tool is about to run. */
export type PreToolUseHookInput = BaseHookInput & ToolCall & { hook_event_name: "PreToolUse" };

/** A tool has run. */
export type PostToolUseHookInput = BaseHookInput &
  ToolCall & {
    hook_event_name: "PostToolUse";
    tool_response: unknown;
    /** How long the tool ran, without permission and hooks. */
    duration_ms?: number;
  };

/** A tool has failed. */
export type PostToolUseFailureHookInput = BaseHookInput &
  ToolCall & {
    hook_event_name: "PostToolUseFailure";
    error: string;
    is_interrupt?: boolean;
    duration_ms?: number;
  };

/** All tool calls of one reply are done. */
export type PostToolBatchHookInput = BaseHookInput & {
  hook_event_name: "PostToolBatch";
  tool_calls: PostToolBatchToolCall[];
};

/** One tool call of a batch. */
export type PostToolBatchToolCall = {
  tool_name: string;
  tool_input: unknown;
  tool_use_id: string;
  tool_response?: unknown;
};

/** The CLI is about to ask for permission. */
export type PermissionRequestHookInput = BaseHookInput & {
  hook_event_name: "PermissionRequest";
  tool_name: string;
  tool_input: unknown;
  permission_suggestions?: PermissionUpdate[];
  mcp_server?: McpServerProvenance;
};

/** A tool call was denied. */
export type PermissionDeniedHookInput = BaseHookInput &
  ToolCall & { hook_event_name: "PermissionDenied"; reason: string };
