import { invalidOption } from "../accounting/invalid-option.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import { expireRun } from "./cancel-run.js";
import type { RunParts } from "./create-run.js";
import type { RunEvent, RunState } from "./run.js";
import { checkRunId, runNotFound } from "./run-not-found.js";
import { SETTLED } from "./run-row.js";

/** Events of one statement. */
const BATCH = 500;

/** Results of tools can be large. A batch ends after so many bytes, but has at least one event. */
const BATCH_BYTES = 8 * 1024 * 1024;

/** The events of a run after a number, until the run is settled and all of them were read. */
export async function* readEvents(
  parts: RunParts,
  run: string,
  {
    after = 0,
    signal,
  }: { readonly after?: number | undefined; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<RunEvent, void, undefined> {
  if (!Number.isSafeInteger(after) || after < 0) {
    throw invalidOption("after", "is not the number of an event", "Use `seq` of the last event.");
  }
  checkRunId(run);
  let last = after;
  using follower = await parts.watch.follow(run, signal);
  for (;;) {
    follower.begin();
    const { events, state, isLate, hasMore } = await readBatch(parts, run, last);
    for (const event of events) {
      last = event.seq;
      yield event;
    }
    if (hasMore) continue;
    if (SETTLED.has(state)) return;
    const isExpired = isLate && (await expireRun(parts, run));
    if (!isExpired) await follower.changed();
  }
}

interface EventRow {
  readonly seq: string | null;
  readonly type: string;
  readonly data: string;
  readonly at: Date;
  readonly state: RunState;
  readonly is_late: boolean;
  /** How many events there were, before the batch was cut at its size. */
  readonly found: number | null;
}

/** Events and state of one moment: a run that is settled here has no event that is not here, or in the next batch. */
async function readBatch(
  { database }: FleetParts,
  run: string,
  after: number,
): Promise<{
  readonly events: readonly RunEvent[];
  readonly state: RunState;
  readonly isLate: boolean;
  readonly hasMore: boolean;
}> {
  const { rows } = await database.query<EventRow>(
    `select event.seq, event.type, event.data, event.at, event.found, run.state,
       coalesce(run.deadline <= clock_timestamp(), false) and run.cancel_requested_at is null as is_late
     from ${database.schema}.run left join lateral (
       select * from (
         select *, sum(octet_length(data)) over (order by seq) - octet_length(data) as before,
           (count(*) over ())::int as found
         from (
           select * from ${database.schema}.event where run_id = run.id and seq > $2 order by seq limit ${BATCH}
         ) as page
       ) as summed where before < ${BATCH_BYTES}
     ) as event on true
     where run.id = $1 order by event.seq`,
    [run, after],
  );
  const [first] = rows;
  if (first === undefined) throw runNotFound(run);
  const events = rows.filter(({ seq }) => seq !== null).map(toEvent);
  return {
    events,
    state: first.state,
    isLate: first.is_late && !SETTLED.has(first.state),
    hasMore: events.length === BATCH || events.length < (first.found ?? 0),
  };
}

function toEvent({ seq, at, type, data }: EventRow): RunEvent {
  return { seq: Number(seq), at, type, ...JSON.parse(data) } as RunEvent;
}
