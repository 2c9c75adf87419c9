import {
  given,
  OF_LATER_LAYERS,
  type Options,
  refuseOptions,
  validateOptions,
  validatePrompt,
  withPreset,
} from "../options/index.js";
import { Session, startTimer, timeoutError, timeoutsOf } from "../session/index.js";
import { encodeLine, type Prompt, userLine } from "../wire/index.js";
import { type Completion, completionOf } from "./completion.js";

export type CompleteOptions = Options;

/**
 * One prompt, one answer. Lean and isolated unless options say otherwise: no tools, no settings
 * files, no session on disk. Resolves only if the CLI answered, and when its process is gone; every
 * failure is a `HawserError` whose code says what happened.
 */
export async function complete(prompt: Prompt, options: CompleteOptions = {}): Promise<Completion> {
  const startedAt = performance.now();
  validatePrompt(prompt);
  // Before anything is started: a prompt that cannot be written would never arrive.
  if (typeof prompt !== "string") encodeLine(userLine(prompt));
  validateOptions(options);
  refuseOptions("complete()", options, LATER);
  const resolved = withPreset({ preset: "lean", ...given(options) });

  const { totalMs, ...phases } = timeoutsOf(resolved, DEFAULT_TOTAL_MS);
  const timeouts = { ...phases, totalMs: Number.POSITIVE_INFINITY };
  const session = new Session({ options: resolved, timeouts, showsEvents: true });
  const timer = startTimer(totalMs, () => void session.close(timeoutError("total", totalMs)));
  try {
    return await completionOf(session, session.send(prompt), startedAt);
  } finally {
    clearTimeout(timer);
    await session.close();
  }
}

const DEFAULT_TOTAL_MS = 600_000;

/** Refused, never ignored. */
const LATER = [...OF_LATER_LAYERS, "outputFormat", "recover"];
