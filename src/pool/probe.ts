import { ControlLine } from "../control/index.js";
import { HawserError, isHawserError } from "../errors/index.js";
import { type Running, SubprocessTransport } from "../transport/index.js";
import { isSystem } from "../wire/index.js";

/** Waits until a process that has been told nothing listens, and leaves it as it was. */
export async function probe(running: Running, limitMs: number): Promise<void> {
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
  try {
    await line.request({ subtype: "get_binary_version" }, { timeoutMs: limitMs, holds: false });
  } catch (error) {
    // A refusal is an answer too.
    if (!isHawserError(error, "unsupported_by_cli") && !isHawserError(error, "control_error")) {
      await transport.kill();
      throw end ?? error;
    }
  }
  if (!spoke && transport.detach() !== undefined) return;
  await transport.kill();
  throw new HawserError("protocol_error", "The process spoke before it was told anything.");
}
