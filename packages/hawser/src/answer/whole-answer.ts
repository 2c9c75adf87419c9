import type { ContentBlock } from "../wire/index.js";
import type { Answer, AnswerEnd, AnswerStart, BlockDelta, WholeAnswer } from "./answer.js";

/** Collects the events of an answer. */
export async function wholeAnswer(answer: Answer): Promise<WholeAnswer> {
  let start: AnswerStart | undefined;
  let end: AnswerEnd | undefined;
  const content: ContentBlock[] = [];
  const inputs = new Map<number, string[]>();
  for await (const event of answer) {
    if (event.type === "start") start = event.message;
    else if (event.type === "end") end = event.end;
    else if (event.type === "block_start") content[event.index] = event.block;
    else if (event.type === "block_delta") {
      const { index, delta } = event;
      const pieces = inputs.get(index) ?? [];
      inputs.set(index, pieces);
      pieces.push(pieceOf(delta));
      if (delta.type === "signature_delta") {
        content[index] = { ...content[index], signature: delta.signature } as ContentBlock;
      }
    } else {
      const block = content[event.index];
      const text = (inputs.get(event.index) ?? []).join("");
      if (block !== undefined) content[event.index] = filled(block, text);
    }
  }
  if (start === undefined || end === undefined) throw new Error("The answer has no end.");
  return { ...start, ...end, content };
}

function pieceOf(delta: BlockDelta): string {
  switch (delta.type) {
    case "text_delta":
      return delta.text;
    case "thinking_delta":
      return delta.thinking;
    case "input_json_delta":
      return delta.partial_json;
    case "signature_delta":
      return "";
  }
}

function filled(block: ContentBlock, text: string): ContentBlock {
  if (block.type === "text") return { ...block, text: block.text + text };
  if (block.type === "thinking") return { ...block, thinking: block.thinking + text };
  // A call without input has no deltas, or empty ones.
  if (block.type === "tool_use" && text.trim() !== "") return { ...block, input: JSON.parse(text) };
  return block;
}
