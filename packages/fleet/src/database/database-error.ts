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

/** SQLSTATE codes and classes after which the same statement may succeed later. */
const TRANSIENT_STATES: readonly string[] = [
  "08", // connection exceptions
  "25P03", // idle in a transaction for too long
  "25P04", // transaction_timeout
  "40001", // serialization failure
  "40P01", // deadlock
  "53", // too many connections, disk full, out of memory
  "55P03", // lock not available
  "57014", // statement timeout
  "57P", // shutdown, crash, starting up
  "58", // errors of the operating system
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
  return new HawserError(
    "database_unavailable",
    during === undefined
      ? `The database cannot be reached: ${message}`
      : `The database was lost ${during}: ${message}`,
    { cause: error },
    mask,
  );
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
  return SOCKET_CODES.has(code) || TRANSIENT_STATES.some((state) => code.startsWith(state));
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
