import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { HawserError, isHawserError, type Logger } from "hawser";
import type { Pool } from "pg";
import type { Database } from "./database.js";
import { holdsCluster } from "./embedded/cluster-folder.js";
import { openFolder } from "./embedded/open-folder.js";
import { openMemory } from "./memory/open-memory.js";
import { migrate } from "./migrations.js";
import { openPool, openUrl, type ServerOptions } from "./postgres/open-server.js";
import { checkSchemaName } from "./schema-name.js";

/** What the option `database` of `openFleet()` takes. */
export type DatabaseTarget = string | URL | Pool | { readonly folder: string };

export interface OpenDatabaseOptions {
  /** @default "hawser" */
  readonly schema?: string | undefined;
  /** Whether missing tables are made, and older ones brought up to date. @default true */
  readonly migrate?: boolean | undefined;
  /** Whether `listen()` opens a connection. Without one it never calls back. @default true */
  readonly listen?: boolean | undefined;
  readonly logger?: Logger | undefined;
}

/** Opens a database with the tables of the fleet, of whatever kind. */
export async function openDatabase(
  target: DatabaseTarget | undefined,
  options: OpenDatabaseOptions = {},
): Promise<Database> {
  const schema = checkSchemaName(options.schema ?? "hawser");
  const mayChange = options.migrate ?? true;
  if (!mayChange) refuseMissing(target);
  const database = await open(target ?? { folder: USUAL_FOLDER }, {
    schema,
    listen: options.listen,
    logger: options.logger,
  });
  try {
    await whileStarting(database, () => migrate(database, { mayChange }));
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** A program that may not make tables must not make a database either. */
function refuseMissing(target: DatabaseTarget = { folder: USUAL_FOLDER }): void {
  if (typeof target === "string" || !("folder" in target) || holdsCluster(target.folder)) return;
  throw new HawserError("not_supported", `There is no fleet in ${resolve(target.folder)}.`, {
    hint: "Run `hawser fleet migrate`, or open the fleet with `migrate: true`.",
  });
}

const USUAL_FOLDER = ".hawser/fleet";

/**
 * A private Postgres may be about to end just now, because the program that started it was killed. Then another one
 * takes its place. A server of others that cannot be reached is told at once.
 */
async function whileStarting(database: Database, work: () => Promise<void>): Promise<void> {
  const giveUpAt = performance.now() + START_LIMIT_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isPassing = isHawserError(error, "database_unavailable") && error.retryable;
      if (database.kind !== "folder" || !isPassing || performance.now() > giveUpAt) throw error;
    }
    await delay(START_PAUSE_MS);
  }
}

const START_LIMIT_MS = 60_000;
const START_PAUSE_MS = 250;

async function open(target: DatabaseTarget, options: ServerOptions): Promise<Database> {
  if (target === ":memory:") return openMemory(options.schema);
  if (typeof target === "string" || target instanceof URL) return openUrl(target, options);
  if ("connect" in target) return openPool(target, options);
  return openFolder(target.folder, options);
}
