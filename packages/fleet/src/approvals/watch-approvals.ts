import { isHawserError } from "hawser";
import { invalidOption } from "../accounting/invalid-option.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import {
  APPROVAL_COLUMNS,
  type ApprovalRow,
  type QuestionState,
  toApproval,
  toRecord,
} from "./approval-row.js";
import { expireQuestions } from "./expire-questions.js";
import type { FleetApprovalChange, FleetApprovals } from "./fleet-approvals.js";
import { NotificationWaiter } from "./notification-waiter.js";

type WatchOptions = NonNullable<Parameters<FleetApprovals["watch"]>[0]>;

/** The changes of questions, read from the table in the order of their numbers. A notification only wakes the reader. */
export function watchApprovals(
  parts: FleetParts,
  options: WatchOptions,
): AsyncIterable<FleetApprovalChange> {
  return {
    [Symbol.asyncIterator]: () => {
      const ended = new AbortController();
      const { signal } = options;
      const both = signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal]);
      const changes = readChanges(parts, options, both);
      return {
        next: () => changes.next(),
        // The generator alone would end only after its next change.
        return: () => {
          ended.abort();
          return changes.return(undefined);
        },
      };
    },
  };
}

async function* readChanges(
  parts: FleetParts,
  { tenant, after }: WatchOptions,
  signal: AbortSignal,
): AsyncGenerator<FleetApprovalChange, undefined, undefined> {
  if (after !== undefined && !(Number.isSafeInteger(after) && after >= 0)) {
    throw invalidOption("after", "is not the number of a change", "Use `seq` of the last change.");
  }
  const notified = await NotificationWaiter.open(parts.database, "approval");
  try {
    let page = after === undefined ? await readOpen(parts, tenant) : { changes: [], seq: after };
    while (!signal.aborted) {
      yield* page.changes;
      if (page.changes.length < PAGE) await notified.wait(POLL_MS, signal);
      if (!signal.aborted) page = await readNext(parts, tenant, page.seq);
    }
  } catch (error) {
    if (!isHawserError(error, "closed")) throw error;
  } finally {
    notified.close();
  }
}

/** The next changes; none while the database is away. The numbers make sure that nothing is missed meanwhile. */
async function readNext(
  parts: FleetParts,
  tenant: string | undefined,
  after: number,
): Promise<Page> {
  try {
    await expireQuestions(parts);
    return await readPage(parts, tenant, after);
  } catch (error) {
    if (!isHawserError(error, "database_unavailable") || !error.retryable) throw error;
    return { changes: [], seq: after };
  }
}

const PAGE = 200;

/** In case that a notification is lost, and for questions that expire. */
const POLL_MS = 1000;

/** Changes, and the number up to which all changes have been read. */
interface Page {
  readonly changes: readonly FleetApprovalChange[];
  readonly seq: number;
}

interface ChangeRow extends ApprovalRow {
  readonly seq: string;
  readonly changed_to: QuestionState;
}

/** The questions that are open now, by one statement, so that no change falls between them and the number. */
async function readOpen({ database }: FleetParts, tenant: string | undefined): Promise<Page> {
  const { rows } = await database.query<Partial<ChangeRow> & { clock: string }>(
    `select k.seq as clock, o.* from ${database.schema}.approval_clock k left join (
       select c.seq, 'open' as changed_to, ${APPROVAL_COLUMNS}
       from ${database.schema}.approval a
       cross join lateral (
         select max(c.seq) as seq from ${database.schema}.approval_change c
         where c.approval_id = a.id and c.state = 'open'
       ) c
       where a.state = 'open' and ($1::text is null or a.tenant = $1)
     ) o on true order by o.seq`,
    [tenant ?? null],
  );
  const open = rows.filter((row): row is ChangeRow & { clock: string } => row.id !== null);
  return { changes: open.map(toChange), seq: Number(rows[0]?.clock ?? 0) };
}

async function readPage(
  { database }: FleetParts,
  tenant: string | undefined,
  after: number,
): Promise<Page> {
  const { rows } = await database.query<Partial<ChangeRow> & { clock: string }>(
    `select k.seq as clock, o.* from ${database.schema}.approval_clock k left join (
       select c.seq, c.state as changed_to, ${APPROVAL_COLUMNS}
       from ${database.schema}.approval_change c join ${database.schema}.approval a on a.id = c.approval_id
       where c.seq > $2 and ($1::text is null or a.tenant = $1) order by c.seq limit ${PAGE}
     ) o on true order by o.seq`,
    [tenant ?? null, after],
  );
  const found = rows.filter((row): row is ChangeRow & { clock: string } => row.id !== null);
  const last = found.length < PAGE ? rows[0]?.clock : found.at(-1)?.seq;
  return { changes: found.map(toChange), seq: Number(last ?? after) };
}

function toChange(row: ChangeRow): FleetApprovalChange {
  const seq = Number(row.seq);
  if (row.changed_to === "open") return { type: "asked", seq, approval: toApproval(row) };
  return { type: row.changed_to, seq, id: row.id, record: toRecord(row, row.changed_to) };
}
