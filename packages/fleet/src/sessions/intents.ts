import type { Queryable } from "../database/database.js";
import { leaseLost } from "./session-row.js";

/** The segment that makes the calls. */
export interface IntentOwner {
  readonly run: string;
  readonly sessionId: string;
  readonly segment: number;
  readonly epoch: number;
}

export interface IntendedCall {
  readonly toolUseId: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * Writes a tool call down before it may begin, because the transcript knows of it only afterwards. Rejects with
 * `lease_lost` if somebody else has the session. A call that was parked is written again by the segment that runs it.
 */
export async function recordIntent(
  db: Queryable,
  schema: string,
  owner: IntentOwner,
  { toolUseId, tool, input }: IntendedCall,
): Promise<void> {
  const { rowCount } = await db.query(
    `insert into ${schema}.intent (run_id, tool_use_id, segment, epoch, tool, input)
     select $1, $2, $3, $4, $5, $6 from ${schema}.session where id = $7 and epoch = $4 for share
     on conflict (run_id, tool_use_id) do update
       set segment = excluded.segment, epoch = excluded.epoch, input = excluded.input, done = false,
         at = clock_timestamp()`,
    [
      owner.run,
      toolUseId,
      owner.segment,
      owner.epoch,
      tool,
      JSON.stringify(input),
      owner.sessionId,
    ],
  );
  if (rowCount !== 1) throw leaseLost(owner.sessionId, owner.epoch);
}

/**
 * Marks calls of this segment as ended. Calls of earlier segments stay uncertain, whatever the CLI writes about them
 * when it resumes.
 */
export async function markDone(
  db: Queryable,
  schema: string,
  owner: IntentOwner,
  toolUseIds: readonly string[],
): Promise<void> {
  if (toolUseIds.length === 0) return;
  await db.query(
    `update ${schema}.intent set done = true
     where run_id = $1 and epoch = $2 and tool_use_id = any($3::text[]) and not done`,
    [owner.run, owner.epoch, toolUseIds],
  );
}

/** Marks calls of any segment as ended: their results are in the transcript. */
export async function markEnded(
  db: Queryable,
  schema: string,
  owner: IntentOwner,
  toolUseIds: readonly string[],
): Promise<void> {
  await db.query(
    `update ${schema}.intent set done = true where run_id = $1 and tool_use_id = any($2::text[])
       and exists (select 1 from ${schema}.session where id = $3 and epoch = $4)`,
    [owner.run, toolUseIds, owner.sessionId, owner.epoch],
  );
}

/**
 * Makes calls uncertain again that have ended, except those whose results the model can read: the calls of the segments
 * that were lost one after the other before this one. A host can die before it has reopened the calls of the one before.
 */
export async function reopenIntents(
  db: Queryable,
  schema: string,
  owner: IntentOwner,
  { except }: { readonly except: readonly string[] },
): Promise<readonly string[]> {
  const { rows } = await db.query<{ tool_use_id: string }>(
    `update ${schema}.intent set done = false
     where run_id = $1 and segment < $2 and done and not tool_use_id = any($3::text[])
       and segment > (select coalesce(max(segment), 0) from ${schema}.segment
         where run_id = $1 and segment < $2 and "end" <> 'lost')
       and exists (select 1 from ${schema}.session where id = $4 and epoch = $5)
     returning tool_use_id`,
    [owner.run, owner.segment, except, owner.sessionId, owner.epoch],
  );
  return rows.map(({ tool_use_id }) => tool_use_id);
}

/** Forgets a call that has not begun: a person must decide it first. */
export async function removeIntent(
  db: Queryable,
  schema: string,
  owner: IntentOwner,
  toolUseId: string,
): Promise<void> {
  await db.query(
    `delete from ${schema}.intent where run_id = $1 and epoch = $2 and tool_use_id = $3`,
    [owner.run, owner.epoch, toolUseId],
  );
}
