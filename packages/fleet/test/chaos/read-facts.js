// What a chaos run has left in the tables and in the logs, for the invariants.
import { readFileSync } from "node:fs";
import { readLines } from "./place.js";

/** Amounts are compared as text, without zeros at the end. Times are milliseconds since 1970. */
const ms = (column) => `(extract(epoch from ${column}) * 1000)::float8`;

const TABLES = {
  runs: `select id, key, tenant, state, session_id, segment, outcome, error, reserved_usd::float8 as reserved,
    trim_scale(cost_usd)::text as cost, next_event::int, ended_at is not null as ended from hawser.run`,
  segments: `select s.run_id, s.segment, s.epoch::int, s.host, s.how, s."end", r.session_id,
    ${ms("s.began_at")} as began, ${ms("s.ended_at")} as ended
    from hawser.segment s join hawser.run r on r.id = s.run_id order by r.session_id, s.epoch`,
  charges: `select run_id, segment, tenant, trim_scale(cost_usd)::text as cost, estimated, requests from hawser.charge`,
  chargesOfRuns: `select run_id, trim_scale(sum(cost_usd))::text as cost from hawser.charge group by run_id`,
  chargesOfTenants: `select tenant, trim_scale(sum(cost_usd))::text as cost,
    trim_scale(coalesce(sum(cost_usd) filter (where estimated), 0))::text as estimated
    from hawser.charge group by tenant`,
  spend: `select tenant, trim_scale(sum(cost_usd))::text as cost, trim_scale(sum(estimated_usd))::text as estimated,
    sum(reserved_usd)::float8 as reserved, sum(runs)::int as runs from hawser.spend group by tenant`,
  events: `select run_id, seq::int, type, data from hawser.event
    where type in ('ended', 'answered', 'lost', 'started') order by run_id, seq`,
  lastEvents: `select distinct on (run_id) run_id, seq::int, type from hawser.event order by run_id, seq desc`,
  entries: `select session_id, seq::int, epoch::int from hawser.entry order by session_id, seq`,
  sessions: `select id, epoch::int, holder, expires_at, next_seq::int from hawser.session`,
  intents: `select run_id, tool_use_id, segment, input, done from hawser.intent`,
  approvals: `select id, run_id, tool_use_id, state, decision, answered_by from hawser.approval`,
  jobs: `select id, name, state::text from hawser_boss.job where state in ('created', 'retry', 'active')`,
};

/**
 * @param {{ query(sql: string): Promise<{ rows: any[] }> }} db
 * @returns {Promise<Record<keyof typeof TABLES, any[]>>}
 */
export async function readTables(db) {
  /** @type {Record<string, any[]>} */
  const facts = {};
  for (const [name, sql] of Object.entries(TABLES)) facts[name] = (await db.query(sql)).rows;
  return /** @type {Record<keyof typeof TABLES, any[]>} */ (facts);
}

/** The logs of the model, of the tool and of the people. */
export function readLogs(place) {
  return {
    requests: readLines(place.requests),
    answers: readLines(place.answers),
    executions: readFileSync(place.executions, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => {
        const [mark, at] = line.split(" ");
        return { mark, at: Number(at) };
      }),
  };
}
