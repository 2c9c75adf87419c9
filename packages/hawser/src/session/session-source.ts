import { HawserError } from "../base/index.js";
import type { Options } from "../options/index.js";
import { Session } from "./session.js";
import { type CoreOptions, withId } from "./session-start.js";

/** Where sessions come from: each a process of its own, or those of a pool. */
export interface SessionSource {
  /**
   * A call begins, and may need a session more than once; the returned function says that it has
   * ended. `end` is for the source to end it, also between two sessions.
   */
  begin(end: (why: HawserError) => void): () => void;
  /** Waits for its turn, if there is a queue; the session itself may still be starting. */
  acquire(request: LeaseRequest): Promise<SessionLease>;
}

export interface LeaseRequest extends CoreOptions {
  /** A call is over when it says so; a session belongs to its holder, who may do with it what they like. */
  readonly purpose: "call" | "session";
  /** When it will be of no use any more, by `performance.now()`. */
  readonly deadlineAt?: number | undefined;
}

/** A session for one call. */
export interface SessionLease {
  readonly session: Session;
  /** How long it took to get it; undefined where there is no queue. */
  readonly queuedMs: number | undefined;
  /** From then on until it was ready; undefined if that is still to come. */
  readonly bootMs: number | undefined;
  /** Whether another can take its place, as long as nothing was sent. */
  readonly isReplaceable: boolean;
  /** Whether its process may serve others afterwards: a call that is ended leaves it whole. */
  readonly isHandedOn: boolean;
  /** The call is over, well or with this failure; resolves when nothing of it is left. */
  release(failure?: HawserError): Promise<void>;
}

/** A new process for each. */
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

/** The source that the options name, or a process for each. */
export function sourceOf({ pool }: Options): SessionSource {
  if (pool === undefined) return FRESH;
  const source = sources.get(pool);
  if (source === undefined) {
    throw new HawserError("invalid_options", "pool is not a pool of this library.", {
      hint: "Pass what `createPool()` returned.",
      issues: [{ path: "pool", message: "must come from createPool()" }],
    });
  }
  return source;
}
