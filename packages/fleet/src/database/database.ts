/** Runs statements: a pool, a client in a transaction, or PGlite. `pg.Pool` and `pg.ClientBase` fit as they are. */
export interface Queryable {
  query<Row extends object = Record<string, unknown>>(
    text: string,
    values?: unknown[],
  ): Promise<{ rows: Row[]; rowCount: number | null }>;
}

/** A database with the tables of the fleet, of whatever kind. */
export interface Database extends Queryable {
  readonly kind: "server" | "folder" | "memory";
  /** The schema of the fleet's own tables, quoted for SQL: `"hawser"`. The engine's is `"hawser_boss"`. */
  readonly schema: string;
  /** Commits if `work` resolves, and rolls back if it rejects. A lost connection is `database_unavailable`. */
  transaction<Value>(work: (db: Queryable) => Promise<Value>): Promise<Value>;
  /**
   * Runs statements that must not wait for others, such as heartbeats: on a connection of their own, one after the
   * other. A statement without an answer after `limitMs` is `database_unavailable`, and the next one gets another
   * connection.
   */
  urgent(limitMs: number): Queryable;
  /**
   * Calls back for every NOTIFY on a channel of this fleet (the channel gets the schema's name as prefix). After
   * a lost connection it listens again by itself, and calls back once with `undefined`: something may have been
   * missed. Ends with the returned function, or with `close()`. A notification may be lost: behind PgBouncer in
   * transaction mode none arrives at all. So the caller looks at the tables every second as well.
   */
  listen(channel: Channel, onNotify: (payload: string | undefined) => void): Promise<() => void>;
  /** NOTIFY when the transaction of `db` is committed. Equal notifications of one transaction arrive once. */
  notify(db: Queryable, channel: Channel, payload?: string): Promise<void>;
  /** Ends all connections. The last user of a folder stops its Postgres. */
  close(): Promise<void>;
}

/**
 * - `wake`: there may be something to claim.
 * - `event`: a run has new events; the payload is its id.
 * - `approval`: a question was asked or answered; the payload is the id of its run.
 * - `cancel`: a run shall end; the payload is its id.
 */
export type Channel = "wake" | "event" | "approval" | "cancel";
