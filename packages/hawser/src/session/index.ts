export { Activity } from "./activity.js";
export type { PermissionContext } from "./answer/permission-context.js";
export {
  explainPermission,
  type PermissionExplanation,
} from "./answer/policy.js";
export { type CallEvent, CHANNELS, type ProcessEvent, publish } from "./channels.js";
export { Controls, type FieldsOf } from "./controls.js";
export type { SessionWatcher } from "./core-options.js";
export { type CredentialInfo, credentialOf } from "./credential.js";
export { type Circumstances, failureOf, wordsOf } from "./failure.js";
export { isAsked } from "./is-asked.js";
export { Lifeline } from "./lifeline.js";
export { openSession, type SessionOptions } from "./open-session.js";
export { type Stop, stopOf } from "./outcome.js";
export { resuming, withoutSpent } from "./remembered.js";
export { detach, enrichedBy, handBack, type SendOptions, Session } from "./session.js";
export {
  type LeaseRequest,
  registerSource,
  type SessionLease,
  type SessionSource,
  sourceOf,
} from "./source.js";
export { addUsage, type Spent, spentOn, wasInterrupted } from "./spending.js";
export { MessageStream } from "./stream.js";
export { startTimer, type Timeouts, timeoutError, timeoutsOf, unlessLate } from "./timeouts.js";
export { forgetMessages, isDelivered, readTurn, recordOf, stopTurn, type Turn } from "./turn.js";
export { askedToWait } from "./turn-record.js";
export type { Warm } from "./warm.js";
export { muteShadowedCallback, warnOfShadowedCallback } from "./warn-of-shadowed-callback.js";
export type { WholeMessage } from "./whole-message.js";
export { hasOwnSession } from "./with-id.js";
