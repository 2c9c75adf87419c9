import type { Version } from "../../options/index.js";
import type { RunningProcess } from "../../transport/index.js";
import type { HostRequest } from "../../wire/index.js";
import { isKnownSince } from "../deferred-options.js";
import { askProcess } from "./ask-process.js";
import { pingOf } from "./check-health.js";

/** Waits until a new process answers, and warms its caches. It sends nothing that changes the process. */
export async function prime(running: RunningProcess, limitMs: number): Promise<void> {
  const { version } = running.prepared;
  const ping: HostRequest = { subtype: pingOf(version) };
  const requests = isKnownSince(version, PRIMES) ? [ping, PRIMING] : [ping];
  await askProcess(running, requests, limitMs);
}

/**
 * Observed: a process that has listed its models once answers initialize some ten milliseconds sooner. The
 * request asks for nothing outside of the process and leaves no trace. More requests would gain more time,
 * but make the CLI assemble parts of the system prompt too early.
 */
const PRIMING: HostRequest = { subtype: "list_models" };
const PRIMES: Version = [2, 1, 325];
