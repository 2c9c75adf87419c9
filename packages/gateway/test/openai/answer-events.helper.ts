import type { AnswerEnd, AnswerEvent, StopReason } from "hawser/answer";

/** Events of an answer, as the engine gives them. */
export function answerOf(
  blocks: readonly (readonly AnswerEvent[])[],
  stopReason: StopReason = "end_turn",
  end: Partial<AnswerEnd> = {},
): readonly AnswerEvent[] {
  const usage = { input_tokens: 0, output_tokens: 0 };
  const numbered = blocks.flatMap((events, index) =>
    events.map((event) => ("index" in event ? { ...event, index } : event)),
  );
  return [
    { type: "start", message: { id: "msg_1", model: "claude-test", usage } },
    ...numbered,
    {
      type: "end",
      end: {
        stopReason,
        stopSequence: undefined,
        usage: {
          input_tokens: 10,
          output_tokens: 5,
          cache_read_input_tokens: 3,
          cache_creation_input_tokens: 2,
          output_tokens_details: { thinking_tokens: 4 },
        },
        costUsd: 0.5,
        completion: undefined,
        ...end,
      },
    },
  ];
}

export function textBlock(...pieces: readonly string[]): readonly AnswerEvent[] {
  return [
    { type: "block_start", index: 0, block: { type: "text", text: "" } },
    ...pieces.map((text) => ({ ...DELTA, delta: { type: "text_delta", text } }) as const),
    { type: "block_stop", index: 0 },
  ];
}

export function thinkingBlock(text: string, signature: string): readonly AnswerEvent[] {
  return [
    { type: "block_start", index: 0, block: { type: "thinking", thinking: "", signature: "" } },
    { ...DELTA, delta: { type: "thinking_delta", thinking: text } },
    { ...DELTA, delta: { type: "signature_delta", signature } },
    { type: "block_stop", index: 0 },
  ];
}

/** Without pieces, the block begins with the whole input. */
export function toolBlock(
  id: string,
  name: string,
  input: unknown,
  ...pieces: readonly string[]
): readonly AnswerEvent[] {
  return [
    { type: "block_start", index: 0, block: { type: "tool_use", id, name, input } },
    ...pieces.map(
      (json) => ({ ...DELTA, delta: { type: "input_json_delta", partial_json: json } }) as const,
    ),
    { type: "block_stop", index: 0 },
  ];
}

const DELTA = { type: "block_delta", index: 0 } as const;
