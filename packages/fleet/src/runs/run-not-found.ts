import { HawserError } from "hawser";

/** The error for an id that the database does not know. */
export function runNotFound(id: string): HawserError {
  return new HawserError("invalid_options", `There is no run with the id ${id}.`, {
    hint: "It was pruned, its transaction was rolled back, or it belongs to another database.",
    issues: [{ path: "id", message: "is not the id of a run" }],
  });
}

/** Throws for a text that is no id at all: Postgres would refuse the statement. */
export function checkRunId(id: string): void {
  if (!isUuid(id)) throw runNotFound(id);
}

/** Whether a text has the form of the ids of runs and sessions. */
export function isUuid(id: unknown): id is string {
  return typeof id === "string" && UUID.test(id);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
