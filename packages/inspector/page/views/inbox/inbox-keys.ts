import { isTyping } from "../../base/is-typing.js";
import { focusCard, withinCard } from "./card-element.js";
import type { Inbox } from "./inbox-state.js";

/** Does what a key says: j and k move, a allows, s allows for the session, e edits, d denies, c cancels. */
export function pressKey(inbox: Inbox, ids: readonly string[], event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (document.querySelector("dialog[open]") !== null) return;
  if (event.key.length === 1 && inbox.isStrayKey()) {
    event.preventDefault();
    event.stopPropagation();
    return;
  }
  const { key } = event;
  if (key === "j") move(inbox, ids, 1);
  else if (key === "k") move(inbox, ids, -1);
  // A key that is held down must not answer one question after the other.
  else if (event.repeat || !decide(inbox, key)) return;
  event.preventDefault();
}

function move(inbox: Inbox, ids: readonly string[], by: number): void {
  const at = ids.indexOf(inbox.selected.value ?? "");
  const next = ids[Math.min(ids.length - 1, Math.max(0, at + by))];
  if (next === undefined) return;
  inbox.select(next);
  focusCard(next);
}

/** False if the key means nothing here. */
function decide(inbox: Inbox, key: string): boolean {
  const { control } = inbox;
  if (control === undefined || inbox.mode.value?.id === control.approval.id) return false;
  if (!"asdec".includes(key)) return false;
  if (!inbox.isSure) return true;
  const { id, kind } = control.approval;
  if (kind === "elicitation" && (key === "d" || key === "c")) {
    if (inbox.isSettled) void control.send({ decision: key === "d" ? "decline" : "cancel" });
  } else if (key === "d") inbox.deny(id);
  else if (key === "c") return false;
  else if (kind === "question" || kind === "elicitation") return key !== "s" && focusForm(id);
  else if (!control.canAllow) return true;
  else if (key === "e") inbox.edit(id);
  else allow(inbox, key);
  return true;
}

function allow(inbox: Inbox, key: string): void {
  const { control } = inbox;
  if (control === undefined || !inbox.isSettled) return;
  const { approval, send } = control;
  // The CLI says that a stray key must not allow this call, so that it takes a second one on the button.
  if (approval.defaultToNo === true) withinCard(approval.id, "button.primary")?.focus();
  else if (key === "a") void send({ decision: "allow" });
  else if (approval.sessionGrant !== undefined) void send({ decision: "allow", scope: "session" });
}

function focusForm(id: string): boolean {
  withinCard(id, "form input, form select, form textarea, form button")?.focus();
  return true;
}
