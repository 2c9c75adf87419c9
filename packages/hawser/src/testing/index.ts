export {
  type Mismatch,
  type Recorder,
  type RecordOptions,
  type Replay,
  type ReplayOptions,
  record,
  replay,
} from "./cassette.js";
export { type FakeCli, fakeCli, type RecordedProcess } from "./fake-cli.js";
export { type IsolatedEnv, type IsolatedEnvOptions, isolatedEnv } from "./isolated-env.js";
export {
  type AnswerBlock,
  type RedactedThinkingBlock,
  redactedThinking,
  type TextBlock,
  type ThinkingBlock,
  type ToolUseBlock,
  text,
  thinking,
  toolUse,
} from "./model/answer-block.js";
export {
  type ApiErrorOptions,
  apiError,
  type RateLimit,
  rateLimitHeaders,
  usageLimit,
} from "./model/api-error.js";
export type { AuxiliaryKind } from "./model/auxiliary-kind.js";
export type { RecordedRequest, RequestKind, ToolResult } from "./model/recorded-request.js";
export {
  type ApiErrorBody,
  cut,
  type Ending,
  type ErrorReply,
  hang,
  type MessageReply,
  maxTokens,
  type NoReply,
  type Reply,
  type ReplyContent,
  type ReplyInput,
  type ReplyOptions,
  type ReplyUsage,
  refusal,
  reply,
  type StopReason,
  streamError,
} from "./model/reply.js";
export {
  type Always,
  always,
  type ReplyFunction,
  type ReplyScript,
  type ScriptEntry,
} from "./model/reply-script.js";
export { SimulatedModel, type SimulatedModelOptions } from "./model/simulated-model.js";
export {
  type OfflineOptions,
  type OfflineWorld,
  type OfflineWorldOptions,
  offlineWorld,
} from "./offline-world.js";
export type {
  Action,
  Background,
  Clear,
  Grandchild,
  Json,
  McpState,
  Scenario,
  ScenarioCli,
  ScenarioFile,
  ScenarioFunction,
  Step,
  ToolCall,
  Trigger,
  TurnPart,
} from "./scenario.js";
export type {
  CheckedEntry,
  CheckedKey,
  CheckedStore,
  SessionStoreCheck,
  SessionStoreCheckOptions,
} from "./session-store-check.js";
export { sessionStoreChecks } from "./session-store-checks.js";
