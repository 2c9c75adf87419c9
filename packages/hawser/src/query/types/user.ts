import type { UUID } from "node:crypto";
import type { MessageParam } from "./api/param.js";

type UserLine = {
  type: "user";
  message: MessageParam;
  parent_tool_use_id: string | null;
  /** Written by the CLI, not by a person. */
  isSynthetic?: boolean;
  /** The tool's own output, a shape per tool. */
  tool_use_result?: unknown;
  priority?: "now" | "next" | "later";
  origin?: SDKMessageOrigin;
  /** False appends to the conversation without a model call. */
  shouldQuery?: boolean;
  timestamp?: string;
  /** Taken literally. */
  client_composed?: true;
};

/** A prompt that the caller sends, or a tool result that the CLI sends. */
export type SDKUserMessage = UserLine & {
  uuid?: UUID;
  session_id?: string;
  agent_id?: string;
  subagent_type?: string;
  task_description?: string;
  pasted_content?: MessageParam["content"][];
  inline_pastes?: string[];
};

/** A prompt, or the output of a command, that the CLI sends back. */
export type SDKUserMessageReplay = UserLine & {
  uuid: UUID;
  session_id: string;
  isReplay: true;
  file_attachments?: unknown[];
};

/** Where a prompt comes from. */
export type SDKMessageOrigin =
  | { kind: "human" }
  | { kind: "channel"; server: string }
  | {
      kind: "peer";
      from: string;
      fromMode?: "bypass" | "prompting";
      name?: string;
      fromSession?: string;
      senderTaskId?: string;
      body?: string;
      verifiedPeerPid?: number;
    }
  | {
      kind: "task-notification";
      subkind?: "scheduled-trigger" | "peer-send-message" | "projects-relay" | "session-inbox";
      fireReason?: string;
      runId?: string;
    }
  | { kind: "coordinator" }
  | { kind: "unclassified" }
  | { kind: "observer"; from: string; senderTaskId: string }
  | { kind: "auto-continuation" }
  | { kind: "observer-activity" };
