import { HawserError } from "hawser";
import type { Database, Queryable } from "../database/database.js";
import { quoteName } from "../database/schema-name.js";

/** Rows that are read and written at once. */
const BATCH = 200;

/** Rows with more bytes travel alone: 200 prompts with images would not fit into one text of JavaScript. */
const LARGE_ROW_BYTES = 65_536;

interface Table {
  readonly schema: string;
  readonly name: string;
  /** The columns that can be written. */
  readonly columns: readonly string[];
}

/**
 * Replaces the fleet of one database by that of another, queue included, in one transaction. Both must have the
 * tables of this version: open the databases and their engines first. Returns how many rows were copied.
 */
export async function copyFleet(source: Database, target: Database): Promise<number> {
  return source.transaction((from) =>
    target.transaction(async (to) => {
      // All tables of one moment: otherwise a run that ends meanwhile could come without its job.
      await from.query("set transaction isolation level repeatable read");
      await refuseSame(from, to);
      for (const side of [from, to]) {
        await side.query("set local statement_timeout = 0");
        await side.query("set local idle_in_transaction_session_timeout = 0");
      }
      const schemas = schemasOf(source);
      const tables = await tablesOf(from, schemas, schemasOf(target));
      // Rows that a trigger would add are copied too. Postgres changes no table whose constraints wait for a check.
      await to.query("set constraints all immediate");
      for (const { to: name } of tables) await to.query(`alter table ${name} disable trigger user`);
      for (const { to: name } of [...tables].reverse()) await to.query(`delete from ${name}`);
      let rows = 0;
      for (const table of tables) rows += await copyTable(from, to, table);
      for (const { to: name } of tables) await to.query(`alter table ${name} enable trigger user`);
      await copySequences(from, to, schemas, schemasOf(target));
      return rows;
    }),
  );
}

/** A copy onto itself would wait for itself for ever. */
async function refuseSame(from: Queryable, to: Queryable): Promise<void> {
  await from.query("select pg_advisory_xact_lock(hashtextextended('hawser copy', 0))");
  const { rows } = await to.query<{ isOther: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended('hawser copy', 0)) as "isOther"`,
  );
  if (rows[0]?.isOther === true) return;
  throw new HawserError("invalid_options", "A fleet cannot be copied into its own database.", {
    hint: "Name another database to copy to.",
  });
}

/** The schema of the fleet, and that of its queue. */
function schemasOf(database: Database): [fleet: string, queue: string] {
  const name = database.schema.slice(1, -1);
  return [name, `${name}_boss`];
}

interface CopiedTable {
  readonly from: string;
  readonly to: string;
  readonly columns: string;
}

/** All tables with rows of their own: those that others refer to come first. */
async function tablesOf(
  from: Queryable,
  schemas: readonly string[],
  targets: readonly string[],
): Promise<CopiedTable[]> {
  const { rows: tables } = await from.query<Table & { id: number; needs: number[] }>(
    `select c.oid::int as id, n.nspname as schema, c.relname as name,
       array_agg(a.attname::text order by a.attnum) as columns,
       array(select f.confrelid::int from pg_constraint f
             where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as needs
     from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relkind = 'r' and n.nspname = any ($1)
     group by c.oid, n.nspname, c.relname order by 2, 3`,
    [schemas],
  );
  const ordered = new Map<number, CopiedTable>();
  const rest = new Set(tables);
  while (rest.size > 0) {
    const ids = new Set([...rest].map(({ id }) => id));
    const free = [...rest].filter(({ needs }) => !needs.some((id) => ids.has(id)));
    // Tables that refer to each other: their constraints are checked at the end, or the copy fails.
    for (const table of free.length > 0 ? free : [...rest]) {
      rest.delete(table);
      const target = targets[schemas.indexOf(table.schema)] ?? table.schema;
      ordered.set(table.id, {
        from: sqlName(table.schema, table.name),
        to: sqlName(target, table.name),
        columns: table.columns.map(quoteName).join(", "),
      });
    }
  }
  return [...ordered.values()];
}

async function copyTable(from: Queryable, to: Queryable, table: CopiedTable): Promise<number> {
  const small = await copyRows(from, to, table, `<= ${LARGE_ROW_BYTES}`, BATCH);
  return small + (await copyRows(from, to, table, `> ${LARGE_ROW_BYTES}`, 1));
}

/** Copies the rows of a size. They travel as JSON, whose numbers and texts are exact. */
async function copyRows(
  from: Queryable,
  to: Queryable,
  table: CopiedTable,
  size: string,
  batch: number,
): Promise<number> {
  const { columns } = table;
  await from.query(
    `declare copied no scroll cursor for
     select row from (
       select row_to_json(t)::text as row from (select ${columns} from ${table.from}) t
     ) as rows where octet_length(row) ${size}`,
  );
  let copied = 0;
  for (;;) {
    const { rows } = await from.query<{ row: string }>(`fetch ${batch} from copied`);
    if (rows.length === 0) break;
    const { rowCount } = await to.query(
      `insert into ${table.to} (${columns}) overriding system value
       select ${columns} from json_populate_recordset(null::${table.to}, $1::json)`,
      [`[${rows.map(({ row }) => row).join(",")}]`],
    );
    if (rowCount !== rows.length) {
      throw new Error(`${rows.length} rows of ${table.from} became ${rowCount}.`);
    }
    copied += rows.length;
  }
  await from.query("close copied");
  return copied;
}

async function copySequences(
  from: Queryable,
  to: Queryable,
  schemas: readonly string[],
  targets: readonly string[],
): Promise<void> {
  const { rows } = await from.query<{ schema: string; name: string; value: string }>(
    `select schemaname as schema, sequencename as name, last_value::text as value
     from pg_sequences where schemaname = any ($1) and last_value is not null`,
    [schemas],
  );
  for (const { schema, name, value } of rows) {
    const target = targets[schemas.indexOf(schema)] ?? schema;
    await to.query("select setval($1::regclass, $2)", [sqlName(target, name), value]);
  }
}

function sqlName(schema: string, name: string): string {
  return `${quoteName(schema)}.${quoteName(name)}`;
}
