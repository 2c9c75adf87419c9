import type { Readable, Writable } from "node:stream";

/**
 * What `spawnClaudeCodeProcess` must start. With that option, `cliPath` and `cwd` need not exist on
 * this machine; the CLI is then not asked for its version and is treated as a new one. Without a
 * `cliPath`, the CLI of this machine is found and asked as usual. Some arguments name files
 * (settings, MCP servers) in a private folder below this machine's folder for temporary files. If
 * the CLI runs elsewhere, it must see that folder.
 */
export interface SpawnRequest {
  /** Path of the CLI, or of the runtime for a CLI that is a script. */
  readonly command: string;
  readonly args: string[];
  readonly cwd?: string;
  /** The whole environment. Do not add variables of your program. */
  readonly env: { [name: string]: string | undefined };
  /**
   * Aborted when the process must end at once: with the SIGKILL that is the last step of closing.
   */
  readonly signal: AbortSignal;
}

/** What `spawnClaudeCodeProcess` must return. A `ChildProcess` with pipes fits. */
export interface SpawnedProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Read to its end if present, so that a full pipe never blocks the CLI. */
  readonly stderr?: Readable | null | undefined;
  readonly killed: boolean;
  readonly exitCode: number | null;
  readonly signalCode?: NodeJS.Signals | null | undefined;
  /** Sends a signal to the process. */
  kill(signal: NodeJS.Signals): boolean;
  /** Adds a listener. */
  on(event: "exit", listener: ExitListener): void;
  /** Adds a listener. */
  on(event: "error", listener: ErrorListener): void;
  /** Adds a listener that is called once. */
  once(event: "exit", listener: ExitListener): void;
  /** Adds a listener that is called once. */
  once(event: "error", listener: ErrorListener): void;
  /** Removes a listener. */
  off(event: "exit", listener: ExitListener): void;
  /** Removes a listener. */
  off(event: "error", listener: ErrorListener): void;
}

type ExitListener = (code: number | null, signal: NodeJS.Signals | null) => void;
type ErrorListener = (error: Error) => void;
