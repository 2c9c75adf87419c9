import { objectOf } from "../../base/json.js";
import { ApiError, nativePath, problemOf } from "../../net/api.js";
import type { ShownRecord } from "../../net/approval-shape.js";
import { notify } from "../../state/notices.js";
import type { OpenQuestion } from "../../state/open-questions.js";
import type { PageState } from "../../state/page-state.js";
import { person } from "../../state/person.js";
import { endingOf } from "./record-text.js";

/** The body of `POST /approvals/:id`. */
export type Answer =
  | { readonly decision: "allow"; readonly scope?: "session"; readonly updatedInput?: object }
  | { readonly decision: "deny"; readonly message?: string; readonly interrupt?: boolean }
  | {
      readonly decision: "answer";
      readonly answers: Readonly<Record<string, string | readonly string[]>>;
    }
  | { readonly decision: "accept"; readonly content?: object }
  | { readonly decision: "decline" | "cancel" };

/**
 * Sends an answer. The card disappears when the stream says that the question has ended, as on every other page.
 * Resolves to a problem if the question stays open.
 */
export async function answerQuestion(
  page: PageState,
  { source, approval }: OpenQuestion,
  answer: Answer,
): Promise<string | undefined> {
  const by = person.value.trim();
  const path = nativePath(source.info.id, `/approvals/${encodeURIComponent(approval.id)}`);
  try {
    await page.api.post(path, { ...answer, ...(by !== "" && { by }) });
    notify("good", `${DONE[answer.decision]}: ${approval.summary}`);
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) return problemOf(error);
    const record = objectOf(error.body)["record"] as ShownRecord | undefined;
    const how = record === undefined ? error.message : endingOf(record);
    notify("bad", `Too late, your answer did not count. ${approval.summary}: ${how}`);
    return undefined;
  }
}

const DONE: Readonly<Record<Answer["decision"], string>> = {
  allow: "Allowed",
  deny: "Denied",
  answer: "Answered",
  accept: "Sent",
  decline: "Declined",
  cancel: "Cancelled",
};
