import type { ShownApproval, ShownRecord } from "../net/approval-shape.js";
import type { PageState } from "./page-state.js";
import type { SourceState } from "./source-state.js";

/** An open question, and the source that asks it. */
export interface OpenQuestion {
  readonly source: SourceState;
  readonly approval: ShownApproval;
  /** False if the program did not give its `Approvals` object to the server. */
  readonly isAnswerable: boolean;
}

/** The open questions of all sources, the oldest first. */
export function openQuestions(page: PageState): readonly OpenQuestion[] {
  return page.sources
    .flatMap(questionsOf)
    .sort((a, b) => Date.parse(a.approval.askedAt) - Date.parse(b.approval.askedAt));
}

function questionsOf(source: SourceState): OpenQuestion[] {
  const answerable = [...source.approvals.values()].map((approval) => ({
    source,
    approval,
    isAnswerable: true,
  }));
  const others = source.live
    .snapshot()
    .approvals.filter((event) => !event.isAnswerable && !source.approvals.has(event.approval))
    .map((event): OpenQuestion => {
      const { approval: id, question, summary = "", tool, session } = event;
      const known = (question ?? {}) as Partial<ShownApproval>;
      const askedAt = event.askedAt ?? new Date(event.at).toISOString();
      const kind = event.approvalKind as ShownApproval["kind"];
      const facts = {
        id,
        kind,
        summary,
        askedAt,
        ...(tool && { tool }),
        ...(session && { session }),
      };
      return { source, approval: { ...known, ...facts }, isAnswerable: false };
    });
  return [...answerable, ...others];
}

/** How the newest questions of all sources ended, the newest first. */
export function newestRecords(
  page: PageState,
): readonly { readonly source: SourceState; readonly record: ShownRecord }[] {
  return page.sources
    .flatMap((source) => source.records.map((record) => ({ source, record })))
    .sort((a, b) => Date.parse(b.record.settledAt) - Date.parse(a.record.settledAt));
}
