export {
  type CompleteOptions,
  type Completion,
  type CredentialInfo,
  complete,
  type Timing,
} from "./complete/index.js";
export {
  ERROR_CODES,
  type ErrorCode,
  type ErrorFacts,
  type ErrorRow,
  HawserError,
  type Issue,
  isHawserError,
  type Logger,
  type Phase,
} from "./errors/index.js";
export type * from "./options/index.js";
export { buildInvocation } from "./options/index.js";
export {
  type CliLocation,
  type CliReport,
  type CliSource,
  type CredentialHint,
  checkCli,
  type Exit,
  explain,
  type LocateOptions,
  locateCli,
  type ProcessInfo,
  processes,
  shutdown,
} from "./process/index.js";
export {
  explainPermission,
  openSession,
  type PermissionExplanation,
  type SendOptions,
  Session,
  type SessionOptions,
  type Stop,
  type Timeouts,
  type Turn,
  type WholeMessage,
} from "./session/index.js";
export {
  type CloseOptions,
  MemoryTransport,
  SubprocessTransport,
  type Transport,
} from "./transport/index.js";
export type * from "./wire/index.js";
export { isMessage, isResult, isSystem, LineFramer } from "./wire/index.js";
