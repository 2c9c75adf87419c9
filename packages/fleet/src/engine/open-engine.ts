import { createRequire } from "node:module";
import { HawserError, type Logger } from "hawser";
import { PgBoss } from "pg-boss";
import type { Database } from "../database/database.js";
import { BACKGROUND_CLOCK } from "./background-clock.js";
import { BossDatabase } from "./boss-database.js";
import { BossEngine } from "./boss-engine.js";
import type { Engine } from "./engine.js";
import { stopBoss } from "./stop-boss.js";

/** pg-boss takes no shorter heartbeats. */
export const LEAST_LEASE_MS = 10_000;

/** Old jobs are deleted, and the tables looked after, so often over the whole fleet. */
const MAINTENANCE_SECONDS = 60;

export interface EngineOptions {
  /** A host that was silent for so long has lost its jobs. Whole seconds, at least 10. @default 10_000 */
  readonly leaseMs?: number | undefined;
  /** Whether missing tables are made, and older ones brought up to date. @default true */
  readonly migrate?: boolean | undefined;
  readonly logger?: Logger | undefined;
  /** How often this program looks after the tables of the queue. @default one minute */
  readonly maintenanceMs?: number | undefined;
  /** Another version of pg-boss, for the tests of what the engine relies on. */
  readonly pgBoss?: PgBossModule | undefined;
}

/** The class of pg-boss, and the version of the tables that it works with. */
export interface PgBossModule {
  readonly PgBoss: typeof PgBoss;
  readonly schemaVersion: number;
}

/** Opens the queue in the schema `<schema>_boss`, beside the tables of the fleet. */
export async function openEngine(database: Database, options: EngineOptions = {}): Promise<Engine> {
  const leaseSeconds = checkedLeaseSeconds(options.leaseMs ?? LEAST_LEASE_MS);
  const { PgBoss: Boss, schemaVersion } = options.pgBoss ?? installedPgBoss();
  const schema = `${database.schema.slice(1, -1)}_boss`;
  const connection = new BossDatabase(database);
  const boss = new Boss({
    db: connection,
    schema,
    backend: database.kind === "memory" ? "pglite" : "postgres",
    migrate: options.migrate ?? true,
    schedule: false,
    // The engine itself looks for silent hosts, more often and at less cost than pg-boss does.
    supervise: false,
    monitorIntervalSeconds: MAINTENANCE_SECONDS,
    maintenanceIntervalSeconds: MAINTENANCE_SECONDS,
    registerInstance: false,
    openTelemetry: { enabled: false },
    clock: BACKGROUND_CLOCK,
  });
  // Without a listener, an error of a background task would end the program.
  boss.on("error", (error) => options.logger?.warn("The queue reported an error.", { error }));
  boss.on("warning", (warning) => {
    options.logger?.debug("The queue reported a warning.", { warning });
  });
  try {
    await start(boss, { schema, schemaVersion });
    return new BossEngine({
      boss,
      connection,
      database,
      schema: `"${schema}"`,
      leaseSeconds,
      maintenanceMs: options.maintenanceMs ?? MAINTENANCE_SECONDS * 1000,
      logger: options.logger,
    });
  } catch (error) {
    await stopBoss(boss);
    throw error;
  }
}

async function start(
  boss: PgBoss,
  { schema, schemaVersion }: { readonly schema: string; readonly schemaVersion: number },
): Promise<void> {
  try {
    await startAmongOthers(boss);
  } catch (error) {
    if (!(error instanceof Error) || !/not installed|requires migrations/.test(error.message)) {
      throw error;
    }
    const found = await boss.schemaVersion().catch(() => null);
    if (found !== null && found > schemaVersion) throw newerTables(schema, found, schemaVersion);
    throw new HawserError(
      "not_supported",
      `The tables of the queue in schema "${schema}" are missing or too old.`,
      { hint: "Run `hawser fleet migrate`, or open the fleet with `migrate: true`." },
    );
  }
  // pg-boss itself would work on newer tables without a word.
  const found = (await boss.schemaVersion()) ?? 0;
  if (found > schemaVersion) throw newerTables(schema, found, schemaVersion);
}

/**
 * Several programs may make the tables at once. pg-boss lets one of them do it and the others wait, but one that has
 * waited may not see the new schema yet, and fail to make it again.
 */
async function startAmongOthers(boss: PgBoss): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await boss.start();
      return;
    } catch (error) {
      const { constraint } = error as { constraint?: string };
      if (constraint !== "pg_namespace_nspname_index" || tries === 10) throw error;
    }
  }
}

function newerTables(schema: string, found: number, known: number): HawserError {
  return new HawserError(
    "not_supported",
    `The tables of the queue in schema "${schema}" have version ${found}. This version of pg-boss works with version ${known}.`,
    {
      hint: "A newer @hawser/fleet made them: update @hawser/fleet here, or use another `schema`.",
    },
  );
}

function installedPgBoss(): PgBossModule {
  const { pgboss } = createRequire(import.meta.url)("pg-boss/package.json");
  return { PgBoss, schemaVersion: pgboss.schema };
}

function checkedLeaseSeconds(leaseMs: number): number {
  if (Number.isInteger(leaseMs / 1000) && leaseMs >= LEAST_LEASE_MS && leaseMs <= 86_400_000) {
    return leaseMs / 1000;
  }
  throw new HawserError("invalid_options", `leaseMs is ${leaseMs}.`, {
    hint: "Use whole seconds in milliseconds, from 10_000 to 86_400_000.",
  });
}
