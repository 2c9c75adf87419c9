export { explainPermission, type PermissionExplanation } from "./answer/policy.js";
export { openSession, type SessionOptions } from "./open-session.js";
export { type Stop, stopOf } from "./outcome.js";
export { fieldOf } from "./payload.js";
export { type SendOptions, Session } from "./session.js";
export { startTimer, type Timeouts, timeoutError, timeoutsOf } from "./timeouts.js";
export { recordOf, type Turn } from "./turn.js";
export type { WholeMessage } from "./whole-message.js";
