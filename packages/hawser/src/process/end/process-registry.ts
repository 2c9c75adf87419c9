/** A registered process. */
export interface ClosableProcess extends ProcessInfo {
  close(): Promise<void>;
}

/** A CLI process that this program has started. */
export interface ProcessInfo {
  /** Absent for a process that a custom spawn function has started elsewhere. */
  readonly pid: number | undefined;
  readonly cliPath: string;
  readonly startedAt: Date;
}

/** The CLI processes that this program has started and that still live. */
export function processes(): ProcessInfo[] {
  return [...live].map(({ pid, cliPath, startedAt }) => ({ pid, cliPath, startedAt }));
}

/** Ends every CLI process of this program in the orderly way, and resolves when all are gone. */
export async function shutdown(): Promise<void> {
  await Promise.all([...live].map((each) => each.close()));
}

/** Adds a process to those that `processes()` and `shutdown()` know. The returned function removes it. */
export function register(process: ClosableProcess): () => void {
  live.add(process);
  return () => live.delete(process);
}

const live = new Set<ClosableProcess>();
