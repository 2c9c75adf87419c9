import { isHawserError } from "hawser";

/** The message of an error, and what to do about it. */
export function textOf(error: unknown): string {
  if (isHawserError(error)) return `${error.message} ${error.hint}`;
  return error instanceof Error ? error.message : String(error);
}

/** Errors of `hawser` are masked and hold no prompt; of others the stack is needed. */
export function errorForLog(error: unknown): string {
  if (isHawserError(error)) return `${error.code}: ${textOf(error)}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
