export type { CredentialKind } from "./credential-kind.js";
export { handleSignals } from "./handle-signals.js";
export { type CreatedKey, type KeyManager, type KeysPlace, openKeys } from "./manage-keys.js";
export { type RunningServer, type ServeOptions, serve } from "./serve.js";
export { describeStart, type StartReport } from "./start-report.js";
