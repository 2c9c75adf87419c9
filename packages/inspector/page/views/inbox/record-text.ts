import { words } from "../../base/format.js";
import type { ShownRecord } from "../../net/approval-shape.js";

/** How a question ended, as a sentence: `denied by ada: use the staging server`. */
export function endingOf(record: ShownRecord): string {
  const { outcome, decision, by, edited } = record;
  const who = by === undefined ? "" : ` by ${by}`;
  if (outcome === "granted") return `allowed by an earlier answer${who}`;
  if (outcome !== "answered" || decision === undefined) return words(outcome);
  const { behavior, scope, message } = decision;
  const reason = message === undefined || message === "" ? "" : `: ${message}`;
  const done = DONE[behavior] ?? words(behavior);
  const how = `${edited === true && behavior === "allow" ? "edited and " : ""}${done}`;
  return `${how}${scope === "session" ? " for the session" : ""}${who}${reason}`;
}

const DONE: Readonly<Record<string, string>> = {
  allow: "allowed",
  deny: "denied",
  answer: "answered",
  accept: "accepted",
  decline: "declined",
  cancel: "cancelled",
};
