import type { Approval, ContentBlock, Message, Usage } from "hawser";

/**
 * What happens in a turn of the CLI's agent, in the order in which it happened.
 *
 * - A round is one message of the main model. `round_start` and `round_end` enclose its text, its reasoning and its tool
 *   calls. Text of sub-agents is not shown; their tool calls are, with `parentId`.
 * - A `tool_call` comes before its `tool_result`, its `question` and its `host_call`. `tool_input_*` come before the
 *   `tool_call` of the same id, and only if the CLI streamed the input.
 * - A `question` waits for `TurnHost.answerApproval()`, a `host_call` for `TurnHost.answerToolCall()`. `withdrawn` means
 *   that the CLI no longer waits.
 */
export type TurnEvent =
  | RoundStart
  | RoundEnd
  | { readonly type: "text_start"; readonly id: string }
  | { readonly type: "text_delta"; readonly id: string; readonly text: string }
  | { readonly type: "text_end"; readonly id: string }
  | ReasoningStart
  | { readonly type: "reasoning_delta"; readonly id: string; readonly text: string }
  | ReasoningEnd
  | ToolInputStart
  | { readonly type: "tool_input_delta"; readonly id: string; readonly json: string }
  | { readonly type: "tool_input_end"; readonly id: string }
  | ToolCallEvent
  | ToolResultEvent
  | QuestionEvent
  | HostCallEvent
  | { readonly type: "withdrawn"; readonly id: string }
  | { readonly type: "message"; readonly message: Message };

/** The main model begins a message. */
export interface RoundStart {
  readonly type: "round_start";
  /** The id of the message at the API. */
  readonly messageId: string;
  readonly model: string;
}

/** The main model has ended its message. */
export interface RoundEnd {
  readonly type: "round_end";
  readonly messageId: string;
  /** Undefined if the message was not streamed. */
  readonly stopReason: string | undefined;
  readonly usage: Usage;
}

/** `redacted` is thinking that the API has encrypted. It has no text. */
export interface ReasoningStart {
  readonly type: "reasoning_start";
  readonly id: string;
  readonly redacted?: string;
}

/** `signature` is what the API wants back with the thinking. */
export interface ReasoningEnd {
  readonly type: "reasoning_end";
  readonly id: string;
  readonly signature?: string;
}

/** The model begins to write the input of a call. */
export interface ToolInputStart {
  readonly type: "tool_input_start";
  /** The id of the tool call. */
  readonly id: string;
  readonly name: string;
  readonly hostName: string | undefined;
}

/** The model calls a tool: a tool of the CLI, of an MCP server, or of the host. */
export interface ToolCallEvent {
  readonly type: "tool_call";
  readonly id: string;
  /** The name that the model sees. A tool of the host is `mcp__<server>__<name>`. */
  readonly name: string;
  /** The name that the host gave to the tool; undefined for all other tools. */
  readonly hostName: string | undefined;
  readonly input: unknown;
  /** For a call of a sub-agent: the call that started the sub-agent. */
  readonly parentId: string | undefined;
}

/** The CLI has the result of a call, also of a call that was denied. */
export interface ToolResultEvent {
  readonly type: "tool_result";
  readonly id: string;
  readonly name: string;
  readonly hostName: string | undefined;
  readonly content: string | readonly ContentBlock[];
  readonly isError: boolean;
  /** Why the tool did not run, in the words of the CLI; undefined if it ran, or if the CLI does not say. */
  readonly notRun: string | undefined;
  readonly parentId: string | undefined;
}

/** The CLI asks whether a call may run. */
export interface QuestionEvent {
  readonly type: "question";
  readonly approval: Approval;
}

/** The CLI has called a tool of the host, and waits for its result. The `tool_call` before it has the same id. */
export interface HostCallEvent {
  readonly type: "host_call";
  /** The id of the tool call. */
  readonly id: string;
  /** The name that the host gave to the tool. */
  readonly name: string;
  /** The input as it arrived, which a hook may have changed. */
  readonly input: unknown;
}
