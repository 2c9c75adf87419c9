import type { Stamped, UnknownWord } from "../open.js";
import type { AssistantBody, StopReason } from "./assistant.js";
import type { ContentBlock } from "./content.js";
import type { Usage } from "./usage.js";

/**
 * A raw stream event of the Messages API. The CLI sends it only with `--include-partial-messages`.
 */
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

/** A stream event of the Messages API. */
export type ApiEvent =
  | MessageStart
  | ContentBlockStart
  | ContentBlockDelta
  | ContentBlockStop
  | MessageDelta
  | MessageStop
  | UnknownApiEvent;

/** The start of a reply. */
export interface MessageStart {
  readonly type: "message_start";
  readonly message: AssistantBody;
}

/** The start of a content block. */
export interface ContentBlockStart {
  readonly type: "content_block_start";
  readonly index: number;
  readonly content_block: ContentBlock;
}

/** A piece of a content block. */
export interface ContentBlockDelta {
  readonly type: "content_block_delta";
  readonly index: number;
  readonly delta: BlockDelta;
}

/** The end of a content block. It comes after the complete `assistant` message of its block. */
export interface ContentBlockStop {
  readonly type: "content_block_stop";
  readonly index: number;
}

/** The stop reason and the usage, at the end of a reply. */
export interface MessageDelta {
  readonly type: "message_delta";
  readonly delta: {
    readonly stop_reason: StopReason | null;
    readonly stop_sequence: string | null;
  };
  readonly usage: Partial<Usage>;
}

/** The end of a reply. */
export interface MessageStop {
  readonly type: "message_stop";
}

/** A stream event of a type that hawser does not describe. */
export interface UnknownApiEvent {
  readonly type: UnknownWord;
  readonly [field: string]: unknown;
}

/** The new piece of a content block. */
export type BlockDelta =
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "thinking_delta"; readonly thinking: string }
  | { readonly type: "signature_delta"; readonly signature: string }
  | { readonly type: "input_json_delta"; readonly partial_json: string }
  | { readonly type: "citations_delta"; readonly citation: unknown }
  | { readonly type: UnknownWord; readonly [field: string]: unknown };
