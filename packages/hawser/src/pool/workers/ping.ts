import { isHawserError } from "../../base/index.js";
import type { Version } from "../../options/index.js";
import { isSince } from "../deferred-options.js";

/** A request that every process of this version answers, initialized or not, and that changes nothing. */
export function pingOf(version: Version | undefined): "get_binary_version" | "mcp_status" {
  return isSince(version, REFUSES_UNKNOWN) ? "get_binary_version" : "mcp_status";
}

/**
 * The oldest version that was seen to refuse a request that it does not know. Observed: 2.0.77 and 2.1.0
 * never answer one.
 */
const REFUSES_UNKNOWN: Version = [2, 1, 50];

/** Waits for the answer; that the CLI refuses the request is an answer, too. */
export async function answered(answer: Promise<unknown>): Promise<void> {
  try {
    await answer;
  } catch (error) {
    if (isHawserError(error, "unsupported_by_cli") || isHawserError(error, "control_error")) return;
    throw error;
  }
}
