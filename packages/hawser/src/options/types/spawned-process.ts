import type { Readable, Writable } from "node:stream";

/**
 * What an own way of starting the process (`spawnClaudeCodeProcess`) is given. A `cliPath` need not
 * exist on this machine then, nor need `cwd`; its version is not asked, and it is taken for a new
 * one. Without a `cliPath` the CLI of this machine is found and asked as usual. The files that some
 * arguments name (settings, MCP servers) are written on this machine, into a folder of their own
 * below the one for temporary files: where the CLI runs elsewhere, it must see that folder.
 */
export interface SpawnRequest {
  /** The CLI, or the runtime of a CLI that is a script. */
  readonly command: string;
  readonly args: string[];
  readonly cwd?: string;
  /** The whole environment; nothing of this program's own has to be added. */
  readonly env: { [name: string]: string | undefined };
  /** Aborts when the process must go at once: with the SIGKILL that ends the ladder of closing. */
  readonly signal: AbortSignal;
}

/** What must come back from an own way of starting it; a `ChildProcess` with pipes fits. */
export interface SpawnedProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Read to its end where it is given, so that it never stops the CLI by being full. */
  readonly stderr?: Readable | null | undefined;
  readonly killed: boolean;
  readonly exitCode: number | null;
  readonly signalCode?: NodeJS.Signals | null | undefined;
  kill(signal: NodeJS.Signals): boolean;
  on(event: "exit", listener: ExitListener): void;
  on(event: "error", listener: ErrorListener): void;
  once(event: "exit", listener: ExitListener): void;
  once(event: "error", listener: ErrorListener): void;
  off(event: "exit", listener: ExitListener): void;
  off(event: "error", listener: ErrorListener): void;
}

type ExitListener = (code: number | null, signal: NodeJS.Signals | null) => void;
type ErrorListener = (error: Error) => void;
