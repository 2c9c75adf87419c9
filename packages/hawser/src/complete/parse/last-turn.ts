import { type FailureContext, requestedDelayMs } from "../../session/index.js";
import {
  type AssistantMessage,
  isMessage,
  isSystem,
  type JsonObject,
  type Message,
  type ResultMessage,
} from "../../wire/index.js";

/** The turn of the last result, with the facts that its messages tell. */
export interface LastTurn extends FailureContext {
  readonly result: ResultMessage;
  /** The text of the model, independent of the result. */
  readonly said: string;
  readonly model: string | undefined;
}

export function findLastTurn(messages: readonly Message[]): LastTurn | undefined {
  const end = messages.findLastIndex(isAnyResult);
  const last = messages[end];
  if (last === undefined) return undefined;
  const result = toResult(last);
  const start = messages.slice(0, end).findLastIndex(isAnyResult) + 1;
  const turn = messages.slice(start, end);
  const answers = turn.filter((message) => isMessage(message, "assistant"));
  return {
    result,
    said: answers.map(assistantText).join(""),
    model: turn.findLast((message) => isSystem(message, "init"))?.model,
    apiError:
      answers.findLast(({ error }) => error !== undefined)?.error ?? errorNameFromText(result),
    rateLimit: turn.findLast((message) => isMessage(message, "rate_limit_event"))?.rate_limit_info,
    retryAfterMs: turn.reduce(
      (ms: number | undefined, message) =>
        (isSystem(message, "api_retry") ? requestedDelayMs(message) : undefined) ?? ms,
      undefined,
    ),
  };
}

/** Whether the message is a result, or the bare envelope of two fields that older programs read. */
function isAnyResult(message: Message): boolean {
  const { type, is_error, result } = message as JsonObject;
  if (type === "result") return is_error === undefined || typeof is_error === "boolean";
  return type === undefined && typeof is_error === "boolean" && typeof result === "string";
}

/** Completes a bare envelope to a result that has failed or succeeded. */
function toResult(message: Message): ResultMessage {
  const subtype =
    (message as JsonObject)["is_error"] === true ? "error_during_execution" : "success";
  return { subtype, is_error: false, ...message, type: "result" } as unknown as ResultMessage;
}

function assistantText({ message, error, parent_tool_use_id }: AssistantMessage): string {
  // Skip the text of an error, which is from the CLI, and of a sub-agent, which belongs to a tool call.
  if (error !== undefined || (parent_tool_use_id ?? null) !== null) return "";
  const content: unknown = message?.content;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks.map(blockText).join("");
}

function blockText(block: unknown): string {
  if (typeof block !== "object" || block === null || !("text" in block)) return "";
  return "type" in block && block.type === "text" && typeof block.text === "string"
    ? block.text
    : "";
}

/** The name of an API error, recognized by the text of a result that carries no code. */
function errorNameFromText({ is_error, result }: ResultMessage): string | undefined {
  if (!is_error || typeof result !== "string") return undefined;
  return ERROR_NAMES.find(([words]) => words.test(result))?.[1];
}

const ERROR_NAMES: readonly (readonly [RegExp, string])[] = [
  [/^(Not logged in|Invalid API key)\b/, "authentication_failed"],
  [/exceeded the \d+ output token maximum/, "max_output_tokens"],
];
