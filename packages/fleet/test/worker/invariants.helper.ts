import { expect } from "vitest";
import type { HostWorld } from "../support/host-world.js";

/** What must hold in the tables after whatever happened to the hosts. All runs are settled. */
export async function expectInvariants(world: HostWorld): Promise<void> {
  const check = async (sql: string) => expect(await world.rows(sql)).toEqual([]);
  // Every run has one event `ended`, and every segment one charge.
  await check(`select run.id from hawser.run left join hawser.event on event.run_id = run.id and event.type = 'ended'
    group by run.id having count(event.seq) <> 1`);
  await check(`select segment.run_id, segment.segment from hawser.segment
    left join hawser.charge using (run_id, segment) where charge.run_id is null or segment."end" is null`);
  // A segment whose host died is estimated; one that the CLI ended is not.
  await check(`select * from hawser.segment join hawser.charge using (run_id, segment)
    where (segment."end" = 'lost') <> charge.estimated and segment."end" in ('lost', 'done')`);
  // What was spent is what was charged, and nothing is reserved.
  await check(`select tenant, sum(cost_usd) from hawser.spend group by tenant
    having sum(cost_usd) <> (select coalesce(sum(cost_usd), 0) from hawser.charge where charge.tenant = spend.tenant)
      or sum(reserved_usd) <> 0`);
  // Entries have contiguous numbers, and never a smaller epoch after a greater one.
  await check(`select * from (select session_id, seq, epoch,
      lag(seq) over by_number as seq_before, lag(epoch) over by_number as epoch_before
      from hawser.entry window by_number as (partition by session_id order by seq)) as entry
    where seq <> seq_before + 1 or epoch < epoch_before`);
  // No two segments of a session overlap.
  await check(`select * from (select run.session_id, segment.began_at,
      lag(segment.ended_at) over (partition by run.session_id order by segment.began_at) as ended_before
      from hawser.segment join hawser.run on run.id = segment.run_id) as segment
    where began_at < ended_before`);
  // No lease and no job is left.
  await check(`select id, holder from hawser.session where expires_at is not null`);
  await check(`select id from hawser_boss.job where state in ('created', 'retry', 'active')
    and name not like '\\_\\_%'`);
}
