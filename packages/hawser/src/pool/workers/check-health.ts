import type { Version } from "../../options/index.js";
import type { RunningProcess } from "../../transport/index.js";
import { isKnownSince } from "../deferred-options.js";
import { askProcess } from "./ask-process.js";

/** Throws unless the idle process answers a request within the limit. */
export async function checkHealth(running: RunningProcess, limitMs: number): Promise<void> {
  await askProcess(running, [{ subtype: pingOf(running.prepared.version) }], limitMs);
}

/** A request that changes nothing, and that every process of this version answers, initialized or not. */
export function pingOf(version: Version | undefined): "get_binary_version" | "mcp_status" {
  return isKnownSince(version, REFUSES_UNKNOWN) ? "get_binary_version" : "mcp_status";
}

/**
 * The oldest version that was seen to refuse a request that it does not know. Observed: 2.0.77 and 2.1.0
 * never answer one.
 */
const REFUSES_UNKNOWN: Version = [2, 1, 50];
