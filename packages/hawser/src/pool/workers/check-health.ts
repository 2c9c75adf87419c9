import { isHawserError } from "../../base/index.js";
import type { Version } from "../../options/index.js";
import type { Session } from "../../session/index.js";
import { isKnownSince } from "../deferred-options.js";

/** Throws unless the CLI answers a request; any answer will do. */
export async function checkHealth(session: Session, version: Version | undefined): Promise<void> {
  await answered(session.request(pingOf(version), {}, { timeoutMs: HEALTH_MS }));
}

const HEALTH_MS = 5_000;

/** A request that changes nothing, and that every process of this version answers, initialized or not. */
export function pingOf(version: Version | undefined): "get_binary_version" | "mcp_status" {
  return isKnownSince(version, REFUSES_UNKNOWN) ? "get_binary_version" : "mcp_status";
}

/**
 * The oldest version that was seen to refuse a request that it does not know. Observed: 2.0.77 and 2.1.0
 * never answer one.
 */
const REFUSES_UNKNOWN: Version = [2, 1, 50];

/** Waits for the answer. If the CLI refuses the request, that is an answer too. */
export async function answered(answer: Promise<unknown>): Promise<void> {
  try {
    await answer;
  } catch (error) {
    if (isHawserError(error, "unsupported_by_cli") || isHawserError(error, "control_error")) return;
    throw error;
  }
}
