import { HawserError } from "../../base/index.js";
import { ControlLine } from "../../control/index.js";
import type { Version } from "../../options/index.js";
import { type Running, SubprocessTransport } from "../../transport/index.js";
import type { HostRequest } from "../../wire/index.js";
import { isSystem } from "../../wire/index.js";
import { isSince } from "../deferred-options.js";
import { answered, pingOf } from "./ping.js";

/** Waits until a process that has been told nothing listens, and leaves it as it was, but awake. */
export async function prime(running: Running, limitMs: number): Promise<void> {
  const transport = new SubprocessTransport({}, running);
  await transport.connect();
  let spoke = false;
  let end: unknown;
  const line = new ControlLine(
    transport,
    async () => undefined,
    {
      onMessage: (message) => {
        // One that is to be told its folder says at its start that a screen would have to be drawn.
        spoke ||= !isSystem(message, "ui_invalidate");
      },
      onCorrupt: () => {
        spoke = true;
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
  const requests = isSince(version, PRIMES) ? [ping, PRIMING] : [ping];
  try {
    for (const request of requests) {
      await answered(line.request(request, { timeoutMs: limitMs, holds: false }));
    }
  } catch (error) {
    await transport.kill();
    throw end ?? error;
  }
  if (!spoke && transport.detach() !== undefined) return;
  await transport.kill();
  throw new HawserError("protocol_error", "The process spoke before it was told anything.");
}

/**
 * A process that has listed its models once answers initialize some ten milliseconds sooner. It asks
 * for nothing outside of the process, and leaves no trace; what a longer list of requests would gain
 * beyond that, they take by putting parts of the system prompt together too early.
 */
const PRIMING: HostRequest = { subtype: "list_models" };
const PRIMES: Version = [2, 1, 325];
