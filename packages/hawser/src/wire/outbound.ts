import type { ControlCancelRequest, ControlRequest, ControlResponse } from "./control/control.js";
import type { HostRequest } from "./control/host-request.js";
import type { StopReason } from "./message/assistant.js";
import type { ContentBlock, OtherBlock, Prompt } from "./message/content.js";
import type { KeepAlive } from "./message/event.js";
import type { Usage } from "./message/usage.js";
import type { JsonObject, Open } from "./open.js";

/** A message that the host may send. A message that the CLI cannot read ends its process. */
export type Outbound =
  | UserLine
  | AssistantLine
  | ControlRequest<HostRequest>
  | ControlResponse
  | ControlCancelRequest
  | KeepAlive;

/** A prompt, as a message to the CLI. */
export interface UserLine {
  readonly type: "user";
  readonly message: { readonly role: "user"; readonly content: Prompt };
  readonly parent_tool_use_id?: string | null;
  /** The CLI ignores this field. */
  readonly session_id?: string;
  /**
   * Without a `uuid`, the CLI does not report on the prompt, and it cannot be cancelled or rewound
   * to.
   */
  readonly uuid?: string;
  /** False appends the prompt to the conversation without a model call. */
  readonly shouldQuery?: boolean;
  /** The CLI takes the prompt literally. CLIs before 2.1.325's generation ignore this field. */
  readonly client_composed?: boolean;
  readonly priority?: Open<"now" | "next" | "later">;
}

/**
 * A reply to add to the history. The CLI accepts this message, but it is undocumented and unstable.
 */
export interface AssistantLine {
  readonly type: "assistant";
  readonly message: AssistantLineBody;
  readonly uuid?: string;
  readonly parent_tool_use_id?: string | null;
  /** The CLI ignores this field. */
  readonly session_id?: string;
}

/** The reply of an `AssistantLine`, as the Messages API has it. */
export interface AssistantLineBody {
  readonly role: "assistant";
  readonly content: readonly (ContentBlock | OtherBlock)[];
  /** The CLI joins replies with the same id. */
  readonly id?: string;
  readonly type?: "message";
  /** The CLI drops thinking of another model than that of the conversation. */
  readonly model?: string;
  readonly stop_reason?: StopReason | null;
  readonly stop_sequence?: string | null;
  readonly usage?: Usage;
}

/** Options of a user line. */
export interface UserLineOptions {
  readonly uuid?: string | undefined;
  /**
   * The CLI runs no slash command and reads no `@file`. This works with every version of the CLI.
   */
  readonly literal?: boolean | undefined;
  readonly shouldQuery?: boolean | undefined;
  readonly priority?: UserLine["priority"] | undefined;
}

export function userLine(prompt: Prompt, options: UserLineOptions = {}): UserLine {
  const { uuid, literal, shouldQuery, priority } = options;
  const blocks = typeof prompt === "string" ? [textBlock(prompt)] : prompt;
  return {
    type: "user",
    session_id: "",
    message: { role: "user", content: literal ? literally(blocks) : blocks },
    parent_tool_use_id: null,
    ...(uuid !== undefined && { uuid }),
    ...(shouldQuery !== undefined && { shouldQuery }),
    ...(priority !== undefined && { priority }),
  };
}

/** A reply for the history of a conversation with this model. Each reply needs a uuid of its own. */
export function assistantLine(
  content: AssistantLineBody["content"],
  { uuid, model }: { readonly uuid: string; readonly model: string },
): AssistantLine {
  const callsTool = content.some(({ type }) => type === "tool_use");
  return {
    type: "assistant",
    session_id: "",
    message: {
      id: `msg_${uuid.replaceAll("-", "")}`,
      type: "message",
      role: "assistant",
      model,
      content,
      stop_reason: callsTool ? "tool_use" : "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 0, output_tokens: 0 },
    },
    parent_tool_use_id: null,
    uuid,
  };
}

export function controlRequest<R extends HostRequest>(id: string, request: R): ControlRequest<R> {
  return { type: "control_request", request_id: id, request };
}

export function controlSuccess(id: string, payload?: object): ControlResponse {
  const response = payload === undefined ? {} : { response: payload as JsonObject };
  return {
    type: "control_response",
    response: { subtype: "success", request_id: id, ...response },
  };
}

export function controlFailure(id: string, error: string): ControlResponse {
  return { type: "control_response", response: { subtype: "error", request_id: id, error } };
}

/**
 * The CLI looks for commands and files only in the last block, if it is text. An empty text block
 * at the end protects the others, and the CLI drops it from the prompt.
 */
function literally(blocks: Exclude<Prompt, string>): Prompt {
  return [...blocks, textBlock("")];
}

function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}
