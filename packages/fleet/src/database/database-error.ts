import { HawserError, type Mask } from "hawser";

/** Errors of sockets and of name resolution. */
const SOCKET_CODES: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ENOENT", // The unix socket of a database that does not run.
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "ENETDOWN",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EADDRNOTAVAIL",
]);

/**
 * SQLSTATE codes and classes after which the same statement may succeed later. Those with a sentence are answers of a
 * database that can be reached, so that the transaction did not take effect. The first row that fits counts.
 */
const TRANSIENT_STATES: readonly (readonly [state: string, sentence?: string])[] = [
  ["08"], // connection exceptions
  ["25P03"], // idle in a transaction for too long
  ["25P04"], // transaction_timeout
  ["40001", "The transaction conflicts with another one, and was rolled back"],
  ["40P01", "The transaction and another one waited for each other, and it was rolled back"],
  ["53100", "The disk of the database is full"],
  ["53200", "The database is out of memory"],
  ["53300", "The database has no connection left"],
  ["53", "The database has reached one of its limits"],
  ["55P03", "The database did not get a lock in time"],
  ["57014", "The database cancelled the statement"],
  ["57P"], // shutdown, crash, starting up
  ["58"], // errors of the operating system
];

/** Messages of pg and pg-pool that carry no code. */
const CONNECTION_MESSAGES =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|timeout expired|Query read timeout|Cannot use a pool after calling end|The server does not support SSL|PGlite is closed)/;

/** SQLSTATE codes that say that the address, the user or the database is wrong. A retry does not help. */
const REFUSED_STATES: ReadonlySet<string> = new Set(["28000", "28P01", "3D000"]);

/**
 * The error of a database client as `database_unavailable`, if the database could not be reached or could not do
 * what was asked at the moment. Every other error, such as a violated constraint, is returned as it is.
 */
export function toDatabaseError(error: unknown, mask: Mask, during?: string): unknown {
  if (!(error instanceof Error) || error instanceof HawserError) return error;
  const code = codeOf(error);
  if (code !== undefined && REFUSED_STATES.has(code)) {
    return new HawserError(
      "database_unavailable",
      `The database refused the connection: ${error.message}`,
      {
        retryable: false,
        hint: "Check the user, the password and the name of the database.",
        cause: error,
      },
      mask,
    );
  }
  if (!isTransient(error, code)) return error;
  const message = error.message === "" ? (code ?? error.name) : error.message;
  const sentence =
    transientState(code)?.[1] ??
    (during === undefined ? "The database cannot be reached" : `The database was lost ${during}`);
  return new HawserError("database_unavailable", `${sentence}: ${message}`, { cause: error }, mask);
}

/** Whether the connection of the error can no longer be used. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (code === undefined) return CONNECTION_MESSAGES.test(error.message);
  return SOCKET_CODES.has(code) || /^(08|57P|25P0[34])/.test(code);
}

function isTransient(error: Error, code: string | undefined): boolean {
  if (code === undefined) return CONNECTION_MESSAGES.test(error.message);
  return SOCKET_CODES.has(code) || transientState(code) !== undefined;
}

function transientState(code: string | undefined): (typeof TRANSIENT_STATES)[number] | undefined {
  return TRANSIENT_STATES.find(([state]) => code?.startsWith(state));
}

/** An AggregateError is what Node throws if a name has several addresses and none of them answers. */
function codeOf(error: Error & { code?: unknown }): string | undefined {
  if (typeof error.code === "string") return error.code;
  if (error instanceof AggregateError) {
    const [first] = error.errors as unknown[];
    if (first instanceof Error) return codeOf(first);
  }
  return undefined;
}
