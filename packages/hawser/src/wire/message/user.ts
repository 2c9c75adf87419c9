import type { Open, Stamped } from "../open.js";
import type { ContentBlock } from "./content.js";

/** A tool result, text that the CLI has added itself, or a prompt that the CLI sends back. */
export interface UserMessage extends Stamped {
  readonly type: "user";
  readonly message: UserBody;
  /** The Agent tool call this comes from, when it belongs to a sub-agent. */
  readonly parent_tool_use_id: string | null;
  /** The tool's own output, a shape per tool; a string "Error: …" when it failed. */
  readonly tool_use_result?: unknown;
  readonly tool_result_meta?: readonly ToolResultMeta[];
  /** Written by the CLI. "[Request interrupted by user]" is too, but is not marked. */
  readonly isSynthetic?: boolean;
  /** The CLI repeats a prompt or the output of a command; it is not new. */
  readonly isReplay?: boolean;
  readonly agent_id?: string;
  readonly subagent_type?: string;
  readonly task_description?: string;
  readonly origin?: unknown;
  readonly timestamp?: string;
}

export interface UserBody {
  readonly role: "user";
  readonly content: string | readonly ContentBlock[];
}

export interface ToolResultMeta {
  /** The tool call's id. */
  readonly id: string;
  readonly permission_decision?: {
    readonly decision: Open<"accept" | "reject">;
    readonly source?: Open<"user_temporary" | "user_permanent" | "config" | "hook">;
    readonly reason_type?: Open<"rule" | "mode" | "hook">;
  };
  /** Why the tool never ran; absent when it ran. */
  readonly non_execution_kind?: Open<"permission-rule" | "user-rejected" | "cancelled">;
}
