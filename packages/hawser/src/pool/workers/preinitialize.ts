import { HawserError } from "../../base/index.js";
import type { Version } from "../../options/index.js";
import { detach, Session, type Warm } from "../../session/index.js";
import type { InitializePayload } from "../../wire/index.js";
import type { Recipe } from "../binding.js";
import { answered, pingOf } from "./ping.js";

const HEALTH_MS = 5_000;

/** Throws unless it answers; what it answers does not matter. */
export async function checkHealth(session: Session, version: Version | undefined): Promise<void> {
  await answered(session.request(pingOf(version), {}, { timeoutMs: HEALTH_MS }));
}

/** Tells a process all that it must be told before a caller comes, and takes it back. */
export async function preinitialize(
  { sandbox }: Recipe,
  warm: Warm,
  bootMs: number,
): Promise<InitializePayload> {
  const session = new Session({
    options: { sandbox },
    timeouts: { bootMs, firstMessageMs: bootMs, idleMs: bootMs, totalMs: bootMs },
    showsEvents: false,
    warm: { ...warm, isAhead: true },
  });
  const info = await session.initializationResult();
  if (detach(session) !== undefined) return info;
  await session.kill();
  throw new HawserError("protocol_error", "The process was not at rest after its start.");
}
