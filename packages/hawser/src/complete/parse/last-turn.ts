import { askedToWait, type Circumstances } from "../../session/index.js";
import {
  type AssistantMessage,
  isMessage,
  isSystem,
  type Message,
  type ResultMessage,
  type UnknownMessage,
} from "../../wire/index.js";

/** The turn that the last result ended, and what its messages say of it. */
export interface LastTurn extends Circumstances {
  readonly result: ResultMessage;
  /** The words of the model, whatever the result makes of them. */
  readonly said: string;
  readonly model: string | undefined;
}

export function findLastTurn(messages: readonly Message[]): LastTurn | undefined {
  const end = messages.findLastIndex(isAnyResult);
  const last = messages[end];
  if (last === undefined) return undefined;
  const result = wholeResult(last);
  const start = messages.slice(0, end).findLastIndex(isAnyResult) + 1;
  const turn = messages.slice(start, end);
  const answers = turn.filter((message) => isMessage(message, "assistant"));
  return {
    result,
    said: answers.map(textOfAnswer).join(""),
    model: turn.findLast((message) => isSystem(message, "init"))?.model,
    apiError: answers.findLast(({ error }) => error !== undefined)?.error ?? nameByWords(result),
    rateLimit: turn.findLast((message) => isMessage(message, "rate_limit_event"))?.rate_limit_info,
    retryAfterMs: turn.reduce(
      (ms: number | undefined, message) =>
        (isSystem(message, "api_retry") ? askedToWait(message) : undefined) ?? ms,
      undefined,
    ),
  };
}

/** The CLI's result, or an envelope of the two fields that older programs look for. */
function isAnyResult(message: Message): boolean {
  const { type, is_error, result } = message as UnknownMessage;
  if (type === "result") return is_error === undefined || typeof is_error === "boolean";
  return type === undefined && typeof is_error === "boolean" && typeof result === "string";
}

/** An envelope that says no more has failed or succeeded as a whole. */
function wholeResult(message: Message): ResultMessage {
  const subtype =
    (message as UnknownMessage)["is_error"] === true ? "error_during_execution" : "success";
  return { subtype, is_error: false, ...message, type: "result" } as unknown as ResultMessage;
}

function textOfAnswer({ message, error, parent_tool_use_id }: AssistantMessage): string {
  // The words of an error are the CLI's; those of a sub-agent are part of a tool's work.
  if (error !== undefined || (parent_tool_use_id ?? null) !== null) return "";
  const content: unknown = message?.content;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks.map(textOfBlock).join("");
}

function textOfBlock(block: unknown): string {
  if (typeof block !== "object" || block === null || !("text" in block)) return "";
  return "type" in block && block.type === "text" && typeof block.text === "string"
    ? block.text
    : "";
}

/** Alone, the result of a failure on the CLI's own side names no cause, except by its words. */
function nameByWords({ is_error, result }: ResultMessage): string | undefined {
  if (!is_error || typeof result !== "string") return undefined;
  return NAMES.find(([words]) => words.test(result))?.[1];
}

const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^(Not logged in|Invalid API key)\b/, "authentication_failed"],
  [/exceeded the \d+ output token maximum/, "max_output_tokens"],
];
