import { HawserError } from "../base/index.js";
import type { Options } from "../options/index.js";
import { Session } from "./session.js";
import { type SessionStart, withId } from "./session-start.js";

/** The source of sessions: it starts a process for each session, or is a pool. */
export interface SessionSource {
  /**
   * Registers a call, which may acquire several sessions one after another. The caller calls the
   * returned function when the call has ended. The source calls `interrupt` to end the call, also while
   * it holds no session.
   */
  begin(interrupt: (why: HawserError) => void): () => void;
  /** Waits in the queue, if there is one. The session may still be starting when this resolves. */
  acquire(request: LeaseRequest): Promise<SessionLease>;
}

export interface LeaseRequest extends SessionStart {
  /** The session of a call ends with the call; a session of `openSession()` belongs to the caller. */
  readonly purpose: "call" | "session";
  /** The time, by `performance.now()`, after which the caller no longer needs the session. */
  readonly deadlineAt?: number | undefined;
}

/** A session for one call. */
export interface SessionLease {
  readonly session: Session;
  /** How long the request waited in the queue; undefined without a queue. */
  readonly queuedMs: number | undefined;
  /** How long the start took after that; undefined if the session is still starting. */
  readonly bootMs: number | undefined;
  /** Whether another session can take its place, as long as nothing was sent. */
  readonly isReplaceable: boolean;
  /** Whether the process may serve other calls afterwards: then a call interrupts, and does not close. */
  readonly isHandedOn: boolean;
  /** Releases the session after success or this failure. Resolves when nothing of the call is left. */
  release(failure?: HawserError): Promise<void>;
}

/** Starts a new process for each session. */
const FRESH: SessionSource = {
  begin: () => () => {},
  async acquire(request) {
    const session = new Session({ ...request, options: withId(request.options) });
    return {
      session,
      queuedMs: undefined,
      bootMs: undefined,
      isReplaceable: false,
      isHandedOn: false,
      release: () => session.close(),
    };
  },
};

const sources = new WeakMap<object, SessionSource>();

/** Lets the option `pool` name this object. */
export function registerSource(pool: object, source: SessionSource): void {
  sources.set(pool, source);
}

/** The source that the options name, or the source that starts a process for each session. */
export function sourceOf({ pool }: Options): SessionSource {
  if (pool === undefined) return FRESH;
  const source = sources.get(pool);
  if (source === undefined) {
    throw new HawserError("invalid_options", "pool is not a pool of this library.", {
      hint: "Pass the pool that `createPool()` returned.",
      issues: [{ path: "pool", message: "must come from createPool()" }],
    });
  }
  return source;
}
