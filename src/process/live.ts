/** What the host must be able to end at any moment, also without an event loop. */
export interface Mortal {
  readonly pid: number;
  readonly cliPath: string;
  readonly startedAt: Date;
  terminate(): Promise<void>;
  killSync(): void;
}

export interface ProcessInfo {
  readonly pid: number;
  readonly cliPath: string;
  readonly startedAt: Date;
}

/** The CLI processes that this program has started and that still live. */
export function processes(): ProcessInfo[] {
  return [...live].map(({ pid, cliPath, startedAt }) => ({ pid, cliPath, startedAt }));
}

/** Ends every CLI process of this program in the orderly way, and resolves when all are gone. */
export async function shutdown(): Promise<void> {
  await Promise.all([...live].map((each) => each.terminate()));
}

export function born(process: Mortal): void {
  if (live.size === 0) watchHost();
  live.add(process);
}

export function died(process: Mortal): void {
  live.delete(process);
  if (live.size === 0) unwatchHost();
}

const live = new Set<Mortal>();
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function watchHost(): void {
  process.on("exit", killAll);
  for (const signal of SIGNALS) process.on(signal, onSignal);
}

function unwatchHost(): void {
  process.off("exit", killAll);
  for (const signal of SIGNALS) process.off(signal, onSignal);
}

function killAll(): void {
  for (const each of live) each.killSync();
}

/**
 * A signal that nobody else handles would end this program without its exit event, and leave its
 * children behind: they are ended first, then the signal takes its usual course. A program that
 * handles the signal decides for itself what to close.
 */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  killAll();
  unwatchHost();
  process.kill(process.pid, signal);
}
