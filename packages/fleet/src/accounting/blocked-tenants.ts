import type { Queryable } from "../database/database.js";

/**
 * The tenants of which nothing may begin now: paused, at their limit, without money, or with an account that is
 * paused or at its limit.
 */
export async function blockedTenants(db: Queryable, schema: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select distinct name from ${schema}.blocked_tenants() as name`,
  );
  return rows.map(({ name }) => name);
}

/**
 * Whether a queue may have a run of a tenant that is not blocked. The engine would read past every job of the
 * blocked ones; this reads one index entry for each tenant.
 */
export async function mayHaveWork(
  db: Queryable,
  schema: string,
  { queue, blocked }: { readonly queue: string; readonly blocked: readonly string[] },
): Promise<boolean> {
  const next = (after: string) => `
    select run.tenant from ${schema}.run
    where run.state = 'queued' and run.queue = $1 ${after} order by run.tenant limit 1`;
  const { rows } = await db.query<{ found: boolean }>(
    `with recursive waiting(tenant) as (
       (${next("")})
       union all
       select (${next("and run.tenant > waiting.tenant")}) from waiting where waiting.tenant is not null
     )
     select exists (select 1 from waiting where tenant is not null and tenant <> all($2::text[]))
       or exists (
         select 1 from ${schema}.run join ${schema}.session on session.id = run.session_id
         where run.state = 'running' and run.queue = $1 and run.tenant <> all($2::text[])
           and (session.expires_at is null or session.expires_at <= clock_timestamp())
       ) as found`,
    [queue, blocked],
  );
  return rows[0]?.found === true;
}
