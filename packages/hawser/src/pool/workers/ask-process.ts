import { HawserError, isHawserError } from "../../base/index.js";
import { ControlLine } from "../../control/index.js";
import { type RunningProcess, SubprocessLine } from "../../transport/index.js";
import { type HostRequest, isSystem } from "../../wire/index.js";

/**
 * Sends requests, one after the other, to a process that no session has, and detaches the process again.
 * Any answer will do. Throws if the process does not answer each of them within the limit, ends, or sends
 * anything else. The process is killed then. Nothing of this keeps the program alive.
 */
export async function askProcess(
  running: RunningProcess,
  requests: readonly HostRequest[],
  limitMs: number,
): Promise<void> {
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
  throw new HawserError("protocol_error", "The process sent a message that no request asked for.");
}

/** Waits for the answer. If the CLI refuses the request, that is an answer too. */
async function answered(answer: Promise<unknown>): Promise<void> {
  try {
    await answer;
  } catch (error) {
    if (isHawserError(error, "unsupported_by_cli") || isHawserError(error, "control_error")) return;
    throw error;
  }
}
