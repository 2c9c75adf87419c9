import type { Logger, Mask } from "hawser";
import { HawserError } from "hawser";
import type { Client, Pool, PoolClient } from "pg";
import type { Channel, Database, Queryable } from "../database.js";
import { isConnectionLost, toDatabaseError } from "../database-error.js";
import { keepAlive } from "../keep-alive.js";
import { quoteName } from "../schema-name.js";
import { NotificationListener } from "./notification-listener.js";
import { UrgentConnection } from "./urgent-connection.js";

/** The longest that one statement may take. A network that drops packets would otherwise hang it for ever. */
const STATEMENT_TIMEOUT_MS = 60_000;

/** Postgres itself ends a statement a little earlier, so that the connection can still be used. */
const SERVER_MARGIN_MS = 5_000;

/**
 * A host that freezes inside of a transaction holds its locks, that of the claim among them. Postgres ends such a
 * transaction after this time, so that one frozen host does not stop the fleet.
 */
const IDLE_IN_TRANSACTION_MS = 5_000;

/** How long the end of a connection may take. A silent server never confirms it. */
export const END_LIMIT_MS = 5_000;

/**
 * The channels whose notifications are part of the transaction. Those of all others are sent after the commit, because
 * Postgres lets only one commit with a notification wait for the disk at a time. Observed with 32 connections: 310 to
 * 380 commits a second with the notification inside, and 1,480 with the notification after the commit. A host that dies
 * between the two loses a notification, and readers look at their tables every second anyway.
 */
const INSIDE: ReadonlySet<Channel> = new Set(["cancel"]);

/** What a `PostgresDatabase` is made of. */
export interface PostgresParts {
  readonly kind: "server" | "folder";
  /** The name of the schema, without quotes. */
  readonly schema: string;
  readonly pool: Pool;
  /** Whether `release` ends the pool. */
  readonly ownsPool: boolean;
  /** Makes a client for LISTEN, or for urgent statements. It is not connected yet. */
  readonly createClient: () => Client;
  readonly mask: Mask;
  readonly logger: Logger | undefined;
  /** The longest that one statement may take. @default one minute */
  readonly statementTimeoutMs?: number | undefined;
  /** Whether `listen()` opens a connection. Without one it never calls back. */
  readonly listens: boolean;
  /** Ends what was opened for this database: the pool if it is ours, the claim on a folder. */
  readonly release: () => Promise<void>;
}

/** A `Database` on a Postgres server. */
export class PostgresDatabase implements Database {
  readonly kind: "server" | "folder";
  readonly schema: string;
  readonly #parts: PostgresParts;
  readonly #listener: NotificationListener;
  readonly #urgent: UrgentConnection;
  readonly #timeoutMs: number;
  #closed: Promise<void> | undefined;

  constructor(parts: PostgresParts) {
    this.kind = parts.kind;
    this.schema = quoteName(parts.schema);
    this.#parts = parts;
    this.#timeoutMs = parts.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
    this.#listener = new NotificationListener(parts);
    this.#urgent = new UrgentConnection(parts);
    // Without a listener, the loss of an idle connection would end the program.
    parts.pool.on("error", this.#onIdleError);
    parts.pool.on("connect", this.#onConnect);
  }

  async query<Row extends object = Record<string, unknown>>(
    text: string,
    values?: unknown[],
  ): Promise<{ rows: Row[]; rowCount: number | null }> {
    this.#throwIfClosed();
    try {
      return await this.#parts.pool.query<Row>(limited(this.#timeoutMs, text, values));
    } catch (error) {
      throw toDatabaseError(error, this.#parts.mask);
    }
  }

  async transaction<Value>(work: (db: Queryable) => Promise<Value>): Promise<Value> {
    this.#throwIfClosed();
    const client = await this.#connect();
    const connection = new ClientInTransaction(client, this.#timeoutMs, this.#parts.mask);
    try {
      await connection.begin();
      const value = await work(connection);
      await connection.commit();
      await connection.sendNotifications();
      return value;
    } catch (error) {
      await connection.rollback();
      throw error;
    } finally {
      connection.release();
    }
  }

  urgent(limitMs: number): Queryable {
    return {
      query: async <Row extends object>(text: string, values?: unknown[]) => {
        this.#throwIfClosed();
        const statement = values === undefined ? { text } : { text, values };
        try {
          return await keepAlive(() => this.#urgent.query<Row>(limitMs, statement));
        } catch (error) {
          throw toDatabaseError(error, this.#parts.mask);
        }
      },
    };
  }

  async listen(
    channel: Channel,
    onNotify: (payload: string | undefined) => void,
  ): Promise<() => void> {
    this.#throwIfClosed();
    if (!this.#parts.listens) return () => {};
    return keepAlive(() => this.#listener.add(channel, onNotify));
  }

  async notify(db: Queryable, channel: Channel, payload = ""): Promise<void> {
    const name = `${this.#parts.schema}_${channel}`;
    if (db instanceof ClientInTransaction && !INSIDE.has(channel)) db.notifyLater(name, payload);
    else await db.query("select pg_notify($1, $2)", [name, payload]);
  }

  close(): Promise<void> {
    this.#closed ??= keepAlive(() => this.#close());
    return this.#closed;
  }

  async #close(): Promise<void> {
    await Promise.all([this.#listener.close(END_LIMIT_MS), this.#urgent.close(END_LIMIT_MS)]);
    await this.#parts.release();
    this.#parts.pool.off("connect", this.#onConnect);
    // The connections of a pool that was ended may still report errors.
    if (!this.#parts.ownsPool) this.#parts.pool.off("error", this.#onIdleError);
  }

  async #connect(): Promise<PoolClient> {
    try {
      return await this.#parts.pool.connect();
    } catch (error) {
      throw toDatabaseError(error, this.#parts.mask);
    }
  }

  #throwIfClosed(): void {
    if (this.#closed !== undefined) throw new HawserError("closed", "The database is closed.");
  }

  /**
   * A server that ends may send an error together with the news that a connection is ready. pg reads both in one go,
   * before the code that asked for the connection can listen for errors. An error without a listener would end the program.
   */
  readonly #onConnect = (client: PoolClient): void => {
    client.on("error", this.#onIdleError);
    setImmediate(() => client.off("error", this.#onIdleError));
  };

  readonly #onIdleError = (error: Error): void => {
    this.#parts.logger?.debug("A connection to the database was lost.", { error });
  };
}

/** A client of the pool between BEGIN and its release. */
class ClientInTransaction implements Queryable {
  readonly #client: PoolClient;
  readonly #timeoutMs: number;
  readonly #mask: Mask;
  /** Channel and payload by both of them, so that equal notifications are sent once. */
  readonly #notifications = new Map<string, readonly [channel: string, payload: string]>();
  #lost: Error | undefined;
  #isOver = false;

  constructor(client: PoolClient, timeoutMs: number, mask: Mask) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
    this.#mask = mask;
    client.on("error", this.#onError);
  }

  /**
   * The settings are sent with BEGIN and end with the transaction, so that they also work behind PgBouncer, which
   * refuses unknown settings at the start of a connection.
   */
  async begin(): Promise<void> {
    const serverMs = Math.max(this.#timeoutMs - SERVER_MARGIN_MS, this.#timeoutMs / 2);
    await this.query(
      `begin; set local statement_timeout = ${Math.round(serverMs)}; set local idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`,
    );
  }

  async query<Row extends object = Record<string, unknown>>(
    text: string,
    values?: unknown[],
  ): Promise<{ rows: Row[]; rowCount: number | null }> {
    // Another caller may have the client now.
    if (this.#isOver) throw new HawserError("closed", "The transaction is over.");
    try {
      return await this.#client.query<Row>(limited(this.#timeoutMs, text, values));
    } catch (error) {
      if (isConnectionLost(error)) this.#lost ??= error as Error;
      throw toDatabaseError(error, this.#mask, "in a transaction");
    }
  }

  async commit(): Promise<void> {
    this.#isOver = true;
    try {
      await this.#client.query(limited(this.#timeoutMs, "commit"));
    } catch (error) {
      if (isConnectionLost(error)) this.#lost ??= error as Error;
      throw toDatabaseError(
        error,
        this.#mask,
        "while it committed, so that it is unknown whether the transaction took effect",
      );
    }
  }

  notifyLater(channel: string, payload: string): void {
    this.#notifications.set(`${channel} ${payload}`, [channel, payload]);
  }

  /** Never rejects: the transaction is committed, and a notification that is lost costs its readers a second. */
  async sendNotifications(): Promise<void> {
    const sent = [...this.#notifications.values()];
    if (sent.length === 0) return;
    const text =
      "select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as sent(channel, payload)";
    const values = [sent.map(([channel]) => channel), sent.map(([, payload]) => payload)];
    try {
      await this.#client.query(limited(this.#timeoutMs, text, values));
    } catch (error) {
      this.#lost ??= error instanceof Error ? error : new Error(String(error));
    }
  }

  /** Never rejects: the error that made the transaction fail is the one to tell. */
  async rollback(): Promise<void> {
    this.#isOver = true;
    if (this.#lost !== undefined) return;
    try {
      await this.#client.query(limited(this.#timeoutMs, "rollback"));
    } catch (error) {
      this.#lost ??= error instanceof Error ? error : new Error(String(error));
    }
  }

  /** Gives the client back to the pool. A client whose connection is lost is removed from the pool. */
  release(): void {
    this.#client.off("error", this.#onError);
    this.#client.release(this.#lost);
  }

  readonly #onError = (error: Error): void => {
    this.#lost ??= error;
  };
}

/** `query_timeout` is missing in the types of pg. It makes the client give up, also if the network is silent. */
function limited(
  timeoutMs: number,
  text: string,
  values?: unknown[],
): { text: string; values?: unknown[] } {
  const limit = { query_timeout: timeoutMs };
  return values === undefined ? { text, ...limit } : { text, values, ...limit };
}
