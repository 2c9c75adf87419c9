// Code of a program that uses the official types.
import type { UUID } from "node:crypto";
import type {
  ModelUsage,
  Query,
  SDKAssistantMessage,
  SDKMessage,
  SDKResultMessage,
  SDKStatusMessage,
  SDKUserMessage,
} from "../../src/index.js";

export async function read(run: Query): Promise<string> {
  let session: string | undefined;
  for await (const message of run) {
    switch (message.type) {
      case "assistant":
        for (const block of message.message.content) {
          if (block.type === "text") print(block.text);
          else if (block.type === "tool_use") print(`${block.name} ${JSON.stringify(block.input)}`);
          else if (block.type === "thinking") print(block.thinking.length);
        }
        if (message.error === "rate_limit") return "limited";
        print(
          message.message.usage.input_tokens + (message.message.usage.cache_read_input_tokens ?? 0),
        );
        break;
      case "user":
        if (typeof message.message.content !== "string") {
          for (const block of message.message.content) {
            if (block.type === "tool_result") print(block.tool_use_id, block.is_error === true);
          }
        }
        break;
      case "stream_event":
        if (
          message.event.type === "content_block_delta" &&
          message.event.delta.type === "text_delta"
        ) {
          print(message.event.delta.text);
        }
        break;
      case "system":
        if (message.subtype === "init") {
          session = message.session_id;
          const tools: string[] = message.tools;
          print(
            tools.length,
            message.mcp_servers.filter((each) => each.status !== "connected"),
          );
        } else if (message.subtype === "compact_boundary") {
          print(message.compact_metadata.pre_tokens);
        } else if (message.subtype === "task_notification") {
          print(message.summary, message.usage?.total_tokens ?? 0);
        }
        break;
      case "result":
        print(session, message.total_cost_usd.toFixed(4), message.num_turns);
        return outcome(message);
    }
  }
  return "";
}

function outcome(message: SDKResultMessage): string {
  if (message.subtype === "success") {
    const text: string = message.result;
    return text;
  }
  const errors: string[] = message.errors;
  const why:
    | "error_during_execution"
    | "error_max_turns"
    | "error_max_budget_usd"
    | "error_max_structured_output_retries" = message.subtype;
  return `${why}: ${errors.join()}`;
}

export function isSuccess(message: SDKMessage): string | undefined {
  if (message.type === "result" && message.subtype === "success") return message.result;
  // @ts-expect-error: an error has no result
  if (message.type === "result" && message.subtype !== "success") return message.result;
  return undefined;
}

export const onlyText = (message: SDKAssistantMessage): string =>
  message.message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");

export function total(usage: Record<string, ModelUsage>): number {
  return Object.values(usage).reduce((sum, each) => sum + each.costUSD + each.contextWindow, 0);
}

export type Kinds = SDKMessage["type"];
export const known: Record<Extract<SDKMessage, { type: "result" }>["subtype"], number> = {
  success: 0,
  error_during_execution: 1,
  error_max_turns: 2,
  error_max_budget_usd: 3,
  error_max_structured_output_retries: 4,
};

export async function* prompts(id: UUID): AsyncGenerator<SDKUserMessage> {
  yield {
    type: "user",
    message: { role: "user", content: "hello" },
    parent_tool_use_id: null,
    session_id: "",
  };
  yield {
    type: "user",
    uuid: id,
    message: {
      role: "user",
      content: [
        { type: "text", text: "what is this?" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "" } },
      ],
    },
    parent_tool_use_id: null,
  };
}

// Fields are writable, and string unions are closed.
export function change(message: SDKStatusMessage): void {
  message.status = "compacting";
  // @ts-expect-error: there is no such status
  message.status = "sleeping";
}

// A message is plain data, so that it fits where any JSON object fits.
export const asData = (message: SDKMessage): Record<string, unknown> => message;

declare function print(...values: unknown[]): void;
