export type * from "./accounting/tenants.js";
export type {
  FleetApproval,
  FleetApprovalChange,
  FleetApprovalRecord,
  FleetApprovals,
} from "./approvals/fleet-approvals.js";
export type * from "./conversations/conversation.js";
export type { Queryable } from "./database/database.js";
export type { FleetDocuments } from "./documents/fleet-documents.js";
export type { Fleet, FleetOptions, FleetStats } from "./fleet.js";
export { openFleet } from "./open-fleet.js";
export type { RunFilter } from "./runs/list-runs.js";
export type * from "./runs/run.js";
export type * from "./sessions/fleet-sessions.js";
export type { Worker, WorkOptions, Workspace } from "./worker/worker.js";
