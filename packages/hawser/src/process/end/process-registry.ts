/** A registered process. */
export interface ClosableProcess extends ProcessInfo {
  close(): Promise<void>;
}

/** A CLI process that your program has started. */
export interface ProcessInfo {
  /** Absent for a process that a custom spawn function has started elsewhere. */
  readonly pid: number | undefined;
  readonly cliPath: string;
  readonly startedAt: Date;
}

/** Lists the CLI processes that your program has started and that are still running. */
export function processes(): ProcessInfo[] {
  return [...live].map(({ pid, cliPath, startedAt }) => ({ pid, cliPath, startedAt }));
}

/**
 * Closes every CLI process of your program gracefully, and resolves when all have exited. Call it
 * before a server stops.
 *
 * @example
 * ```ts
 * process.once("SIGTERM", async () => {
 *   await shutdown();
 *   process.exit();
 * });
 * ```
 */
export async function shutdown(): Promise<void> {
  await Promise.all([...live].map((each) => each.close()));
}

/**
 * Adds a process to those that `processes()` and `shutdown()` know. The returned function removes
 * it.
 */
export function register(process: ClosableProcess): () => void {
  live.add(process);
  return () => live.delete(process);
}

const live = new Set<ClosableProcess>();
