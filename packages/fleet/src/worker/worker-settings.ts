import type { History, Logger } from "hawser";
import type { Tenants } from "../accounting/tenants.js";
import type { ApprovalDesk } from "../approvals/fleet-approvals.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import type { Claims } from "../runs/claims.js";
import type { RunInfo } from "../runs/run.js";
import type { WorkOptions } from "./worker.js";

/** What a worker works with. */
export interface WorkerParts extends FleetParts {
  readonly claims: Claims;
  readonly desk: ApprovalDesk;
  readonly tenants: Pick<Tenants, "pauseAccount">;
  /** The earlier messages of a session whose transcript is lost; undefined if the session is new. */
  readonly rebuild?: (run: RunInfo) => Promise<History | undefined>;
}

/** The options of a worker with their defaults. */
export interface WorkerSettings {
  readonly parts: WorkerParts;
  readonly profiles: WorkOptions["profiles"];
  readonly slots: number;
  readonly queues: readonly string[];
  readonly name: string;
  readonly holdMs: number;
  readonly drainMs: number;
  readonly approvalTimeoutMs: number | undefined;
  readonly onUncertain: "tell" | "ask" | "fail";
  readonly onRecover: WorkOptions["onRecover"] | undefined;
  readonly workspace: WorkOptions["workspace"] | undefined;
  readonly credential: WorkOptions["credential"] | undefined;
  readonly approve: WorkOptions["approve"] | undefined;
  readonly logger: Logger | undefined;
}
