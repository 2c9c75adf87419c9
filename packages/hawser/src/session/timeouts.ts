import { HawserError, omitUndefined, withTimeout } from "../base/index.js";
import type { Options } from "../options/index.js";

/** How long each part may take, in milliseconds; `Infinity` is no limit. */
export interface Timeouts {
  /** From the start of the process to the CLI's answer to initialize. */
  readonly bootMs: number;
  /** From the answer to initialize, or from the prompt, to the first message of the turn. */
  readonly firstMessageMs: number;
  /** Between two messages, while no tool runs and no request waits for the host. */
  readonly idleMs: number;
  /** For a whole completion, or for one turn of a session. */
  readonly totalMs: number;
}

export function timeoutsOf({ timeouts }: Options, totalMs: number): Timeouts {
  return { ...DEFAULTS, totalMs, ...omitUndefined(timeouts ?? {}) };
}

const DEFAULTS = { bootMs: 60_000, firstMessageMs: 120_000, idleMs: 300_000 };

/** Whether the promise resolves or rejects within the limit. */
export function untilSettled(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  );
  return withTimeout(settled, limitMs, () => false);
}

/**
 * The promise with the time limit of a phase, after which it rejects with `timeout`. The timer keeps the
 * program alive, unless `holds` is false.
 */
export function withPhaseLimit<T>(
  promise: Promise<T>,
  phase: keyof typeof MESSAGES,
  limitMs: number,
  holds = true,
): Promise<T> {
  const late = () => {
    throw timeoutError(phase, limitMs);
  };
  return withTimeout(promise, limitMs, late, { holds });
}

export function timeoutError(phase: keyof typeof MESSAGES, limitMs: number): HawserError {
  // No option sets the limit of a reset.
  const hint = phase === "reset" ? {} : { hint: `Try again, or raise \`timeouts.${phase}Ms\`.` };
  return new HawserError("timeout", MESSAGES[phase](limitMs), { phase, ...hint });
}

const MESSAGES = {
  boot: (ms: number): string => `The CLI was not ready within ${ms} ms.`,
  firstMessage: (ms: number): string => `The CLI sent no message within ${ms} ms.`,
  idle: (ms: number): string => `The CLI sent nothing more for ${ms} ms, which is the time limit.`,
  total: (ms: number): string => `The whole call took longer than ${ms} ms.`,
  reset: (ms: number): string => `The CLI did not reset the conversation within ${ms} ms.`,
} as const;
