import type { Readable, Writable } from "node:stream";

/** The process behind a `CliProcess`, started by hawser or by a custom spawn function. */
export interface Child {
  /**
   * The pid on this machine. Absent if the process runs elsewhere: then hawser cannot see its tree.
   */
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: ChildOutput;
  readonly stderr: Readable | undefined;
  readonly running: boolean;
  /** How the process ended; both fields are null while that is unknown. */
  readonly end: ChildEnd;
  /** Calls `listener` when the process has ended, at once if it has ended already. */
  onGone(listener: () => void): void;
  signal(signal: NodeJS.Signals): void;
  /** Sets whether the process keeps this program alive. */
  setRef(ref: boolean): void;
}

/** The stdout of a child. */
export interface ChildOutput extends Readable {
  /**
   * Set by a reader that also listens to `data`. If the stream can read into one buffer, each chunk that does not
   * have to wait is given to this function, and is not emitted. The buffer is overwritten as soon as it returns.
   */
  takeBytes?: ((buffer: Buffer, length: number) => void) | undefined;
}

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The error that was reported in place of an exit. */
  readonly error?: Error;
}

type Refable = Partial<Record<"ref" | "unref", () => void>>;

/** For a process and its pipes. The pipes are sockets, though their type does not say so. */
export function setRefOf(ref: boolean, things: readonly (object | null | undefined)[]): void {
  for (const thing of things) {
    // ref() on a closed socket would wait until the socket is opened.
    if (!thing || ("destroyed" in thing && thing.destroyed)) continue;
    (thing as Refable)[ref ? "ref" : "unref"]?.();
  }
}
