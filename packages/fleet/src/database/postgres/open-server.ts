import { HawserError, type Logger, type Mask } from "hawser";
import pg, { type Client, type ClientConfig, type Pool } from "pg";
import { settlesWithin } from "../settles-within.js";
import { destroyClient } from "./bounded-client.js";
import { END_LIMIT_MS, PostgresDatabase } from "./postgres-database.js";

/** A worker needs three connections at once, and one more listens. The rest is for the caller's own questions. */
const POOL_SIZE = 8;
const CONNECT_TIMEOUT_MS = 10_000;

export interface ServerOptions {
  readonly schema: string;
  readonly logger: Logger | undefined;
  /** The longest that one statement may take. @default one minute */
  readonly statementTimeoutMs?: number | undefined;
  /** @default true */
  readonly listen?: boolean | undefined;
}

/** A database that is reached by a URL. */
export function openUrl(url: string | URL, options: ServerOptions): PostgresDatabase {
  return openServer({ connectionString: checkedUrl(url) }, options);
}

/** A database on the server of `config`. `release` is called when it is closed. */
export function openServer(
  config: ClientConfig,
  options: ServerOptions & {
    readonly kind?: "server" | "folder";
    readonly Client?: typeof pg.Client;
    readonly release?: () => Promise<void>;
  },
): PostgresDatabase {
  const Client = options.Client ?? pg.Client;
  const full = {
    application_name: "hawser",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    ...config,
  };
  const pool = new pg.Pool({
    ...full,
    Client,
    max: POOL_SIZE,
    // A program that forgets to close the fleet still ends.
    allowExitOnIdle: true,
  });
  const endPool = endOfPool(pool);
  return new PostgresDatabase({
    kind: options.kind ?? "server",
    schema: options.schema,
    pool,
    ownsPool: true,
    createClient: () => new Client(full),
    mask: passwordMask(config.connectionString, config.password),
    logger: options.logger,
    statementTimeoutMs: options.statementTimeoutMs,
    listens: options.listen ?? true,
    release: async () => {
      await endPool();
      await options.release?.();
    },
  });
}

/**
 * Ends the pool, and closes the sockets that are left after a while: those of statements without an answer, for which
 * the pool would wait, and those whose end a silent server never confirms.
 */
function endOfPool(pool: Pool): () => Promise<void> {
  const clients = new Set<object>();
  pool.on("connect", (client) => clients.add(client));
  pool.on("remove", (client) => clients.delete(client));
  const destroyAll = () => {
    for (const client of clients) destroyClient(client);
  };
  return async () => {
    if (await settlesWithin(pool.end(), END_LIMIT_MS)) setTimeout(destroyAll, END_LIMIT_MS).unref();
    else destroyAll();
  };
}

/** A database that is reached by the caller's pool. The pool is not ended. */
export function openPool(pool: Pool, options: ServerOptions): PostgresDatabase {
  const { Client, options: config } = pool as unknown as PoolInside;
  return new PostgresDatabase({
    kind: "server",
    schema: options.schema,
    pool,
    ownsPool: false,
    // The connection that listens is not taken out of the pool, because a small pool could be used up by it.
    createClient: () => new Client(config),
    mask: passwordMask(config.connectionString, config.password),
    logger: options.logger,
    statementTimeoutMs: options.statementTimeoutMs,
    listens: options.listen ?? true,
    release: async () => undefined,
  });
}

/** What pg-pool itself uses to make a client. */
interface PoolInside {
  readonly Client: new (config: object) => Client;
  readonly options: { readonly connectionString?: string; readonly password?: unknown };
}

function checkedUrl(url: string | URL): string {
  const text = String(url);
  if (/^(postgres|postgresql|socket):\/\//.test(text)) return text;
  throw new HawserError("invalid_options", "The database is not a URL of Postgres.", {
    hint: 'Pass "postgres://user@host/name", a pg.Pool, { folder: "path" }, or ":memory:".',
  });
}

/** Hides the password of a URL or of a pool in errors. */
function passwordMask(connectionString: string | undefined, password?: unknown): Mask {
  const secrets = new Set<string>();
  if (typeof password === "string") secrets.add(password);
  const written = /^[a-z]+:\/\/[^:@/?#]*:([^@/?#]*)@/i.exec(connectionString ?? "")?.[1];
  if (written !== undefined) for (const form of [written, decoded(written)]) secrets.add(form);
  secrets.delete("");
  return (text) => {
    let masked = text;
    for (const secret of secrets) masked = masked.replaceAll(secret, "***");
    return masked;
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
