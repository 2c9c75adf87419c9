import { HawserError, type Issue } from "../errors/index.js";
import type { JsonSchema, Options, StandardSchema } from "../options/index.js";
import type { ResultMessage } from "../wire/index.js";
import type { Ended } from "./completion.js";

/** The value that a call owes, because it was asked for by a schema. */
export interface Value {
  /** What the CLI is told of it. */
  readonly options: Options;
  of(ended: Ended): Promise<{ readonly value: unknown } | { readonly issues: readonly Issue[] }>;
  repairPrompt(issues: readonly Issue[]): string;
  failure(ended: Ended, issues: readonly Issue[]): HawserError;
}

export async function owedValue(
  schema: StandardSchema | JsonSchema | undefined,
): Promise<Value | undefined> {
  if (schema === undefined) return undefined;
  throw new HawserError("not_supported");
}

/** The call stopped at a limit before it gave its value. */
export function owed(stop: "max_turns" | "max_budget", result: ResultMessage): HawserError {
  return new HawserError(stop, undefined, { result });
}
