import type { Conversation } from "./conversation.js";

/** The conversations of this program whose host has left, and that keep their process for some time. */
const parked = new Map<
  string,
  { readonly conversation: Conversation; readonly timer: NodeJS.Timeout }
>();

/** Keeps the process of the conversation until `unpark()`, but at most so long. */
export function park(conversation: Conversation, limitMs: number): void {
  unpark(conversation.key);
  const timer = setTimeout(() => {
    parked.delete(conversation.key);
    // A process that does not end is killed, and its tree swept, by `close()` itself.
    void conversation.close().catch(() => {});
  }, limitMs);
  timer.unref();
  parked.set(conversation.key, { conversation, timer });
}

/** Takes the conversation back. Undefined if this program does not have it, or no longer. */
export function unpark(key: string | undefined): Conversation | undefined {
  const found = key === undefined ? undefined : parked.get(key);
  if (key === undefined || found === undefined) return undefined;
  clearTimeout(found.timer);
  parked.delete(key);
  return found.conversation;
}
