import type { Completion } from "../complete/index.js";
import type { ContentBlock, Usage } from "../wire/index.js";

/** Why an answer ended, in the terms of the Messages API. */
export type StopReason =
  | "end_turn"
  | "max_tokens"
  | "stop_sequence"
  | "tool_use"
  | "pause_turn"
  | "refusal";

/** The beginning of an answer. */
export interface AnswerStart {
  /** `msg_…`, unique for each answer. */
  readonly id: string;
  /** The model that answers, as the CLI names it. */
  readonly model: string;
  readonly usage: Usage;
}

/** A piece of a block. */
export type BlockDelta =
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "thinking_delta"; readonly thinking: string }
  | { readonly type: "signature_delta"; readonly signature: string }
  | { readonly type: "input_json_delta"; readonly partial_json: string };

/**
 * The parts of an answer as they arrive. There is one `start`, then the blocks one after the other with the
 * indices 0, 1, 2 …, then one `end`. An answer that fails throws in place of `end`.
 */
export type AnswerEvent =
  | { readonly type: "start"; readonly message: AnswerStart }
  | { readonly type: "block_start"; readonly index: number; readonly block: ContentBlock }
  | { readonly type: "block_delta"; readonly index: number; readonly delta: BlockDelta }
  | { readonly type: "block_stop"; readonly index: number }
  | { readonly type: "end"; readonly end: AnswerEnd };

/** The end of an answer. */
export interface AnswerEnd {
  readonly stopReason: StopReason;
  /** The stop sequence that ended the answer. */
  readonly stopSequence: string | undefined;
  readonly usage: Usage;
  /** `undefined` if it is not known. */
  readonly costUsd: number | undefined;
  /** The outcome of the call, for metadata; `undefined` if the call was cut off on purpose. */
  readonly completion: Completion<unknown> | undefined;
}

/** An answer that is read once. A reader that stops early ends the work of the model. */
export type Answer = AsyncIterable<AnswerEvent>;

/** A whole answer. */
export interface WholeAnswer extends AnswerStart, AnswerEnd {
  readonly content: readonly ContentBlock[];
}
