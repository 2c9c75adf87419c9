import type { ControlCancelRequest, ControlRequest, ControlResponse } from "../control/control.js";
import type { JsonObject, UnknownWord } from "../open.js";
import type { AssistantMessage } from "./assistant.js";
import type {
  AuthStatus,
  CommandLifecycle,
  ConversationReset,
  KeepAlive,
  PromptSuggestion,
  RateLimitEvent,
  ToolProgress,
  ToolUseSummary,
  TranscriptMirror,
} from "./event.js";
import type { HostNotice } from "./host-notice.js";
import type { ResultMessage } from "./result.js";
import type { StreamEvent } from "./stream-event.js";
import type { SystemMessage, SystemMessages } from "./system.js";
import type { UserMessage } from "./user.js";

/**
 * Every line of the CLI, control frames included. `message.type === "assistant"` narrows to one type. A newer
 * CLI may send a type that is not listed here: such a message is handed on as it came, as `UnknownMessage`.
 */
export type Message = Messages[keyof Messages] | UnknownMessage;

/** The messages of the CLI, by type. `hawser` is a notice of this library. */
export interface Messages {
  assistant: AssistantMessage;
  user: UserMessage;
  result: ResultMessage;
  system: SystemMessage;
  stream_event: StreamEvent;
  tool_progress: ToolProgress;
  command_lifecycle: CommandLifecycle;
  conversation_reset: ConversationReset;
  prompt_suggestion: PromptSuggestion;
  transcript_mirror: TranscriptMirror;
  keep_alive: KeepAlive;
  rate_limit_event: RateLimitEvent;
  auth_status: AuthStatus;
  tool_use_summary: ToolUseSummary;
  control_request: ControlRequest;
  control_response: ControlResponse;
  control_cancel_request: ControlCancelRequest;
  hawser: HostNotice;
}

/** A message of a type that hawser does not know, or without a type. */
export interface UnknownMessage extends JsonObject {
  readonly type?: UnknownWord;
}

/**
 * Whether a message has this type; the same as `message.type === type`, as a function for `filter()`.
 *
 * @example
 * ```ts
 * if (isMessage(message, "assistant")) console.log(message.message.content);
 * ```
 */
export function isMessage<T extends keyof Messages>(
  message: Message,
  type: T,
): message is Messages[T] {
  return message.type === type;
}

/** Whether a message is the result that ends a turn. */
export function isResult(message: Message): message is ResultMessage {
  return message.type === "result";
}

/** Whether a message is a notice of the CLI (`type: "system"`). */
export function isSystem(message: Message): message is SystemMessage;
/** Whether a message is a notice of the CLI with this subtype. */
export function isSystem<S extends keyof SystemMessages>(
  message: Message,
  subtype: S,
): message is SystemMessages[S];
export function isSystem(message: Message, subtype?: string): boolean {
  if (!isMessage(message, "system")) return false;
  return subtype === undefined || message.subtype === subtype;
}
