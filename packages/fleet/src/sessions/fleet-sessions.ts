import type { HookCallback, SessionStore } from "hawser";

/**
 * Transcripts in the database. A `SessionStore` for `openSession()` outside of runs as well.
 *
 * A session is found by its id alone, so that any host can continue it in any folder. The project key of its first
 * entry is a label: `listSessions()` and `listSessionSummaries()` show the sessions of one project key.
 *
 * `append()` without a lease is refused with `session_in_use` while somebody holds the lease of the session, and while
 * a run of the session works or waits for a person.
 */
export interface FleetSessionStore extends Required<SessionStore> {
  /**
   * Nobody else continues the session until it is given back, or this host has been silent for the lease. Rejects
   * with `session_in_use` if somebody else has the session, or a run of it waits for a person.
   *
   * @example
   * ```ts
   * await using lease = await fleet.sessionStore.take(sessionId, { waitMs: 60_000 });
   * const session = await openSession({
   *   resume: sessionId,
   *   sessionStore: lease.store,
   *   sessionStoreFlush: "eager",
   *   onStoreFailure: "end",
   *   hooks: { PreToolUse: [{ hooks: [lease.guard] }] },
   *   signal: lease.lost,
   * });
   * ```
   */
  take(sessionId: string, options?: TakeOptions): Promise<SessionLease>;
}

/** The options of `FleetSessionStore.take()`. */
export interface TakeOptions {
  /**
   * How long to wait for a session that somebody else has, in milliseconds.
   * @default 0
   */
  readonly waitMs?: number;
  /** Ends the waiting. */
  readonly signal?: AbortSignal;
  /**
   * Who a session that does not exist yet belongs to.
   * @default "default"
   */
  readonly tenant?: string;
}

/** The right to continue one session. It is renewed by itself, and given back by `release()` or `await using`. */
export interface SessionLease extends AsyncDisposable {
  readonly sessionId: string;
  readonly epoch: number;
  /**
   * Refuses with `lease_lost` when somebody else has the session. For the options `sessionStore` and
   * `onStoreFailure: "end"`.
   */
  readonly store: SessionStore;
  /** Aborts when the lease is lost. */
  readonly lost: AbortSignal;
  /** The first PreToolUse hook: denies a tool call when the lease may be lost. */
  readonly guard: HookCallback;
  /** Gives the session back. Releasing twice does no harm. */
  release(): Promise<void>;
}
