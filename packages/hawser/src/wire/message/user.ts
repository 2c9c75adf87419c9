import type { Open, Stamped } from "../open.js";
import type { ContentBlock } from "./content.js";

/** A tool result, text that the CLI has added itself, or a prompt that the CLI sends back. */
export interface UserMessage extends Stamped {
  readonly type: "user";
  readonly message: UserBody;
  /** For a message of a sub-agent: the Agent tool call that started the sub-agent. */
  readonly parent_tool_use_id: string | null;
  /**
   * The tool's own output, whose shape depends on the tool; a string "Error: …" if the tool failed.
   */
  readonly tool_use_result?: unknown;
  readonly tool_result_meta?: readonly ToolResultMeta[];
  /**
   * The CLI wrote the message. It also writes "[Request interrupted by user]", without this mark.
   */
  readonly isSynthetic?: boolean;
  /** The CLI repeats a prompt or the output of a command. */
  readonly isReplay?: boolean;
  readonly agent_id?: string;
  readonly subagent_type?: string;
  readonly task_description?: string;
  readonly origin?: unknown;
  readonly timestamp?: string;
}

/** A user message, as the Messages API has it. */
export interface UserBody {
  readonly role: "user";
  readonly content: string | readonly ContentBlock[];
}

/** How a tool call was decided, and why it did not run. */
export interface ToolResultMeta {
  /** The tool call's id. */
  readonly id: string;
  readonly permission_decision?: {
    readonly decision: Open<"accept" | "reject">;
    readonly source?: Open<"user_temporary" | "user_permanent" | "config" | "hook">;
    readonly reason_type?: Open<"rule" | "mode" | "hook">;
  };
  /** Why the tool never ran; absent if it ran. */
  readonly non_execution_kind?: Open<"permission-rule" | "user-rejected" | "cancelled">;
}
