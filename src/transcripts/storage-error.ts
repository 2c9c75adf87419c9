import { HawserError, isHawserError } from "../errors/index.js";

/** The same work; what the system refuses is thrown as a HawserError. */
export async function withStorageErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isSystemError(error) ? storageError(error) : error;
  }
}

/**
 * For `catch()` of a look at a file that may be absent: the given value stands for its absence. A
 * system that lacks files or memory has not said that the file is absent, so that error is thrown.
 */
export function ifAbsent<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (SCARCE.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return value;
  };
}

const SCARCE: ReadonlySet<string> = new Set(["EMFILE", "ENFILE", "ENOMEM", "EIO"]);

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  if (isHawserError(error) || !(error instanceof Error)) return false;
  return typeof (error as NodeJS.ErrnoException).syscall === "string";
}

function storageError(cause: NodeJS.ErrnoException): HawserError {
  const { code = "", message } = cause;
  const hint = HINTS[code];
  const facts = hint === undefined ? { cause } : { cause, hint };
  return new HawserError("storage_failed", `A transcript could not be used: ${message}`, facts);
}

const HINTS: Readonly<Record<string, string>> = {
  EMFILE: "This program has too many open files: close some, or raise the limit (`ulimit -n`).",
  ENFILE: "The system has too many open files: try again later.",
  ENOSPC: "Make room on the disk of the CLI's configuration folder.",
  EDQUOT: "Make room: the disk quota of this user is used up.",
  EROFS: "Make the CLI's configuration folder writable, or give another `configDir`.",
  EACCES:
    "Give this user the right to the CLI's configuration folder, or give another `configDir`.",
};
