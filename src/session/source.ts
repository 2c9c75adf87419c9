import type { CoreOptions } from "./core.js";
import { Session } from "./session.js";

/** Where the sessions of calls come from: each a process of its own, or those of a pool. */
export interface SessionSource {
  /** Waits for its turn, if there is a queue; the session itself may still be starting. */
  acquire(request: CoreOptions): Promise<SessionLease>;
}

/** A session for one call. */
export interface SessionLease {
  readonly session: Session;
  /** How long it took to get it; undefined where there is no queue. */
  readonly queuedMs: number | undefined;
  /** The call is over; resolves when nothing of it is left. */
  release(): Promise<void>;
}

/** A new process for each call. */
export const FRESH: SessionSource = {
  async acquire(request) {
    const session = new Session(request);
    return { session, queuedMs: undefined, release: () => session.close() };
  },
};
