import { HawserError, isHawserError, scarcityHint } from "../base/index.js";

/**
 * Runs work on the files of transcripts; what the system refuses is thrown as a HawserError. An error
 * of a store that the caller has given is thrown as it is, because it is no file of the CLI.
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

/** Marks what a call of the caller's store throws, for work on a store and on files. */
export async function callStore<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (typeof error === "object" && error !== null) storeErrors.add(error);
    throw error;
  }
}

const storeErrors = new WeakSet<object>();

/**
 * For `catch()` of a look at a file that may be absent: the given value stands for its absence. A
 * system that lacks files or memory has not said that the file is absent, so that error is thrown.
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
  return new HawserError("storage_failed", `A transcript could not be used: ${message}`, {
    cause,
    retryable: passing !== undefined,
    ...(hint === undefined ? {} : { hint }),
  });
}

const HINTS: Readonly<Record<string, string>> = {
  EROFS: "Make the CLI's configuration folder writable, or give another `configDir`.",
  EACCES:
    "Give this user the right to the CLI's configuration folder, or give another `configDir`.",
};
