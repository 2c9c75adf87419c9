import { hostname } from "node:os";
import { HawserError, type Prompt } from "hawser";
import { createTenants } from "./accounting/create-tenants.js";
import { readAccounts } from "./accounting/read-accounts.js";
import { readUsage } from "./accounting/read-usage.js";
import type { DayUsage, Tenants } from "./accounting/tenants.js";
import { createApprovalDesk } from "./approvals/create-approval-desk.js";
import { createFleetApprovals } from "./approvals/create-fleet-approvals.js";
import type { FleetApprovals } from "./approvals/fleet-approvals.js";
import { checkNode } from "./check-node.js";
import type {
  Conversation,
  ConversationKey,
  ConversationOptions,
} from "./conversations/conversation.js";
import { createConversation } from "./conversations/create-conversation.js";
import {
  ConversationMaintenance,
  maintainConversations,
} from "./conversations/maintain-conversations.js";
import { rebuildHistory } from "./conversations/rebuild-history.js";
import { readVersion } from "./database/migrations.js";
import { openDatabase } from "./database/open-database.js";
import { createDocuments } from "./documents/create-documents.js";
import type { FleetDocuments } from "./documents/fleet-documents.js";
import { LEAST_LEASE_MS, openEngine } from "./engine/open-engine.js";
import type { Fleet, FleetOptions, FleetStats } from "./fleet.js";
import { createClaims } from "./runs/create-claims.js";
import { createRun, type RunParts } from "./runs/create-run.js";
import { listRuns, type RunFilter } from "./runs/list-runs.js";
import { pruneRuns } from "./runs/prune-runs.js";
import type { Run, RunInfo, SubmitOptions } from "./runs/run.js";
import { countRuns } from "./runs/run-stats.js";
import { RunWatch } from "./runs/run-watch.js";
import { submitRun } from "./runs/submit-run.js";
import { createFleetSessionStore } from "./sessions/create-fleet-session-store.js";
import type { FleetSessionStore } from "./sessions/fleet-sessions.js";
import { startWorker } from "./worker/start-worker.js";
import type { Worker, WorkOptions } from "./worker/worker.js";

/**
 * Opens a fleet: connects to its database, makes or updates its tables, and starts nothing else. Close it when the
 * program is done with it.
 *
 * @example
 * ```ts
 * await using fleet = await openFleet({ database: "postgres://localhost/agents" });
 * const run = await fleet.submit("Summarise the open issues.", { tenant: "alice" });
 * console.log((await run.result()).text);
 * ```
 */
export async function openFleet(options: FleetOptions = {}): Promise<Fleet> {
  checkNode();
  const { leaseMs = LEAST_LEASE_MS, schema, migrate, listen, logger } = options;
  const database = await openDatabase(options.database, { schema, migrate, listen, logger });
  try {
    const engine = await openEngine(database, { leaseMs, migrate, logger });
    return new OpenFleet({ database, engine, leaseMs, logger, watch: new RunWatch(database) });
  } catch (error) {
    await database.close();
    throw error;
  }
}

class OpenFleet implements Fleet {
  readonly approvals: FleetApprovals;
  readonly sessionStore: FleetSessionStore;
  readonly tenants: Tenants;
  readonly #parts: RunParts;
  readonly #workers = new Set<Worker>();
  #maintenance: ConversationMaintenance | undefined;
  #closed: Promise<void> | undefined;

  constructor(parts: RunParts) {
    const holder = `${hostname()}:${process.pid}`;
    this.#parts = parts;
    this.approvals = createFleetApprovals(parts);
    this.sessionStore = createFleetSessionStore({ ...parts, holder });
    this.tenants = createTenants(parts);
  }

  async submit(prompt: Prompt, options: SubmitOptions = {}): Promise<Run> {
    this.#throwIfClosed();
    return createRun(this.#parts, await submitRun(this.#parts, prompt, options));
  }

  run(id: string): Run {
    return createRun(this.#parts, id);
  }

  runs(filter: RunFilter = {}): AsyncIterable<RunInfo> {
    return listRuns(this.#parts, filter);
  }

  async work(options: WorkOptions): Promise<Worker> {
    this.#throwIfClosed();
    const parts = this.#parts;
    const worker = await startWorker(
      {
        ...parts,
        claims: createClaims(parts),
        desk: createApprovalDesk(parts),
        tenants: this.tenants,
        rebuild: ({ id }) => rebuildHistory(parts, id),
      },
      options,
    );
    if (this.#closed !== undefined) await worker.close();
    this.#throwIfClosed();
    this.#workers.add(worker);
    this.#maintainConversations();
    return worker;
  }

  conversation(key: ConversationKey, options: ConversationOptions = {}): Conversation {
    this.#throwIfClosed();
    const conversation = createConversation(this.#parts, key, options);
    this.#maintainConversations();
    return conversation;
  }

  documents(collection: string): FleetDocuments {
    return createDocuments(this.#parts.database, collection);
  }

  async usage(tenant: string, day?: Date): Promise<DayUsage> {
    return await readUsage(this.#parts, tenant, day);
  }

  async stats(): Promise<FleetStats> {
    const { database } = this.#parts;
    const { schema } = database;
    const [runs, accounts, version, facts, hosts] = await Promise.all([
      countRuns(this.#parts),
      readAccounts(this.#parts),
      readVersion(database),
      database.query<{ postgres: string; approvals: number }>(
        `select current_setting('server_version') as postgres,
           (select count(*)::int from ${schema}.approval where state = 'open') as approvals`,
      ),
      database.query<FleetStats["hosts"][number]>(
        `select name, slots, active, string_to_array(queues, ',') as queues, draining, seen_at as "seenAt", hawser
         from ${schema}.host order by name`,
      ),
    ]);
    const { postgres = "", approvals = 0 } = facts.rows[0] ?? {};
    return {
      database: { kind: database.kind, schemaVersion: version, postgres },
      runs,
      hosts: hosts.rows,
      approvals,
      accounts,
    };
  }

  async prune(options: { readonly olderThan: Date }): Promise<number> {
    // The answers are in the runs until they are stored in their conversations.
    await maintainConversations(this.#parts);
    return await pruneRuns(this.#parts, options);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Workers first, because they give their segments back; the database last, because all others use it. */
  async #close(): Promise<void> {
    const { watch, engine, database, logger } = this.#parts;
    const workers = await Promise.allSettled([...this.#workers].map((worker) => worker.close()));
    for (const result of workers) {
      if (result.status === "rejected") {
        logger?.warn("A worker did not close well.", { error: result.reason });
      }
    }
    await this.#maintenance?.close();
    await watch.close();
    await engine.close();
    await database.close();
  }

  /** By every program that takes part in conversations, because none of them has to live on. */
  #maintainConversations(): void {
    this.#maintenance ??= new ConversationMaintenance(this.#parts);
  }

  #throwIfClosed(): void {
    if (this.#closed !== undefined) throw new HawserError("closed", "The fleet is closed.");
  }
}
