import type { Completion } from "../complete/index.js";
import type { Usage } from "../wire/index.js";
import type { AnswerEvent, StopReason } from "./answer.js";

/** The stop reason that clients know for one of the API. */
export function stopReasonOf(reason: string): StopReason {
  if (reason === "model_context_window_exceeded") return "max_tokens";
  return STOP_REASONS.find((known) => known === reason) ?? "end_turn";
}

const STOP_REASONS: readonly StopReason[] = [
  "end_turn",
  "max_tokens",
  "stop_sequence",
  "tool_use",
  "pause_turn",
  "refusal",
];

/** The end of an answer whose call is complete. */
export function completedEnd(stopReason: StopReason, completion: Completion<unknown>): AnswerEvent {
  const { usage, costUsd } = completion;
  return {
    type: "end",
    end: { stopReason, stopSequence: undefined, usage, costUsd, completion },
  };
}

/** The end of an answer whose call is cut off, so that its cost is not known. */
export function endOf(
  stopReason: StopReason,
  usage: Usage = UNKNOWN_USAGE,
  stopSequence?: string,
): AnswerEvent {
  return {
    type: "end",
    end: { stopReason, stopSequence, usage, costUsd: undefined, completion: undefined },
  };
}

/** The formats of the clients have no way to say that the usage is not known. */
export const UNKNOWN_USAGE: Usage = { input_tokens: 0, output_tokens: 0 };

/** After these stop reasons, the CLI would ask the model to continue or to try again. An API client does not expect that. */
export const CLI_GOES_ON: ReadonlySet<string> = new Set([
  "max_tokens",
  "refusal",
  "model_context_window_exceeded",
  "pause_turn",
]);
