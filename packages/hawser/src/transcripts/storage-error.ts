import { HawserError, isHawserError, type Phase, scarcityHint } from "../base/index.js";

/**
 * Runs work on the files of transcripts and throws an error of the system (ENOSPC, EMFILE, …) as a
 * HawserError. An error of the caller's store is thrown unchanged, because it is not about these
 * files.
 */
export async function withStorageErrors<T>(
  work: () => Promise<T>,
  options?: { readonly sessionStore?: object | undefined },
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isOfStore = options?.sessionStore !== undefined || storeErrors.has(error as object);
    throw isSystemError(error) && !isOfStore ? storageError(error) : error;
  }
}

/** Marks the error of a call of the caller's store, for work that uses a store and files. */
export async function callStore<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (typeof error === "object" && error !== null) storeErrors.add(error);
    throw error;
  }
}

const storeErrors = new WeakSet<object>();

/** For a method of a store that takes too long. */
export function storeTimeout(what: string, limitMs: number, phase: Phase = "control"): HawserError {
  const message = `${what} did not settle within ${limitMs} ms.`;
  // Only a load, before the CLI starts, has a limit that an option sets.
  const more = phase === "boot" ? ", or raise `loadTimeoutMs`" : "";
  const hint = `Find out why the session store is slow${more}.`;
  return new HawserError("timeout", message, { phase, hint });
}

/**
 * For `catch()` of an access to a file that may be absent: gives the value in place of the error.
 * If the system lacks file handles or memory, the file may be there, so that error is thrown.
 */
export function ifAbsent<T>(value: T): (error: unknown) => T {
  return (error) => {
    const { code } = error as NodeJS.ErrnoException;
    if (scarcityHint(code) !== undefined || code === "EIO") throw error;
    return value;
  };
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  if (isHawserError(error) || !(error instanceof Error)) return false;
  return typeof (error as NodeJS.ErrnoException).syscall === "string";
}

function storageError(cause: NodeJS.ErrnoException): HawserError {
  const { code = "", message } = cause;
  const passing = scarcityHint(code);
  const hint = passing ?? HINTS[code];
  return new HawserError(
    "storage_failed",
    `A transcript could not be read or written: ${message}`,
    {
      cause,
      retryable: passing !== undefined,
      ...(hint === undefined ? {} : { hint }),
    },
  );
}

const HINTS: Readonly<Record<string, string>> = {
  EROFS: "Make the CLI's configuration folder writable, or set another `configDir`.",
  EACCES: "Give this user the right to the CLI's configuration folder, or set another `configDir`.",
};
