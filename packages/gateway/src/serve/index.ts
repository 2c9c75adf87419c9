export type { CredentialKind } from "./credential-kind.js";
export type { FleetDatabase } from "./fleet-database.js";
export type { GatewayPage, InspectedGateway } from "./gateway-page.js";
export { handleSignals } from "./handle-signals.js";
export { type CreatedKey, type KeyManager, type KeysPlace, openKeys } from "./manage-keys.js";
export { type OpenedFleet, type RunningServer, type ServeOptions, serve } from "./serve.js";
export { describeStart, type StartReport } from "./start-report.js";
