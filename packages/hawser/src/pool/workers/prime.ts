import { HawserError } from "../../base/index.js";
import { ControlLine } from "../../control/index.js";
import type { Version } from "../../options/index.js";
import { type RunningProcess, SubprocessLine } from "../../transport/index.js";
import type { HostRequest } from "../../wire/index.js";
import { isSystem } from "../../wire/index.js";
import { isKnownSince } from "../deferred-options.js";
import { answered, pingOf } from "./check-health.js";

/** Waits until a new process answers, and warms its caches. It sends nothing that changes the process. */
export async function prime(running: RunningProcess, limitMs: number): Promise<void> {
  const transport = new SubprocessLine({}, running);
  await transport.connect();
  let hasOutput = false;
  let end: unknown;
  const line = new ControlLine(
    transport,
    async () => undefined,
    {
      onMessage: (message) => {
        // With --await-claim, the CLI sends this message at its start.
        hasOutput ||= !isSystem(message, "ui_invalidate");
      },
      onEvents: () => {
        hasOutput = true;
      },
      onCorrupt: () => {
        hasOutput = true;
      },
      onEnd: (error) => {
        end = error;
      },
    },
    running.prepared.log,
  );
  line.start();
  const { version } = running.prepared;
  const ping: HostRequest = { subtype: pingOf(version) };
  const requests = isKnownSince(version, PRIMES) ? [ping, PRIMING] : [ping];
  try {
    for (const request of requests) {
      await answered(line.request(request, { timeoutMs: limitMs, holds: false }));
    }
  } catch (error) {
    await transport.kill();
    throw end ?? error;
  }
  if (!hasOutput && transport.detach() !== undefined) return;
  await transport.kill();
  throw new HawserError(
    "protocol_error",
    "The process sent a message before it had received anything.",
  );
}

/**
 * Observed: a process that has listed its models once answers initialize some ten milliseconds sooner. The
 * request asks for nothing outside of the process and leaves no trace. More requests would gain more time,
 * but make the CLI assemble parts of the system prompt too early.
 */
const PRIMING: HostRequest = { subtype: "list_models" };
const PRIMES: Version = [2, 1, 325];
