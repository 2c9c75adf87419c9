import { HawserError } from "hawser";
import { ACCOUNTING_TABLES } from "../accounting/tables.js";
import { APPROVALS_TABLES } from "../approvals/tables.js";
import { CONVERSATIONS_TABLES } from "../conversations/tables.js";
import { DOCUMENTS_TABLES } from "../documents/tables.js";
import { RUNS_TABLES } from "../runs/tables.js";
import { SESSIONS_TABLES } from "../sessions/tables.js";
import { WORKER_TABLES } from "../worker/tables.js";
import type { Database, Queryable } from "./database.js";

/** What each version adds to the one before, in order: the first row makes version 1. */
const MIGRATIONS: readonly string[] = [
  [
    ACCOUNTING_TABLES,
    RUNS_TABLES,
    SESSIONS_TABLES,
    APPROVALS_TABLES,
    WORKER_TABLES,
    CONVERSATIONS_TABLES,
    DOCUMENTS_TABLES,
  ].join("\n"),
];

/** The version of the tables that this code works with. */
export const SCHEMA_VERSION: number = MIGRATIONS.length;

/**
 * Brings the tables up to date. Several programs may call it at once: one of them does it, the others wait. Without
 * `mayChange`, and if the tables are newer than this code, it throws `not_supported`.
 */
export async function migrate(
  database: Database,
  options: { readonly mayChange: boolean },
): Promise<void> {
  // Most programs find the tables up to date. They need no lock.
  if (isCurrent(database, await readVersion(database), options)) return;
  await database.transaction(async (db) => {
    await db.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [
      `hawser migrate ${database.schema}`,
    ]);
    const version = await readVersion({ schema: database.schema, query: db.query.bind(db) });
    if (isCurrent(database, version, options)) return;
    await apply(db, database.schema, version);
  });
}

/** The version of the tables in the database: 0 if there are none. */
export async function readVersion(
  database: Queryable & { readonly schema: string },
): Promise<number> {
  // Not to_regclass(): it looks into a cache that may not know yet what another program has just committed.
  const { rows: tables } = await database.query(
    `select 1 from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where '"' || n.nspname || '"' = $1 and c.relname = 'schema_version'`,
    [database.schema],
  );
  if (tables.length === 0) return 0;
  const { rows } = await database.query<{ version: number }>(
    `select version from ${database.schema}.schema_version`,
  );
  return rows[0]?.version ?? 0;
}

function isCurrent(
  database: Database,
  version: number,
  { mayChange }: { readonly mayChange: boolean },
): boolean {
  if (version === SCHEMA_VERSION) return true;
  if (version > SCHEMA_VERSION) {
    throw new HawserError(
      "not_supported",
      `The tables in schema ${database.schema} have version ${version}. This version of @hawser/fleet works with version ${SCHEMA_VERSION}.`,
      {
        hint: "A newer @hawser/fleet made them: update @hawser/fleet here, or use another `schema`.",
      },
    );
  }
  if (mayChange) return false;
  throw new HawserError(
    "not_supported",
    version === 0
      ? `There are no tables of the fleet in schema ${database.schema}.`
      : `The tables in schema ${database.schema} have version ${version}. This version of @hawser/fleet needs version ${SCHEMA_VERSION}.`,
    { hint: "Run `hawser fleet migrate`, or open the fleet with `migrate: true`." },
  );
}

async function apply(db: Queryable, schema: string, from: number): Promise<void> {
  // The settings of short transactions are too narrow for an index on a large table.
  await db.query("set local statement_timeout = 0");
  if (from === 0) {
    await db.query(`create schema if not exists ${schema}`);
    await db.query(
      `create table ${schema}.schema_version (
        one boolean primary key default true check (one),
        version integer not null,
        changed_at timestamptz not null default clock_timestamp()
      )`,
    );
  }
  for (const sql of MIGRATIONS.slice(from)) {
    if (sql.trim() !== "") await db.query(sql.replaceAll("$SCHEMA", () => schema));
  }
  await db.query(
    `insert into ${schema}.schema_version (version) values (${SCHEMA_VERSION})
     on conflict (one) do update set version = excluded.version, changed_at = clock_timestamp()`,
  );
}
