// An answer as partial messages, as the API sends them. The line of a block comes before the block's end.
import { print } from "./output.mjs";

export async function stream(message, blocks, stopReason, printBlock) {
  await tell({ type: "message_start", message: { ...message, content: [] } });
  for (const [index, block] of blocks.entries()) {
    const { start, deltas } = pieces(block);
    await tell({ type: "content_block_start", index, content_block: start });
    for (const delta of deltas) await tell({ type: "content_block_delta", index, delta });
    await printBlock(block);
    await tell({ type: "content_block_stop", index });
  }
  const delta = { stop_reason: stopReason, stop_sequence: null };
  await tell({ type: "message_delta", delta, usage: { input_tokens: 10, output_tokens: 5 } });
  await tell({ type: "message_stop" });

  function tell(event) {
    const api_message_id = message.id;
    return print({ type: "stream_event", event, parent_tool_use_id: null, api_message_id });
  }
}

function pieces(block) {
  if (block.type === "text") {
    const words = block.text.match(/\S*\s+|\S+/g) ?? [];
    const deltas = words.map((text) => ({ type: "text_delta", text }));
    return { start: { type: "text", text: "" }, deltas };
  }
  if (block.type === "thinking") {
    const { thinking, signature = "" } = block;
    return {
      start: { type: "thinking", thinking: "", signature: "" },
      deltas: [
        { type: "thinking_delta", thinking },
        { type: "signature_delta", signature },
      ],
    };
  }
  if (block.type !== "tool_use") return { start: block, deltas: [] };
  const partial_json = JSON.stringify(block.input);
  return {
    start: { ...block, input: {} },
    deltas: [{ type: "input_json_delta", partial_json }],
  };
}
