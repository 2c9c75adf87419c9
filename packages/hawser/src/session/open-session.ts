import { lazy, omitUndefined, traceCaller } from "../base/index.js";
import {
  type Options,
  pathsOfScope,
  refuseOpenGuards,
  refuseOptions,
  refuseWithoutPool,
  validateOptions,
  withPreset,
} from "../options/index.js";
import type { Session } from "./session.js";
import { type LeaseRequest, sourceOf } from "./session-source.js";
import { warnOfShadowedCallback } from "./startup-warnings.js";
import { timeoutsOf } from "./timeouts.js";

/** The options of `openSession()`: all options except those of a single call, which a session refuses. */
export type SessionOptions = Omit<
  Options,
  "autoResume" | "clientTools" | "history" | "maxRepairs" | "schema" | "toolChoice"
>;

/**
 * Starts the CLI and opens a conversation with it. Resolves when the CLI is ready for prompts. By default it is
 * the CLI's own agent, with its system prompt, tools and the user's settings. Rejects with a `HawserError` if
 * the CLI cannot be started or an option is wrong.
 *
 * @example
 * ```ts
 * import { openSession } from "hawser";
 *
 * await using session = await openSession({ cwd: "/srv/project", permissionMode: "acceptEdits" });
 * console.log(await session.send("Fix the failing test.").text());
 * ```
 */
export async function openSession(options: SessionOptions = {}): Promise<Session> {
  return await traceCaller(open(options));
}

async function open(options: SessionOptions): Promise<Session> {
  validateOptions(options);
  refuseOpenGuards(options);
  refuseOptions("openSession()", options, callOptions());
  refuseWithoutPool("openSession()", options);
  warnOfShadowedCallback(options);
  const { session, release } = await sourceOf(options).acquire(requestOf(options));
  try {
    await session.initializationResult();
    return session;
  } catch (error) {
    await release();
    throw error;
  }
}

/** Options of a single call. A session has no single outcome, so it refuses them. */
const callOptions = lazy(() => pathsOfScope("call"));

/** The request for a session with these options. */
export function requestOf(options: Options): LeaseRequest {
  const resolved = withPreset(omitUndefined(options));
  return {
    purpose: "session",
    // The session needs the model's stream events for live text and final usage, also if its readers do
    // not get them.
    options: { ...resolved, includePartialMessages: resolved.includePartialMessages ?? true },
    timeouts: timeoutsOf(resolved, Number.POSITIVE_INFINITY),
    showsEvents: resolved.includePartialMessages === true,
  };
}
