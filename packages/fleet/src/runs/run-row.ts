import type { PriorityLevel } from "../accounting/fair-order.js";
import type { Claim } from "./claims.js";
import type { RunFailure, RunInfo, RunOptions, RunOutcome, RunState } from "./run.js";

/** A row of the table `run`, as the driver returns it: bigint and numeric are strings. */
export interface RunRow {
  readonly id: string;
  readonly number: string;
  readonly tenant: string;
  readonly key: string | null;
  readonly profile: string;
  readonly queue: string;
  readonly state: RunState;
  readonly request: string;
  readonly request_hash: string;
  readonly session_id: string;
  readonly fork_of: string | null;
  readonly job_id: string | null;
  readonly priority: PriorityLevel;
  readonly tag: string;
  readonly segment: number;
  readonly next_how: Claim["how"];
  readonly deaths: number;
  readonly max_attempts: number;
  readonly epoch: string | null;
  readonly host: string | null;
  readonly account: string | null;
  readonly budget_usd: string | null;
  readonly reserved_usd: string;
  /** `YYYY-MM-DD` */
  readonly reserved_on: string | null;
  readonly cost_usd: string;
  readonly cost_estimated: boolean;
  readonly next_event: string;
  readonly cancel_requested_at: Date | null;
  readonly cancel_reason: string | null;
  readonly outcome: string | null;
  readonly error: string | null;
  readonly metadata: string;
  readonly start_after: Date | null;
  readonly deadline: Date | null;
  readonly timeout_ms: string | null;
  readonly worked_ms: string;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
  /** Whether the deadline has passed, by the clock of the database. */
  readonly is_late: boolean;
}

const COLUMNS = [
  "id",
  "number",
  "tenant",
  "key",
  "profile",
  "queue",
  "state",
  "request",
  "request_hash",
  "session_id",
  "fork_of",
  "job_id",
  "priority",
  "tag",
  "segment",
  "next_how",
  "deaths",
  "max_attempts",
  "epoch",
  "host",
  "account",
  "budget_usd",
  "reserved_usd",
  "cost_usd",
  "cost_estimated",
  "next_event",
  "cancel_requested_at",
  "cancel_reason",
  "outcome",
  "error",
  "metadata",
  "start_after",
  "deadline",
  "timeout_ms",
  "worked_ms",
  "created_at",
  "started_at",
  "ended_at",
] as const;

/** The select list of a `RunRow`, from the table or alias `run`. */
export const RUN_COLUMNS: string = [
  ...COLUMNS.map((name) => `run.${name}`),
  // The driver would turn a date into midnight of the local time zone.
  "to_char(run.reserved_on, 'YYYY-MM-DD') as reserved_on",
  "coalesce(run.deadline <= clock_timestamp(), false) as is_late",
].join(", ");

const PRIORITY_NAMES = { [-1]: "low", 0: "normal", 1: "high" } as const;

/** The level of each name of a priority. */
export const PRIORITY_LEVELS: Readonly<Record<RunInfo["priority"], PriorityLevel>> = {
  low: -1,
  normal: 0,
  high: 1,
};

/** What a caller sees of a row. */
export function toRunInfo(row: RunRow): RunInfo {
  const { prompt, options } = JSON.parse(row.request) as {
    readonly prompt: RunInfo["prompt"];
    readonly options: RunOptions;
  };
  return {
    id: row.id,
    tenant: row.tenant,
    profile: row.profile,
    queue: row.queue,
    state: row.state,
    prompt,
    options,
    sessionId: row.session_id,
    ...present("forkOf", row.fork_of),
    priority: PRIORITY_NAMES[row.priority],
    ...present("key", row.key),
    ...present("budgetUsd", row.budget_usd === null ? null : Number(row.budget_usd)),
    ...present("timeoutMs", row.timeout_ms === null ? null : Number(row.timeout_ms)),
    workedMs: Number(row.worked_ms),
    ...present("startAfter", row.start_after),
    metadata: JSON.parse(row.metadata) as Record<string, string>,
    segments: row.segment,
    deaths: row.deaths,
    costUsd: Number(row.cost_usd),
    createdAt: row.created_at,
    ...present("startedAt", row.started_at),
    ...present("endedAt", row.ended_at),
    ...present("deadline", row.deadline),
    ...present("host", row.host),
    ...present("outcome", row.outcome === null ? null : (JSON.parse(row.outcome) as RunOutcome)),
    ...present("error", row.error === null ? null : (JSON.parse(row.error) as RunFailure)),
  };
}

/** The states in which a run does not change any more, unless it is retried. */
export const SETTLED: ReadonlySet<RunState> = new Set(["done", "failed", "cancelled"]);

function present<Name extends string, Value>(
  name: Name,
  value: Value | null,
): { readonly [name in Name]?: Value } {
  return (value === null ? {} : { [name]: value }) as { readonly [name in Name]?: Value };
}
