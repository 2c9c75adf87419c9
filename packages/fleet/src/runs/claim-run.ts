import { isHawserError } from "hawser";
import { blockedTenants, mayHaveWork } from "../accounting/blocked-tenants.js";
import { type BudgetState, NO_BUDGET, readBudget, waitForBudget } from "../accounting/budget.js";
import { IS_LATE, isRebaseDue } from "../accounting/fair-order.js";
import { expectedCost, reserve } from "../accounting/ledger.js";
import type { Queryable } from "../database/database.js";
import type { Job } from "../engine/engine.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import type { Claim, Claimant } from "./claims.js";
import { closeLost } from "./close-lost.js";
import { endRun, type RunEnd } from "./end-run.js";
import { budgetFailure, hostLostFailure, lateFailure, runBudgetFailure } from "./failures.js";
import { tryLockSessionQueue } from "./lock-run.js";
import { putBackToClock } from "./put-back-to-clock.js";
import type { RunEventBody } from "./run.js";
import { RUN_COLUMNS, type RunRow, toRunInfo } from "./run-row.js";
import { endOfCancelled } from "./settle-segment.js";
import { readUncertain } from "./uncertain-tools.js";
import { hasUntriedWorker } from "./untried-workers.js";
import { eventColumns, writeEvents } from "./write-events.js";

/** What came of one attempt to claim. */
export type ClaimAttempt =
  | {
      readonly type: "claimed";
      readonly claim: Omit<Claim, "claimedAt">;
      readonly rebaseDue: boolean;
    }
  /** A job was taken out of the queue or put off. There may be another one. */
  | { readonly type: "again" }
  | { readonly type: "none" };

/** A session that someone else has, or a row that is locked, is looked at again after this time. */
const LOOK_AGAIN_MS = 2_000;

/** A run that cannot be claimed at all is looked at again after this time. */
const SET_ASIDE_MS = 60_000;

/** Runs `work` alone over the whole fleet: claims and changes of ranks exclude each other. */
export async function claimAlone<Value>(
  { database }: FleetParts,
  work: (db: Queryable) => Promise<Value>,
): Promise<Value> {
  return await database.transaction(async (db) => {
    await db.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [
      `hawser claim ${database.schema}`,
    ]);
    return await work(db);
  });
}

/** Tries to claim one run of a queue, in a transaction of `claimAlone()`. */
export async function claimRun(
  parts: FleetParts,
  db: Queryable,
  { host, queue, unfitFor = NONE }: ClaimingHost,
): Promise<ClaimAttempt> {
  const { database, engine } = parts;
  const blocked = await blockedTenants(db, database.schema);
  for (;;) {
    const mayFind =
      blocked.length === 0 || (await mayHaveWork(db, database.schema, { queue, blocked }));
    if (!mayFind) return { type: "none" };
    await db.query("savepoint before_job");
    const job = await engine.claim({ queue, blocked }, db);
    if (job === undefined) return { type: "none" };
    const attempt = await takeOrSetAside(parts, db, { job, host, unfitFor });
    if (!isRefused(attempt)) return attempt;
    // The job stays in the queue.
    await db.query("rollback to savepoint before_job");
    if (attempt.type === "late") await putBackToClock(parts, db, attempt.run);
    // The engine passes over tenants, not over single jobs.
    else if (attempt.type === "unfit") blocked.push(attempt.run.tenant);
    else {
      // The tenant is passed over, also by the claims that follow.
      await waitForBudget(db, database.schema, attempt.run.tenant, attempt.budget);
      blocked.push(attempt.run.tenant);
    }
  }
}

/** A host that claims from one queue. */
interface ClaimingHost extends Pick<Claimant, "host" | "unfitFor"> {
  readonly queue: string;
}

const NONE: ReadonlySet<string> = new Set();

/** Why a job stays in the queue after all. */
type Refused =
  /** This host could not start the run, and another one has not tried it. */
  | { readonly type: "unfit"; readonly run: RunRow }
  | { readonly type: "no_money"; readonly run: RunRow; readonly budget: BudgetState }
  | { readonly type: "late"; readonly run: RunRow };

function isRefused(attempt: ClaimAttempt | Refused): attempt is Refused {
  return ["no_money", "late", "unfit"].includes(attempt.type);
}

interface ClaimedJob extends Required<Pick<Claimant, "host" | "unfitFor">> {
  readonly job: Job;
}

/**
 * A run that cannot be claimed or ended because of what is stored of it stands first in its queue again and again. It
 * must not stop all others: it is left alone for a while.
 */
async function takeOrSetAside(
  parts: FleetParts,
  db: Queryable,
  claimed: ClaimedJob,
): Promise<ClaimAttempt | Refused> {
  try {
    return await takeJob(parts, db, claimed);
  } catch (error) {
    if (isHawserError(error, "database_unavailable")) throw error;
    await db.query("rollback to savepoint before_job");
    await parts.engine.delay(claimed.job, SET_ASIDE_MS, db);
    parts.logger?.error("A run cannot be claimed.", { run: claimed.job.run, error });
    return { type: "again" };
  }
}

async function takeJob(
  parts: FleetParts,
  db: Queryable,
  { job, host, unfitFor }: ClaimedJob,
): Promise<ClaimAttempt | Refused> {
  const { engine } = parts;
  const run = await lockSessionAndRun(parts, db, job.run);
  if (run === "gone" || (run !== "locked" && !isJobOf(run, job))) {
    await engine.complete(job, db);
    return { type: "again" };
  }
  if (run === "locked" || run.leased_by_other) return await putOff(parts, db, job);
  if (run.state === "running") return await recoverLost(parts, db, { job, run });
  if (run.is_late_for_lane) return { type: "late", run };
  if (unfitFor.has(run.id) && (await hasUntriedWorker(parts, db, run, host))) {
    return { type: "unfit", run };
  }
  const budget = run.has_budget
    ? await readBudget(db, parts.database.schema, run.tenant)
    : NO_BUDGET;
  const ending = endingOf(run, budget);
  if (ending !== undefined) return await endInstead(parts, db, { job, run, ending });
  if (budget.leftUsd !== undefined && budget.leftUsd <= 0) {
    return { type: "no_money", run, budget };
  }
  return await begin(parts, db, { job, host, run, leftUsd: budget.leftUsd });
}

interface FoundRun extends RunRow {
  /** Someone has the session by `sessionStore.take()`. The lease of this run's own lost segment does not count. */
  readonly leased_by_other: boolean;
  readonly tenant_account: string;
  readonly has_budget: boolean;
  /** Whether the run gets a tag at the clock, see `takeLateTags()`. One that was begun before has had its turn. */
  readonly is_late_for_lane: boolean;
  /** How long the lost segment had worked when its host was heard of last. */
  readonly lost_after_ms: string | null;
}

/**
 * The run with its session, both locked. Nothing is waited for, because all claims of the fleet would wait as well:
 * a caller's transaction may have locked the run.
 */
async function lockSessionAndRun(
  { database, leaseMs }: FleetParts,
  db: Queryable,
  run: string,
): Promise<FoundRun | "gone" | "locked"> {
  const { schema } = database;
  const { rows } = await db.query<FoundRun>(
    `with leased as (
       select id, epoch, expires_at from ${schema}.session
       where id = (select session_id from ${schema}.run where id = $1) for no key update skip locked
     )
     select ${RUN_COLUMNS},
       coalesce(leased.expires_at > clock_timestamp(), false)
         and not (run.state = 'running' and run.epoch = leased.epoch) as leased_by_other,
       coalesce(tenant.account, 'default') as tenant_account,
       coalesce(tenant.day_usd, tenant.month_usd, tenant.total_usd) is not null as has_budget,
       run.segment = 0 and coalesce((
         select ${IS_LATE}
         from ${schema}.clock join ${schema}.lane using (queue, priority)
         where queue = run.queue and priority = run.priority and lane.tenant = run.tenant
       ), false) as is_late_for_lane,
       (select greatest(0, extract(epoch from leased.expires_at - segment.began_at) * 1000 - $2)
        from ${schema}.segment where run.state = 'running'
          and segment.run_id = run.id and segment.segment = run.segment)::bigint as lost_after_ms
     from ${schema}.run join leased on leased.id = run.session_id
     left join ${schema}.tenant on tenant.name = run.tenant
     where run.id = $1 for update of run skip locked`,
    [run, leaseMs],
  );
  if (rows[0] !== undefined) return rows[0];
  const { rows: any } = await db.query(`select 1 from ${schema}.run where id = $1`, [run]);
  return any.length === 0 ? "gone" : "locked";
}

/** False for the job of a run that was settled meanwhile, or that has another job by now. */
function isJobOf(run: RunRow, job: Job): boolean {
  return run.job_id === job.id && (run.state === "queued" || run.state === "running");
}

async function putOff({ engine }: FleetParts, db: Queryable, job: Job): Promise<ClaimAttempt> {
  await engine.giveBack(job, { startAfterMs: LOOK_AGAIN_MS }, db);
  return { type: "again" };
}

/**
 * The host of the run's last segment was silent for too long. Closes the segment, and gives the run back to the queue,
 * or ends it.
 */
async function recoverLost(
  parts: FleetParts,
  db: Queryable,
  { job, run: lost }: { readonly job: Job; readonly run: FoundRun },
): Promise<ClaimAttempt> {
  if (!(await tryLockSessionQueue(parts, db, lost.session_id))) return await putOff(parts, db, job);
  const { run, event } = await closeLost(parts, db, lost, Number(lost.lost_after_ms ?? 0));
  const ending = endOfWanted(run) ?? endOfDeaths(run);
  if (ending !== undefined) {
    await parts.engine.complete(job, db);
    await endRun(parts, db, run, ending, [{ ...event, isLast: true }]);
  } else {
    await parts.engine.giveBack(job, {}, db);
    await writeEvents(parts, db, run.id, [event]);
  }
  return { type: "again" };
}

/** Why a run does not begin, but ends. */
function endingOf(run: RunRow, budget: BudgetState): RunEnd | undefined {
  const wanted = endOfWanted(run);
  if (wanted !== undefined) return wanted;
  if (budget.spent !== undefined && budget.onBudget === "refuse") {
    return { state: "failed", error: budgetFailure(run.tenant, budget.spent) };
  }
  const remaining = remainingUsd(run);
  if (remaining === undefined || remaining > 0) return undefined;
  return {
    state: "failed",
    error: runBudgetFailure(Number(run.cost_usd), Number(run.budget_usd)),
  };
}

/** Someone has cancelled the run, or its deadline has passed. */
function endOfWanted(run: RunRow): RunEnd | undefined {
  if (run.cancel_requested_at !== null) return endOfCancelled(run);
  return run.is_late ? { state: "failed", error: lateFailure(run.deadline) } : undefined;
}

function endOfDeaths(run: RunRow): RunEnd | undefined {
  if (run.deaths < run.max_attempts) return undefined;
  return { state: "failed", error: hostLostFailure(run.deaths) };
}

/** What the run's own budget leaves; undefined without one. */
function remainingUsd(run: RunRow): number | undefined {
  return run.budget_usd === null ? undefined : Number(run.budget_usd) - Number(run.cost_usd);
}

async function endInstead(
  parts: FleetParts,
  db: Queryable,
  { job, run, ending }: { readonly job: Job; readonly run: RunRow; readonly ending: RunEnd },
): Promise<ClaimAttempt> {
  if (!(await tryLockSessionQueue(parts, db, run.session_id))) return await putOff(parts, db, job);
  await parts.engine.complete(job, db);
  await endRun(parts, db, run, ending);
  return { type: "again" };
}

interface Beginning {
  readonly job: Job;
  readonly host: string;
  readonly run: FoundRun;
  /** What the tenant's budgets leave; undefined without one. */
  readonly leftUsd: number | undefined;
}

/** Takes the session's lease, reserves money, and begins the next segment. */
async function begin(
  parts: FleetParts,
  db: Queryable,
  { job, host, run, leftUsd }: Beginning,
): Promise<ClaimAttempt> {
  const { database } = parts;
  const { schema } = database;
  const budgetUsd = least(remainingUsd(run), leftUsd);
  // Without any budget nothing is compared with a reservation.
  const wanted =
    remainingUsd(run) ?? (run.has_budget ? await expectedCost(db, schema, run.tenant) : 0);
  const reservedUsd = least(wanted, leftUsd) ?? 0;
  const day = reservedUsd > 0 ? await reserve(db, schema, run.tenant, reservedUsd) : null;
  const segment = run.segment + 1;
  const how = run.next_how;
  const { distance, ...taken } = await takeLease(parts, db, {
    run,
    host,
    reserved: { reservedUsd, day },
    started: { type: "started", segment, host, how },
  });
  const uncertain = segment > 1 ? await readUncertain(parts, db, run.id, segment) : [];
  await database.notify(db, "event", run.id);
  return {
    type: "claimed",
    rebaseDue: isRebaseDue(Number(distance)),
    claim: {
      job,
      run: toRunInfo(taken),
      epoch: Number(taken.epoch),
      segment,
      how,
      uncertain,
      budgetUsd,
      account: run.tenant_account,
    },
  };
}

/**
 * One statement, because all claims of the fleet wait for this one: session, run, segment, event, and the clock of the
 * fair order, which moves to the tag that is served. `distance` is how far the clock is from its base.
 */
async function takeLease(
  { database, leaseMs }: FleetParts,
  db: Queryable,
  {
    run,
    host,
    reserved,
    started,
  }: {
    readonly run: FoundRun;
    readonly host: string;
    readonly reserved: { readonly reservedUsd: number; readonly day: string | null };
    readonly started: RunEventBody & { readonly type: "started" };
  },
): Promise<RunRow & { readonly distance: string | null }> {
  const { schema } = database;
  const [[type], [data]] = eventColumns([started]);
  const { rows } = await db.query<RunRow & { distance: string | null }>(
    `with lease as (
       update ${schema}.session set epoch = epoch + 1, holder = $3,
         expires_at = clock_timestamp() + $4 * interval '1 millisecond'
       where id = $2 returning epoch
     ), run as (
       update ${schema}.run set state = 'running', segment = $5, epoch = lease.epoch, host = $3, account = $6,
         reserved_usd = $7, reserved_on = $8, started_at = coalesce(started_at, clock_timestamp()),
         next_event = next_event + 1
       from lease where id = $1 returning run.*
     ), begun as (
       insert into ${schema}.segment (run_id, segment, epoch, host, how)
       select id, segment, epoch, host, $9 from run
     ), event as (
       insert into ${schema}.event (run_id, seq, type, data) select id, next_event - 1, $10, $11 from run
     ), clock as (
       update ${schema}.clock set v = run.tag from run
       where clock.queue = run.queue and clock.priority = run.priority and clock.v < run.tag
       returning clock.v - clock.base as distance
     )
     select ${RUN_COLUMNS}, (select distance from clock) as distance from run`,
    [
      run.id,
      run.session_id,
      host,
      leaseMs,
      started.segment,
      run.tenant_account,
      reserved.reservedUsd,
      reserved.day,
      started.how,
      type,
      data,
    ],
  );
  const [taken] = rows;
  if (taken === undefined) throw new Error(`The run ${run.id} has no session.`);
  return taken;
}

function least(...amounts: (number | undefined)[]): number | undefined {
  const known = amounts.filter((amount) => amount !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
