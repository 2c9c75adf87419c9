/** The longest time that Node's timers accept. A longer timer would fire at once. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

/** Starts a timer. For a limit that is too long for a timer, there is no timer and no limit. */
export function startTimer(limitMs: number, expired: () => void): NodeJS.Timeout | undefined {
  return limitMs > LONGEST_TIMER_MS ? undefined : setTimeout(expired, limitMs);
}

/**
 * Waits for the promise. If it takes longer than the limit, the result is that of `late()`, or its
 * error. A limit that is too long for a timer is no limit. A later result or error of the promise
 * is dropped. The timer keeps the program alive, unless `holds` is false.
 */
export async function withTimeout<Value, Late>(
  promise: PromiseLike<Value>,
  limitMs: number,
  late: () => Late,
  { holds = true }: { readonly holds?: boolean } = {},
): Promise<Value | Late> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<Late>((resolve, reject) => {
    timer = startTimer(limitMs, () => {
      try {
        resolve(late());
      } catch (error) {
        reject(error);
      }
    });
    if (!holds) timer?.unref();
  });
  try {
    return await Promise.race([promise, timedOut]);
  } finally {
    clearTimeout(timer);
  }
}
