/** The longest time that Node's timers take. A longer one would fire at once. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

/** Starts a timer. A limit that no timer can hold is no limit: then there is none. */
export function startTimer(limitMs: number, expired: () => void): NodeJS.Timeout | undefined {
  return limitMs > LONGEST_TIMER_MS ? undefined : setTimeout(expired, limitMs);
}

/**
 * What the promise gives. If it takes longer than the limit: what `late` returns or throws. A limit that
 * no timer can hold is no limit. What the promise gives later is dropped, also an error. The timer keeps
 * the program alive, unless `holds` is false.
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
