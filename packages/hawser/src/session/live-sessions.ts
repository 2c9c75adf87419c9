import type { Session } from "./session.js";

/** A live `query()`, as far as an observer may control it. */
export interface LiveQuery {
  /** Interrupts what the CLI does now; with `cancelQueued`, also the prompts that wait. */
  interrupt(options?: { cancelQueued?: boolean }): Promise<unknown>;
  /** Ends the process. Resolves when it is gone. */
  close(): Promise<void>;
}

/**
 * By the number that events carry. The references are weak, so that a session that the program has dropped can
 * still be garbage-collected, which ends its process.
 */
const live = new Map<number, WeakRef<Session | LiveQuery>>();

/**
 * Finds a session of this program by its number, which the events of the channels carry as `session`. It is a
 * session of `openSession()`, of a pool, or of a call, or a `query()`, which takes no prompts from here. Undefined
 * if the session is over. It is for tools such as an inspector, which know sessions by their events only.
 *
 * @example
 * ```ts
 * import { CHANNELS, liveSession } from "hawser";
 *
 * CHANNELS.toolStart.subscribe(({ session, tool }) => {
 *   if (tool === "WebSearch") void liveSession(session)?.interrupt();
 * });
 * ```
 */
export function liveSession(number: number): Session | LiveQuery | undefined {
  return live.get(number)?.deref();
}

/** Lets `liveSession()` find this session until `forgetLive()`. */
export function rememberLive(number: number, session: Session | LiveQuery): void {
  live.set(number, new WeakRef(session));
}

export function forgetLive(number: number): void {
  live.delete(number);
}
