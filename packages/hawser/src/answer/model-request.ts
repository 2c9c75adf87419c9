import type {
  ClientTool,
  Effort,
  JsonSchema,
  ThinkingConfig,
  ToolChoice,
} from "../options/index.js";
import type { HistoryMessage } from "../wire/index.js";

/**
 * What a client asks of a model. Every wire format is translated to this, in the terms of the Messages API.
 */
export interface ModelRequest {
  /** The name of the model as the client gave it. */
  readonly model: string;
  /** The system prompt; `undefined` if the client gave none. */
  readonly system: string | undefined;
  /** The whole conversation. The last message is the user's. */
  readonly messages: readonly HistoryMessage[];
  readonly tools: readonly ClientTool[];
  readonly toolChoice: ToolChoice;
  /** Whether the model may make several tool calls in one message. */
  readonly allowsParallelCalls: boolean;
  /** The answer must be JSON that fits this schema. */
  readonly schema: JsonSchema | undefined;
  /** The answer must be one JSON value of any shape. */
  readonly wantsJson: boolean;
  readonly effort: Effort | undefined;
  readonly thinking: ThinkingConfig | undefined;
  /** The answer ends before the first of these texts. */
  readonly stopSequences: readonly string[];
}
