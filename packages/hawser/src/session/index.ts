export {
  explainPermission,
  type PermissionExplanation,
} from "./answer/explain-permission.js";
export type { PermissionContext } from "./answer/permission-context.js";
export type {
  Approval,
  ApprovalFacts,
  ElicitationApproval,
  PlanApproval,
  QuestionApproval,
  SessionGrant,
  ToolApproval,
  ToolCallFacts,
  UserQuestion,
} from "./approvals/approval.js";
export type {
  AcceptDecision,
  AllowDecision,
  AnswerDecision,
  ApprovalDecision,
  DenyDecision,
  DismissDecision,
} from "./approvals/approval-decision.js";
export {
  type ApprovalChange,
  type ApprovalEnding,
  type ApprovalOutcome,
  type ApprovalRecord,
  approvalRecord,
} from "./approvals/approval-record.js";
export type { Approvals } from "./approvals/approvals.js";
export type { ApprovalsOptions } from "./approvals/approvals-options.js";
export { checkDecision } from "./approvals/check-decision.js";
export { elicitationResult, permissionResult } from "./approvals/cli-answer.js";
export { coveredCalls } from "./approvals/covered-calls.js";
export { createApprovals } from "./approvals/create-approvals.js";
export {
  type ApprovalFrame,
  describeCall,
  describeElicitation,
} from "./approvals/describe-approval.js";
export { type DiffLine, diffLines } from "./approvals/diff-lines.js";
export type { FileDiff } from "./approvals/file-diff.js";
export { type FileState, type FileText, readFileText } from "./approvals/read-file-text.js";
export { refusalOf } from "./approvals/refusal-of.js";
export {
  RecoverableConnection,
  type RecoverableConnectionListener,
} from "./connection/recoverable-connection.js";
export { reduceBudget, resumeOptions } from "./connection/replayed-settings.js";
export { requireKeptClear } from "./connection/require-kept-clear.js";
export { Controls, type FieldsOf } from "./controls.js";
export { PendingWork, type WorkListener } from "./idle/pending-work.js";
export { type LiveQuery, liveSession, rememberLive } from "./live-sessions.js";
export { openSession, type SessionOptions } from "./open-session.js";
export { type FailureContext, failureOf, type Stop, stopOf, wordsOf } from "./result-outcome.js";
export type { SendOptions } from "./send-prompt.js";
export {
  appendValidated,
  detachProcess,
  enrichError,
  numberOf,
  resetAndDetachProcess,
  Session,
  sendValidated,
  whenStarted,
} from "./session.js";
export { unlessClosed } from "./session-error.js";
export {
  type LeaseRequest,
  registerSource,
  type SessionLease,
  type SessionSource,
  sourceOf,
} from "./session-source.js";
export {
  hasOwnSession,
  type PrestartedProcess,
  type SessionWatcher,
  usesHostCallbacks,
} from "./session-start.js";
export { type ClosableWork, INTERRUPT_GRACE_MS, Shutdown } from "./shutdown.js";
export {
  type CredentialInfo,
  credentialOf,
  muteShadowedCallback,
  warnOfShadowedCallback,
} from "./startup-warnings.js";
export { type Timeouts, timeoutError, timeoutsOf, withPhaseLimit } from "./timeouts.js";
export { MessageStream, type StreamListener } from "./turns/message-stream.js";
export {
  dropMessages,
  interruptAtToolCalls,
  interruptTurn,
  isDelivered,
  readTurn,
  recordOf,
  sendingOf,
  type Turn,
  textIn,
} from "./turns/turn.js";
export { addUsage, type Spent, spentOn, wasInterrupted } from "./turns/turn-costs.js";
export { requestedDelayMs, type ToolUse } from "./turns/turn-record.js";
export type { WholeMessage } from "./turns/whole-messages.js";
