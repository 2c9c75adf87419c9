export { abortedBy, listenForAbort, onAbort } from "./abort.js";
export { callerStack, deferredCallerStack, traceCaller, withCaller } from "./caller-stack.js";
export type {
  AdmissionEndEvent,
  AdmissionEvent,
  ApiRetryEvent,
  ApprovalAnsweredEvent,
  ApprovalRequestedEvent,
  CallEndEvent,
  CallRetryEvent,
  CallStartEvent,
  EventTime,
  PauseEvent,
  PermissionAskedEvent,
  PermissionDecidedEvent,
  PermissionDecider,
  ProcessEvent,
  RequestedFacts,
  RoundEndEvent,
  RoundStartEvent,
  SessionEndEvent,
  SessionIds,
  SessionMessagesEvent,
  SessionReadyEvent,
  SessionRecoveredEvent,
  SessionStartEvent,
  TokenCounts,
  ToolEndEvent,
  ToolStartEvent,
  TracedCall,
  TracedCallback,
  TracedTurn,
  TurnEndEvent,
  TurnIds,
  TurnStartEvent,
} from "./channel-events.js";
export {
  CHANNELS,
  type EventChannel,
  type EventChannels,
  eventTime,
  publish,
  runTraced,
  TRACING_CHANNELS,
  type TracedChannel,
  type TracingChannels,
  type TypedTracingChannel,
} from "./channels.js";
export { closestName, differsByOne, plainOf } from "./closest-name.js";
export { columnsOf } from "./columns-of.js";
export { type ErrorFacts, HawserError, type Issue, isHawserError, type Phase } from "./error.js";
export { ERROR_CODES, type ErrorCode, type ErrorRow } from "./error-codes.js";
export { faultReporter, type ReportFault } from "./fault-reporter.js";
export { getPath } from "./get-path.js";
export { HAWSER_VERSION } from "./hawser-version.js";
export { excerptOf, inspectable } from "./inspectable.js";
export { isObject, objectOf } from "./is-object.js";
export type { AdvisedProblem, Kind, Problem } from "./kind.js";
export * as kind from "./kind.js";
export { lazy } from "./lazy.js";
export { guardLogger, type Logger, SILENT } from "./logger.js";
export {
  createLazyMask,
  createMask,
  type Environment,
  hostMask,
  type Mask,
  maskDeep,
  maskSecrets,
} from "./mask.js";
export { omitUndefined } from "./omit-undefined.js";
export { oneLine, printable, signFor, visible, visibleLine } from "./printable.js";
export { scarcityHint } from "./scarcity-hint.js";
export {
  holdsHeaders,
  isHarmlessHeader,
  looksSecret,
  secretsInArguments,
  secretsInHeaders,
  secretsInUrl,
} from "./secret-names.js";
export { textOf } from "./text-of.js";
export { throwIfInvalid } from "./throw-if-invalid.js";
export { LONGEST_TIMER_MS, startTimer, withTimeout } from "./timeout.js";
export { openTrace, type Trace, type TraceKind } from "./trace.js";
export { warnOnce } from "./warn.js";
