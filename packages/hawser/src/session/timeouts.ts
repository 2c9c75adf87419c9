import { HawserError, omitUndefined } from "../base/index.js";
import type { Options } from "../options/index.js";

/** How long each part may take, in milliseconds; `Infinity` is no limit. */
export interface Timeouts {
  /** From the start to the CLI's answer to initialize. */
  readonly bootMs: number;
  /** From there, or from the prompt, to the first message of the turn. */
  readonly firstMessageMs: number;
  /** Between two messages, while no tool and no answer of the host is pending. */
  readonly idleMs: number;
  /** Over everything: the whole of a completion, or a turn of a session. */
  readonly totalMs: number;
}

export function timeoutsOf({ timeouts }: Options, totalMs: number): Timeouts {
  return { ...DEFAULTS, totalMs, ...omitUndefined(timeouts ?? {}) };
}

const DEFAULTS = { bootMs: 60_000, firstMessageMs: 120_000, idleMs: 300_000 };

/** A timer that knows no limit, and whose limit may be longer than Node's longest. */
export function startTimer(limitMs: number, expired: () => void): NodeJS.Timeout | undefined {
  // Node fires a timer that is longer than this at once.
  return limitMs > 2 ** 31 - 1 ? undefined : setTimeout(expired, limitMs);
}

/** Whether the promise settles, either way, within the limit. */
export async function untilSettled(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = startTimer(limitMs, () => resolve(false));
  });
  const settled = promise.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The same, unless that takes longer than this phase may; `holds`: the program waits for it. */
export async function unlessLate<T>(
  promise: Promise<T>,
  phase: keyof typeof SPAN,
  limitMs: number,
  holds = true,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = startTimer(limitMs, () => reject(timeoutError(phase, limitMs)));
    if (!holds) timer?.unref();
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function timeoutError(phase: keyof typeof SPAN, limitMs: number): HawserError {
  return new HawserError("timeout", `${SPAN[phase]} took longer than ${limitMs} ms.`, { phase });
}

const SPAN = {
  boot: "The start of the CLI",
  firstMessage: "The wait for the first message",
  idle: "The wait for the next message",
  total: "The whole call",
  reset: "The reset of the conversation",
} as const;
