/** The longest time that Node's timers take. A longer one would fire at once. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

/**
 * What the promise gives. If it takes longer than the limit: what `late` returns or throws. A limit that
 * no timer can hold is no limit. What the promise gives later is dropped, also an error.
 */
export async function withTimeout<Value, Late>(
  promise: PromiseLike<Value>,
  limitMs: number,
  late: () => Late,
): Promise<Value | Late> {
  if (limitMs > LONGEST_TIMER_MS) return promise;
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<Late>((resolve, reject) => {
    timer = setTimeout(() => {
      try {
        resolve(late());
      } catch (error) {
        reject(error);
      }
    }, limitMs);
  });
  try {
    return await Promise.race([promise, timedOut]);
  } finally {
    clearTimeout(timer);
  }
}
