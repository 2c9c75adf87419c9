import type { SessionIds, TokenCounts, TurnIds } from "../../base/index.js";
import { isObject } from "../../base/index.js";

/** Gives the ids of the moment. The observer of a session implements it. */
export interface EventIds {
  sessionIds(): SessionIds;
  /** The ids with those of the turn that the CLI works on. */
  turnIds(): TurnIds;
}

/** The counts of a usage of the Messages API, which may be anything. */
export function tokenCounts(usage: unknown): TokenCounts | undefined {
  if (!isObject(usage)) return undefined;
  const count = (name: string) => (typeof usage[name] === "number" ? usage[name] : undefined);
  return {
    inputTokens: count("input_tokens"),
    outputTokens: count("output_tokens"),
    cacheReadTokens: count("cache_read_input_tokens"),
    cacheCreationTokens: count("cache_creation_input_tokens"),
  };
}
