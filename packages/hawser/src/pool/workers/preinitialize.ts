import { HawserError } from "../../base/index.js";
import { detachProcess, type PrestartedProcess, Session } from "../../session/index.js";
import type { InitializePayload } from "../../wire/index.js";
import type { Recipe } from "../binding.js";

/**
 * Initializes a process before a call needs it, through a session of its own, and detaches the process
 * again.
 */
export async function preinitialize(
  { sandbox }: Recipe,
  warm: PrestartedProcess,
  bootMs: number,
): Promise<InitializePayload> {
  const session = new Session({
    options: { sandbox },
    timeouts: { bootMs, firstMessageMs: bootMs, idleMs: bootMs, totalMs: bootMs },
    showsEvents: false,
    warm: { ...warm, isAhead: true },
  });
  const info = await session.initializationResult();
  if (detachProcess(session) !== undefined) return info;
  await session.kill();
  throw new HawserError("protocol_error", "The process was not at rest after its start.");
}
