import { checkName, invalidOption, isStorable } from "../accounting/invalid-option.js";
import type { Database } from "../database/database.js";
import type { FleetDocuments } from "./fleet-documents.js";

/** The documents of one collection. */
export function createDocuments(database: Database, collection: string): FleetDocuments {
  checkName("collection", collection);
  const table = `${database.schema}.document`;
  return {
    get: async (tenant, id) => {
      // Clients choose the ids that they ask for. One that cannot be stored was never put.
      if (!isStorable(tenant) || !isStorable(id)) return undefined;
      const { rows } = await database.query<{ body: string }>(
        `select body from ${table} where collection = $1 and tenant = $2 and id = $3
         and (expires_at is null or expires_at > clock_timestamp())`,
        [collection, tenant, id],
      );
      return rows[0] === undefined ? undefined : JSON.parse(rows[0].body);
    },
    put: async (tenant, id, value, { ttlMs } = {}) => {
      checkName("tenant", tenant);
      checkName("id", id);
      const body = JSON.stringify(value);
      if (body === undefined) throw invalidOption("value", "is not JSON", "Give a JSON value.");
      // What has expired makes room, a few at a time, so that no program has to tidy up.
      await database.query(
        `with expired as (
           delete from ${table} where ctid = any(array(
             select ctid from ${table} where expires_at <= clock_timestamp()
               and (collection, tenant, id) <> ($1, $2, $3)
             limit ${SWEPT} for update skip locked
           ))
         )
         insert into ${table} (collection, tenant, id, body, expires_at)
         values ($1, $2, $3, $4, clock_timestamp() + $5 * interval '1 millisecond')
         on conflict (collection, tenant, id) do update
           set body = excluded.body, at = clock_timestamp(), expires_at = excluded.expires_at`,
        [collection, tenant, id, body, ttlMs ?? null],
      );
    },
    delete: async (tenant, id) => {
      if (!isStorable(tenant) || !isStorable(id)) return false;
      const { rows } = await database.query<{ is_kept: boolean }>(
        `delete from ${table} where collection = $1 and tenant = $2 and id = $3
         returning expires_at is null or expires_at > clock_timestamp() as is_kept`,
        [collection, tenant, id],
      );
      return rows[0]?.is_kept === true;
    },
  };
}

/** How many expired documents a new one removes at most. */
const SWEPT = 20;
