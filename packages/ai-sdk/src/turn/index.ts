export { AgentTurn, type TurnSource, toolCallOf, type Waiting } from "./agent-turn.js";
export { fromSession } from "./from-session.js";
export { fromStream } from "./from-stream.js";
export type { HostCall, HostTool } from "./host-tools.js";
export type {
  HostCallEvent,
  QuestionEvent,
  ReasoningEnd,
  ReasoningStart,
  RoundEnd,
  RoundStart,
  ToolCallEvent,
  ToolInputStart,
  ToolResultEvent,
  TurnEvent,
} from "./turn-event.js";
export { TurnHost, type TurnHostOptions } from "./turn-host.js";
