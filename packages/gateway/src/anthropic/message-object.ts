import type { Usage } from "hawser";
import type { AnswerEvent, WholeAnswer } from "hawser/answer";
import type { SseEvent } from "../http/sse.js";

/** An answer as the Messages API gives it without streaming. */
export function messageObject(answer: WholeAnswer): object {
  const { id, model, content, stopReason, stopSequence, usage } = answer;
  return {
    ...message(id, model),
    content,
    stop_reason: stopReason,
    stop_sequence: stopSequence ?? null,
    usage: usageObject(usage),
  };
}

/** The events of the Messages API for an event of the answer. */
export function* messageEvents(event: AnswerEvent): Iterable<SseEvent> {
  switch (event.type) {
    case "start": {
      const { id, model, usage } = event.message;
      const open = { content: [], stop_reason: null, stop_sequence: null };
      const started = { ...message(id, model), ...open, usage: usageObject(usage) };
      yield named("message_start", { message: started });
      return;
    }
    case "block_start":
      yield named("content_block_start", { index: event.index, content_block: event.block });
      return;
    case "block_delta":
      yield named("content_block_delta", { index: event.index, delta: event.delta });
      return;
    case "block_stop":
      yield named("content_block_stop", { index: event.index });
      return;
    case "end": {
      const { stopReason, stopSequence, usage } = event.end;
      const delta = {
        stop_reason: stopReason,
        stop_sequence: stopSequence ?? null,
        stop_details: null,
        container: null,
      };
      yield named("message_delta", { delta, usage: usageObject(usage) });
      yield named("message_stop", {});
    }
  }
}

/** A sign of life, which the clients skip. */
export const PING: SseEvent = named("ping", {});

function named(type: string, fields: object): SseEvent {
  return { event: type, data: JSON.stringify({ type, ...fields }) };
}

function message(id: string, model: string): object {
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    stop_details: null,
    container: null,
    diagnostics: null,
  };
}

/** The clients expect each of these fields. What is not known is null. */
function usageObject(usage: Usage): object {
  return {
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    cache_creation_input_tokens: usage.cache_creation_input_tokens ?? null,
    cache_read_input_tokens: usage.cache_read_input_tokens ?? null,
    cache_creation: usage.cache_creation ?? null,
    server_tool_use: null,
    service_tier: usage.service_tier ?? null,
    inference_geo: null,
    output_tokens_details: usage.output_tokens_details ?? null,
  };
}
