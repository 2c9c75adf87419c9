/**
 * Keeps the program alive until the work has ended. Idle connections do not, so that a program that forgets to close
 * the fleet still ends; without this, Node would also end while a caller waits for such a connection.
 */
export async function keepAlive<Value>(work: () => Promise<Value>): Promise<Value> {
  const timer = setInterval(() => {}, LONG_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

const LONG_MS = 60_000;
