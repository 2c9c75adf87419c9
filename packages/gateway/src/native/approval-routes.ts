import type { Approval, ApprovalDecision, ApprovalRecord, Approvals } from "hawser";
import { Hono } from "hono";
import { z } from "zod";
import { cutValue, EVENT_LIMITS, WIDE_LIMITS } from "./cut-value.js";
import { maySee, type NativeAccess, type NativeEnv, requireControl } from "./native-access.js";
import { ANSWER_BODY } from "./native-bodies.js";
import type { NativeCore } from "./native-core.js";
import { notFound } from "./native-error.js";
import { readBody, readQuery } from "./read-input.js";

/** `/approvals` and what is below it. */
export function approvalRoutes(core: NativeCore): Hono<NativeEnv> {
  const { feed, approvals, mask } = core;
  const routes = new Hono<NativeEnv>();

  const tenantOf = ({ sessionId }: Pick<Approval, "sessionId">): string | undefined =>
    feed.owners.tenantOfId(sessionId);
  const isVisible = (access: NativeAccess) => (each: Approval | ApprovalRecord) =>
    maySee(access, tenantOf(each));
  const pending = (access: NativeAccess): Approval[] =>
    approvals.flatMap((each) => each.pending()).filter(isVisible(access));
  const records = (access: NativeAccess): ApprovalRecord[] =>
    approvals.flatMap((each) => each.records()).filter(isVisible(access));

  /** The question with the ids of the API, cut like an event. */
  const shown = (approval: Approval): object => {
    const { value, cut } = cutValue(approval, "", mask, EVENT_LIMITS);
    const tenant = tenantOf(approval);
    const session = feed.state.sessionsOf(approval.sessionId ?? "").at(-1)?.id;
    return {
      ...(value as object),
      ...(tenant !== undefined && { tenant }),
      ...(session !== undefined && { session }),
      ...(cut.length > 0 && { cut: cut.map((path) => path.slice(1)) }),
    };
  };

  routes.get("/approvals", (context) =>
    context.json({ approvals: pending(context.get("access")).map(shown) }),
  );

  routes.get("/approvals/records", (context) => {
    const { limit } = readQuery(context, LIMIT);
    const newest = records(context.get("access")).slice(-limit);
    return context.json({ records: newest.map((record) => shownRecord(record, mask)) });
  });

  routes.get("/approvals/:id", (context) => {
    const access = context.get("access");
    const id = context.req.param("id");
    const approval = pending(access).find((each) => each.id === id);
    if (approval !== undefined) {
      // A user that may answer sees the exact input, because an edited input goes to the tool as it is.
      const exact = access.canControl ? approval : cutValue(approval, "", mask, WIDE_LIMITS).value;
      return context.json({ status: "pending", approval: exact });
    }
    const record = records(access).findLast((each) => each.id === id);
    if (record === undefined) throw notFound("approval");
    return context.json({ status: record.outcome, record: shownRecord(record, mask) });
  });

  routes.post("/approvals/:id", async (context) => {
    const access = requireControl(context);
    const id = context.req.param("id");
    const { by, ...answer } = await readBody(context, ANSWER_BODY);
    const who = by === undefined ? access.name : `${access.name}/${by}`;
    const source = sourceOf(approvals, id);
    const isOpen = source !== undefined && pending(access).some((each) => each.id === id);
    const result = isOpen ? await source.answer(id, decisionOf(answer), { by: who }) : "too_late";
    const record = records(access).findLast((each) => each.id === id);
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

type Answer = z.infer<typeof ANSWER_BODY>;

/** The fields of each decision are those of `hawser`, which checks whether they fit the question. */
function decisionOf({ decision, ...fields }: Answer): ApprovalDecision {
  return { behavior: decision, ...fields } as ApprovalDecision;
}

function sourceOf(approvals: readonly Approvals[], id: string): Approvals | undefined {
  return approvals.find((each) => each.pending().some((approval) => approval.id === id));
}

function lateMessage({ outcome, by }: ApprovalRecord): string {
  if (outcome === "answered" && by !== undefined) return `The question was answered by ${by}.`;
  return `The question waits no more: ${outcome}.`;
}

function shownRecord(record: ApprovalRecord, mask: (text: string) => string): object {
  return cutValue(record, "", mask, EVENT_LIMITS).value as object;
}
