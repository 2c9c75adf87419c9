import type { FleetParts } from "../engine/fleet-parts.js";
import { cancelRun, endUnheard, expireRun } from "./cancel-run.js";
import { toError } from "./failures.js";
import { readEvents } from "./read-events.js";
import { retryRun } from "./retry-run.js";
import type { Run, RunFailure, RunInfo, RunOutcome } from "./run.js";
import { checkRunId, runNotFound } from "./run-not-found.js";
import { RUN_COLUMNS, type RunRow, SETTLED, toRunInfo } from "./run-row.js";
import type { RunWatch } from "./run-watch.js";

/** What a `Run` needs beside its id. */
export interface RunParts extends FleetParts {
  readonly watch: RunWatch;
}

/** One run by its id. Whether it exists is seen at the first question. */
export function createRun(parts: RunParts, id: string): Run {
  return {
    id,
    info: () => readRun(parts, id),
    result: (options = {}) => waitForResult(parts, id, options.signal),
    events: (options = {}) => readEvents(parts, id, options),
    cancel: (reason) => cancelRun(parts, id, reason),
    retry: () => retryRun(parts, id),
  };
}

async function readRun(parts: FleetParts, id: string): Promise<RunInfo> {
  return toRunInfo(await readRow(parts, id));
}

async function readRow({ database }: FleetParts, id: string): Promise<RunRow> {
  checkRunId(id);
  const { rows } = await database.query<RunRow>(
    `select ${RUN_COLUMNS} from ${database.schema}.run where id = $1`,
    [id],
  );
  if (rows[0] === undefined) throw runNotFound(id);
  return rows[0];
}

async function waitForResult(
  parts: RunParts,
  id: string,
  signal: AbortSignal | undefined,
): Promise<RunOutcome> {
  using follower = await parts.watch.follow(id, signal);
  for (;;) {
    follower.begin();
    const run = await readRow(parts, id);
    if (run.outcome !== null) return JSON.parse(run.outcome) as RunOutcome;
    if (SETTLED.has(run.state)) {
      throw toError(JSON.parse(run.error ?? "{}") as RunFailure, run.session_id);
    }
    if (!(await endIfDue(parts, run))) await follower.changed();
  }
}

/** A run in a fleet without workers has nobody else that looks after its deadline, or after its host. */
async function endIfDue(parts: FleetParts, run: RunRow): Promise<boolean> {
  if (run.cancel_requested_at === null) return run.is_late && (await expireRun(parts, run.id));
  return run.state === "running" && (await endUnheard(parts, run.id));
}
