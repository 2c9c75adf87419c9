/** What the promise gives, or undefined if that takes longer. */
export function within<T>(promise: Promise<T>, limitMs: number): Promise<T | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), limitMs);
    promise.then((value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });
}
