import type { Logger, Prompt } from "hawser";
import type { Pool } from "pg";
import type { DayUsage, Tenants } from "./accounting/tenants.js";
import type { FleetApprovals } from "./approvals/fleet-approvals.js";
import type {
  Conversation,
  ConversationKey,
  ConversationOptions,
} from "./conversations/conversation.js";
import type { FleetDocuments } from "./documents/fleet-documents.js";
import type { RunFilter } from "./runs/list-runs.js";
import type { Run, RunInfo, RunState, SubmitOptions } from "./runs/run.js";
import type { FleetSessionStore } from "./sessions/fleet-sessions.js";
import type { Worker, WorkOptions } from "./worker/worker.js";

/** What `openFleet()` takes. */
export interface FleetOptions {
  /**
   * A URL, a pool, a folder with a Postgres of its own, or `":memory:"` (PGlite, for tests).
   * @default { folder: ".hawser/fleet" }
   */
  readonly database?: string | URL | Pool | { readonly folder: string };
  /** The schema of the tables. The engine's tables are in `<schema>_boss`. @default "hawser" */
  readonly schema?: string;
  /** A host that was silent for so long has lost its runs. At least 10 seconds. @default 10_000 */
  readonly leaseMs?: number;
  /** Whether missing tables are made, and older ones brought up to date. @default true */
  readonly migrate?: boolean;
  /**
   * Whether this program listens for notifications of Postgres. Without them it looks at the database every second. Use
   * false behind a proxy that does not pass notifications on (PgBouncer in transaction mode), and in a fleet of more
   * than about a hundred hosts, because every notification then wakes every listening connection.
   * @default true
   */
  readonly listen?: boolean;
  readonly logger?: Logger;
}

/** Runs, sessions, approvals and money of many hosts, in one database. */
export interface Fleet extends AsyncDisposable {
  /** Queues a prompt. The run exists when this resolves, or when the transaction of `db` is committed. */
  submit(prompt: Prompt, options?: SubmitOptions): Promise<Run>;
  /** A run by its id, of whatever program. */
  run(id: string): Run;
  /** Runs, the newest first. */
  runs(filter?: RunFilter): AsyncIterable<RunInfo>;
  /** Works on runs in this program, until the worker or the fleet is closed. */
  work(options: WorkOptions): Promise<Worker>;
  /** The conversation of a user in a channel: messages are answered in order, whatever happens to the programs. */
  conversation(key: ConversationKey, options?: ConversationOptions): Conversation;
  readonly approvals: FleetApprovals;
  readonly sessionStore: FleetSessionStore;
  readonly tenants: Tenants;
  /** JSON values that programs keep beside their runs. A collection exists when something is put into it. */
  documents(collection: string): FleetDocuments;
  /** What a tenant spent on a day (UTC). */
  usage(tenant: string, day?: Date): Promise<DayUsage>;
  stats(): Promise<FleetStats>;
  /**
   * Deletes the runs that were settled before, with their events, questions and charges, and the sessions that only
   * they used. What tenants have spent stays. Returns how many runs it has deleted.
   */
  prune(options: { readonly olderThan: Date }): Promise<number>;
  /** Closes the workers and conversations of this fleet, and ends its connections. Everything after is `closed`. */
  close(): Promise<void>;
}

/** The fleet at one moment. */
export interface FleetStats {
  readonly database: {
    readonly kind: string;
    readonly schemaVersion: number;
    readonly postgres: string;
  };
  readonly runs: Readonly<Record<RunState, number>>;
  readonly hosts: readonly {
    readonly name: string;
    readonly slots: number;
    readonly active: number;
    /** The queues from which it takes runs. */
    readonly queues: readonly string[];
    /** Whether it takes no more runs, because it is about to end. */
    readonly draining: boolean;
    readonly seenAt: Date;
    readonly hawser: string;
  }[];
  readonly approvals: number;
  readonly accounts: readonly {
    readonly account: string;
    readonly active: number;
    readonly pausedUntil?: Date;
    readonly reason?: string;
  }[];
}
