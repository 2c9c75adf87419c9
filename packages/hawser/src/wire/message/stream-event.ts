import type { Stamped, UnknownWord } from "../open.js";
import type { AssistantBody, StopReason } from "./assistant.js";
import type { ContentBlock } from "./content.js";
import type { Usage } from "./usage.js";

/** A raw event of the Messages API; only with partial messages switched on. */
export interface StreamEvent extends Stamped {
  readonly type: "stream_event";
  readonly event: ApiEvent;
  readonly parent_tool_use_id: string | null;
  readonly api_message_id?: string;
  /** Only on `message_start`, like the fields below. */
  readonly ttft_ms?: number;
  readonly user_message_uuid?: string;
  readonly user_message_uuids?: readonly string[];
  readonly resume_reason?: string;
}

export type ApiEvent =
  | MessageStart
  | ContentBlockStart
  | ContentBlockDelta
  | ContentBlockStop
  | MessageDelta
  | MessageStop
  | UnknownApiEvent;

export interface MessageStart {
  readonly type: "message_start";
  readonly message: AssistantBody;
}

export interface ContentBlockStart {
  readonly type: "content_block_start";
  readonly index: number;
  readonly content_block: ContentBlock;
}

export interface ContentBlockDelta {
  readonly type: "content_block_delta";
  readonly index: number;
  readonly delta: BlockDelta;
}

/** Comes after the complete `assistant` line of its block. */
export interface ContentBlockStop {
  readonly type: "content_block_stop";
  readonly index: number;
}

export interface MessageDelta {
  readonly type: "message_delta";
  readonly delta: {
    readonly stop_reason: StopReason | null;
    readonly stop_sequence: string | null;
  };
  readonly usage: Partial<Usage>;
}

export interface MessageStop {
  readonly type: "message_stop";
}

/** An event of a type that is not known here. */
export interface UnknownApiEvent {
  readonly type: UnknownWord;
  readonly [field: string]: unknown;
}

export type BlockDelta =
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "thinking_delta"; readonly thinking: string }
  | { readonly type: "signature_delta"; readonly signature: string }
  | { readonly type: "input_json_delta"; readonly partial_json: string }
  | { readonly type: "citations_delta"; readonly citation: unknown }
  | { readonly type: UnknownWord; readonly [field: string]: unknown };
