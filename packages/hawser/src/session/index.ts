export {
  explainPermission,
  type PermissionExplanation,
} from "./answer/explain-permission.js";
export type { PermissionContext } from "./answer/permission-context.js";
export { RecoverableConnection } from "./connection/recoverable-connection.js";
export { resuming, withoutSpent } from "./connection/replayed-settings.js";
export { Controls, type FieldsOf } from "./controls.js";
export { type CallEvent, CHANNELS, type ProcessEvent, publish } from "./diagnostics-channels.js";
export { PendingWork } from "./idle/pending-work.js";
export { usesHostCallbacks } from "./is-asked.js";
export { openSession, type SessionOptions } from "./open-session.js";
export { type Circumstances, failureOf, wordsOf } from "./result-outcome.js";
export { detach, enrichedBy, handBack, type SendOptions, Session } from "./session.js";
export { type Stop, stopOf } from "./session-error.js";
export {
  type LeaseRequest,
  registerSource,
  type SessionLease,
  type SessionSource,
  sourceOf,
} from "./session-source.js";
export type { SessionWatcher } from "./session-start.js";
export { type CredentialInfo, credentialOf } from "./startup-warnings.js";
export { startTimer, type Timeouts, timeoutError, timeoutsOf, unlessLate } from "./timeouts.js";
export { MessageStream } from "./turns/message-stream.js";
export {
  forgetMessages,
  isDelivered,
  readTurn,
  recordOf,
  stopTurn,
  type Turn,
} from "./turns/turn.js";
export { addUsage, type Spent, spentOn, wasInterrupted } from "./turns/turn-cost.js";
export { askedToWait } from "./turns/turn-record.js";
export type { WholeMessage } from "./turns/whole-messages.js";
export type { Warm } from "./warm.js";
export { muteShadowedCallback, warnOfShadowedCallback } from "./warn-of-shadowed-callback.js";
export { hasOwnSession } from "./with-id.js";
