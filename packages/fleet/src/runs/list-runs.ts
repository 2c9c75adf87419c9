import { checkName, invalidOption } from "../accounting/invalid-option.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import type { RunInfo, RunState } from "./run.js";
import { isUuid } from "./run-not-found.js";
import { RUN_COLUMNS, type RunRow, toRunInfo } from "./run-row.js";

/** Which runs a listing has. */
export interface RunFilter {
  readonly tenant?: string;
  readonly state?: RunState | readonly RunState[];
  readonly session?: string;
  /** The most runs that are listed. @default no limit */
  readonly limit?: number;
}

const PAGE = 100;

/** Prompts and answers can be large. A page ends after so many bytes of them, but has at least one run. */
const PAGE_BYTES = 8 * 1024 * 1024;

/** Runs, the newest first, page by page: each page begins after the last run of the one before. */
export async function* listRuns(
  { database }: FleetParts,
  filter: RunFilter = {},
): AsyncGenerator<RunInfo, void, undefined> {
  const { tenant, state, session, limit = Number.POSITIVE_INFINITY } = filter;
  if (!(limit >= 0)) throw invalidOption("limit", "is not a number from 0", "Give a `limit`.");
  if (tenant !== undefined) checkName("tenant", tenant);
  if (session !== undefined && !isUuid(session)) {
    throw invalidOption("session", "is not the id of a session", "Use `sessionId` of a run.");
  }
  const states = state === undefined ? null : [state].flat();
  let before: string | null = null;
  for (let rest = limit; rest > 0; ) {
    const size = Math.min(PAGE, rest);
    const { rows }: { rows: RunRow[] } = await database.query<RunRow>(
      `with page as (
         select number, octet_length(request) + coalesce(octet_length(outcome), 0) as bytes
         from ${database.schema}.run
         where ($1::text is null or tenant = $1) and ($2::text[] is null or state = any($2))
           and ($3::uuid is null or session_id = $3) and ($4::bigint is null or number < $4)
         order by number desc limit ${Math.ceil(size)}
       ), small as (
         select number from (
           select number, sum(bytes) over (order by number desc) - bytes as before from page
         ) as summed where before < ${PAGE_BYTES}
       )
       select ${RUN_COLUMNS} from ${database.schema}.run join small using (number) order by number desc`,
      [tenant ?? null, states, session ?? null, before],
    );
    for (const row of rows) yield toRunInfo(row);
    const last = rows.at(-1);
    if (last === undefined) return;
    before = last.number;
    rest -= rows.length;
  }
}
