import type { ApprovalDecision, ApprovalRecord } from "hawser";
import { Hono } from "hono";
import { z } from "zod";
import type { SseEvent } from "../http/sse.js";
import type { ApprovalSource, ShownApproval } from "./approval-source.js";
import { cutValue, EVENT_LIMITS, WIDE_LIMITS } from "./cut-value.js";
import { mergeChanges } from "./merge-changes.js";
import { type NativeAccess, type NativeEnv, requireControl } from "./native-access.js";
import { ANSWER_BODY } from "./native-bodies.js";
import type { NativeCore } from "./native-core.js";
import { notFound } from "./native-error.js";
import { readBody, readQuery } from "./read-input.js";
import { subscription } from "./subscription.js";

/** `/approvals` and what is below it: the questions of this program and of the runs of the fleet. */
export function approvalRoutes(core: NativeCore): Hono<NativeEnv> {
  const { questions, mask } = core;
  const routes = new Hono<NativeEnv>();

  /** The question with the ids of the API, cut like an event. */
  const shown = ({ approval, tenant, session }: ShownApproval): object => {
    // The input is the longest part, and goes last: a person must see what kind of question it is.
    const { input, ...facts } = approval as typeof approval & { readonly input?: unknown };
    const ordered = input === undefined ? facts : { ...facts, input };
    const { value, cut } = cutValue(ordered, "", mask, EVENT_LIMITS);
    const { kind, defaultToNo } = approval as typeof approval & { readonly defaultToNo?: boolean };
    return {
      ...(value as object),
      kind,
      ...(defaultToNo !== undefined && { defaultToNo }),
      ...(tenant !== undefined && { tenant }),
      ...(session !== undefined && { session }),
      ...(cut.length > 0 && { cut: cut.map((path) => path.slice(1)) }),
    };
  };

  routes.get("/approvals", async (context) => {
    const open = await pendingOf(questions, context.get("access"));
    return context.json({ approvals: open.map(({ found }) => shown(found)) });
  });

  routes.get("/approvals/records", async (context) => {
    const { limit } = readQuery(context, LIMIT);
    const records = await recordsOf(questions, context.get("access"), limit);
    return context.json({ records: records.map((record) => shownRecord(record, mask)) });
  });

  routes.get("/approvals/events", (context) => {
    const access = context.get("access");
    return subscription(context, core, async function* (signal): AsyncGenerator<SseEvent, void> {
      // A client that connects again forgets what it knows: the open questions follow.
      yield { data: JSON.stringify({ type: "begin" }) };
      const sources = questions.map((source) => source.changes(access, signal));
      for await (const change of mergeChanges(sources, signal)) {
        // The client connects again, and begins anew.
        if (change.type === "missed") return;
        const data =
          change.type === "asked"
            ? { type: "asked", approval: shown(change.shown) }
            : {
                type: change.record.outcome,
                id: change.record.id,
                record: shownRecord(change.record, mask),
              };
        yield { data: JSON.stringify(data) };
      }
    });
  });

  routes.get("/approvals/:id", async (context) => {
    const access = context.get("access");
    const id = context.req.param("id");
    const open = await findOpen(questions, access, id);
    if (open !== undefined) {
      const { approval } = open.found;
      // A user that may answer sees the exact input, because an edited input goes to the tool as it is.
      const exact = access.canControl ? approval : cutValue(approval, "", mask, WIDE_LIMITS).value;
      return context.json({ status: "pending", approval: exact });
    }
    const record = await findRecord(questions, access, id);
    if (record === undefined) throw notFound("approval");
    return context.json({ status: record.outcome, record: shownRecord(record, mask) });
  });

  routes.post("/approvals/:id", async (context) => {
    const access = requireControl(context);
    const id = context.req.param("id");
    const { by, ...answer } = await readBody(context, ANSWER_BODY);
    const who = by === undefined ? access.name : `${access.name}/${by}`;
    const open = await findOpen(questions, access, id);
    const result =
      open === undefined ? "too_late" : await open.source.answer(id, decisionOf(answer), who);
    const record = await findRecord(questions, access, id);
    if (result === "counted") {
      return context.json({ result, ...(record && { record: shownRecord(record, mask) }) });
    }
    if (record === undefined) throw notFound("approval");
    const error = { code: "conflict", message: lateMessage(record) };
    return context.json({ error, result, record: shownRecord(record, mask) }, 409);
  });

  return routes;
}

const LIMIT = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});

/** An open question, and where its answer goes. */
interface OpenApproval {
  readonly source: ApprovalSource;
  readonly found: ShownApproval;
}

async function pendingOf(
  sources: readonly ApprovalSource[],
  access: NativeAccess,
): Promise<OpenApproval[]> {
  const all = sources.map(async (source) =>
    (await source.pending(access)).map((found) => ({ source, found })),
  );
  return (await Promise.all(all)).flat();
}

async function findOpen(
  sources: readonly ApprovalSource[],
  access: NativeAccess,
  id: string,
): Promise<OpenApproval | undefined> {
  const open = await pendingOf(sources, access);
  return open.find(({ found }) => found.approval.id === id);
}

/** Of all sources together, in the order of their ends. */
async function recordsOf(
  sources: readonly ApprovalSource[],
  access: NativeAccess,
  limit: number,
): Promise<ApprovalRecord[]> {
  const all = await Promise.all(sources.map((source) => source.records(access, limit)));
  return all
    .flat()
    .sort((a, b) => Date.parse(a.settledAt) - Date.parse(b.settledAt))
    .slice(-limit);
}

async function findRecord(
  sources: readonly ApprovalSource[],
  access: NativeAccess,
  id: string,
): Promise<ApprovalRecord | undefined> {
  const records = await Promise.all(sources.map((source) => source.records(access, SEARCHED)));
  return records.flat().findLast((each) => each.id === id);
}

/** How many of the newest records of each source are searched for one. */
const SEARCHED = 1000;

type Answer = z.infer<typeof ANSWER_BODY>;

/** The fields of each decision are those of `hawser`, which checks whether they fit the question. */
function decisionOf({ decision, ...fields }: Answer): ApprovalDecision {
  return { behavior: decision, ...fields } as ApprovalDecision;
}

function lateMessage({ outcome, by }: ApprovalRecord): string {
  if (outcome === "answered" && by !== undefined) return `The question was answered by ${by}.`;
  return `The question waits no more: ${outcome}.`;
}

function shownRecord(record: ApprovalRecord, mask: (text: string) => string): object {
  return cutValue(record, "", mask, EVENT_LIMITS).value as object;
}
