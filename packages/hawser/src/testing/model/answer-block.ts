/** One part of an answer, as the Messages API names it. */
export type AnswerBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock;

export interface TextBlock {
  readonly type: "text";
  readonly text: string;
}

export interface ThinkingBlock {
  readonly type: "thinking";
  readonly thinking: string;
  readonly signature: string;
}

export interface RedactedThinkingBlock {
  readonly type: "redacted_thinking";
  readonly data: string;
}

export interface ToolUseBlock {
  readonly type: "tool_use";
  /** Made unique by the server when it is absent. */
  readonly id?: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Text that the model says. A plain string in a script means the same. */
export function text(text: string): TextBlock {
  return { type: "text", text };
}

/** What the model thinks before it answers; the signature may be any text, because the simulated model does not check it. */
export function thinking(
  thinking: string,
  options: { readonly signature?: string } = {},
): ThinkingBlock {
  return { type: "thinking", thinking, signature: options.signature ?? SIGNATURE };
}

/** Thinking that the API shows only encrypted. */
export function redactedThinking(data: string): RedactedThinkingBlock {
  return { type: "redacted_thinking", data };
}

/**
 * A call of one of the CLI's tools. The CLI asks for permission, runs it, and sends its result with
 * the next request, which takes the next reply of the script.
 */
export function toolUse(
  name: string,
  input: Readonly<Record<string, unknown>> = {},
  options: { readonly id?: string } = {},
): ToolUseBlock {
  return { type: "tool_use", name, input, ...options };
}

/** Base64, as the API's are. */
const SIGNATURE = Buffer.from("signed by the simulated model").toString("base64");
