import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import type { RunEventBody } from "./run.js";

/**
 * Adds events to a run, in the caller's transaction, and wakes its readers. The numbers have no gaps: the row of the
 * run stays locked until the transaction ends. The caller has checked that it may write. Returns the last number.
 */
export async function writeEvents(
  { database }: FleetParts,
  db: Queryable,
  run: string,
  events: readonly RunEventBody[],
): Promise<number> {
  if (events.length === 0) return 0;
  const [types, data] = eventColumns(events);
  const { rows } = await db.query<{ seq: string }>(
    `with numbered as (
       update ${database.schema}.run set next_event = next_event + $2 where id = $1
       returning next_event - $2 as first
     )
     insert into ${database.schema}.event (run_id, seq, type, data)
     select $1, numbered.first + added.position - 1, added.type, added.data
     from numbered, unnest($3::text[], string_to_array($4, E'\\n')) with ordinality
       as added(type, data, position)
     returning seq`,
    // JSON has no line break of its own. As an array, pg would escape each character: a tenth of a second a megabyte.
    [run, events.length, types, data.join("\n")],
  );
  await database.notify(db, "event", run);
  return rows.reduce((last, { seq }) => Math.max(last, Number(seq)), 0);
}

/** The types and the data of events. */
export function eventColumns(events: readonly RunEventBody[]): [types: string[], data: string[]] {
  const types: string[] = [];
  const data: string[] = [];
  for (const { type, ...rest } of events) {
    types.push(type);
    data.push(JSON.stringify(rest));
  }
  return [types, data];
}
