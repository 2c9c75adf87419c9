/** A content block of an answer, as in the Messages API. */
export type AnswerBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock;

/** A text block. Created by `text()`. */
export interface TextBlock {
  readonly type: "text";
  readonly text: string;
}

/** A thinking block. Created by `thinking()`. */
export interface ThinkingBlock {
  readonly type: "thinking";
  readonly thinking: string;
  readonly signature: string;
}

/** A block of encrypted thinking. Created by `redactedThinking()`. */
export interface RedactedThinkingBlock {
  readonly type: "redacted_thinking";
  readonly data: string;
}

/** A tool call. Created by `toolUse()`. */
export interface ToolUseBlock {
  readonly type: "tool_use";
  /** @default a unique id */
  readonly id?: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Creates a text block. In a script, a plain string does the same. */
export function text(text: string): TextBlock {
  return { type: "text", text };
}

/** Creates a thinking block. The signature may be any text, because the simulated model does not check it. */
export function thinking(
  thinking: string,
  options: { readonly signature?: string } = {},
): ThinkingBlock {
  return { type: "thinking", thinking, signature: options.signature ?? SIGNATURE };
}

/** Creates a block of thinking that the API shows only encrypted. */
export function redactedThinking(data: string): RedactedThinkingBlock {
  return { type: "redacted_thinking", data };
}

/**
 * Creates a call of one of the CLI's tools. The CLI asks for permission, runs the tool, and sends the
 * result with the next request, which takes the next reply of the script.
 *
 * @example
 * ```ts
 * replies: [
 *   toolUse("Bash", { command: "echo hello" }),
 *   (request) => `It said ${request.toolResults[0]?.text}.`,
 * ]
 * ```
 */
export function toolUse(
  name: string,
  input: Readonly<Record<string, unknown>> = {},
  options: { readonly id?: string } = {},
): ToolUseBlock {
  return { type: "tool_use", name, input, ...options };
}

/** In Base64, like the signatures of the API. */
const SIGNATURE = Buffer.from("signed by the simulated model").toString("base64");
