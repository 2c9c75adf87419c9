import type { FleetParts } from "../engine/fleet-parts.js";

/** What an account does now. */
export interface AccountState {
  readonly account: string;
  /** Runs whose lease holds. */
  readonly active: number;
  readonly pausedUntil?: Date;
  /** Why it is paused. */
  readonly reason?: string;
}

/** The accounts that have limits, a pause, or runs. */
export async function readAccounts({ database }: FleetParts): Promise<AccountState[]> {
  const { schema } = database;
  const { rows } = await database.query<{
    account: string;
    active: number;
    paused_until: Date | null;
    reason: string | null;
  }>(
    `with live as (
       select run.account, count(*)::int as active
       from ${schema}.run join ${schema}.session on session.id = run.session_id
       where run.state = 'running' and session.epoch = run.epoch and session.expires_at > clock_timestamp()
       group by run.account
     )
     select coalesce(account.name, live.account) as account, coalesce(live.active, 0) as active,
       case when account.paused_until > clock_timestamp() then account.paused_until end as paused_until,
       case when account.paused_until > clock_timestamp() then account.reason end as reason
     from ${schema}.account full join live on live.account = account.name
     order by 1`,
  );
  return rows.map(({ account, active, paused_until, reason }) => ({
    account,
    active,
    ...(paused_until === null ? {} : { pausedUntil: paused_until }),
    ...(reason === null ? {} : { reason }),
  }));
}
