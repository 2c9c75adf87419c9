import { randomUUID } from "node:crypto";
import {
  given,
  OF_CALLS,
  OF_POOLS,
  type Options,
  refuseOptions,
  validateOptions,
  withPreset,
} from "../options/index.js";
import { Session } from "./session.js";
import { timeoutsOf } from "./timeouts.js";

export type SessionOptions = Options;

/**
 * Starts the CLI and gives a conversation with it. Resolves when the CLI is ready for prompts;
 * unless options say otherwise it is the CLI's own agent, with its prompt, tools and settings.
 */
export async function openSession(options: SessionOptions = {}): Promise<Session> {
  const session = startSession(options);
  await session.initializationResult();
  return session;
}

/** The same, without waiting: a prompt can be sent at once, and goes out as soon as it may. */
export function startSession(options: SessionOptions): Session {
  validateOptions(options);
  refuseOptions("openSession()", options, [...OF_CALLS, ...OF_POOLS]);
  const resolved = withId(withPreset(given(options)));
  return new Session({
    // The model's events make the text live and the numbers final, also for one who does not ask
    // to see them.
    options: { ...resolved, includePartialMessages: resolved.includePartialMessages ?? true },
    timeouts: timeoutsOf(resolved, Number.POSITIVE_INFINITY),
    showsEvents: resolved.includePartialMessages === true,
  });
}

/** An id of our own, so that it is known from the start. */
export function withId(options: Options): Options {
  const { sessionId, resume, continue: goesOn } = options;
  if (sessionId !== undefined || resume !== undefined || goesOn === true) return options;
  return { ...options, sessionId: randomUUID() };
}
