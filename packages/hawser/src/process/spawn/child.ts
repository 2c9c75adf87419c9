import type { Readable, Writable } from "node:stream";

/** The process behind a `CliProcess`, whoever has started it. */
export interface Child {
  /** Its number on this machine; absent where it runs elsewhere, and then its tree is not ours. */
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable | undefined;
  readonly running: boolean;
  /** How it ended, as far as it is known. */
  readonly end: ChildEnd;
  /** Has `listener` called when it has ended, at once if it has already. */
  onGone(listener: () => void): void;
  signal(signal: NodeJS.Signals): void;
  /** Whether it keeps this program alive. */
  setRef(ref: boolean): void;
}

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What the process was said to have failed by, instead of an exit. */
  readonly error?: Error;
}

type Refable = Partial<Record<"ref" | "unref", () => void>>;

/** For a process and its pipes alike: the pipes are sockets, though their type does not say so. */
export function setRefOf(ref: boolean, things: readonly (object | null | undefined)[]): void {
  for (const thing of things) {
    // A closed socket would wait to be opened.
    if (!thing || ("destroyed" in thing && thing.destroyed)) continue;
    (thing as Refable)[ref ? "ref" : "unref"]?.();
  }
}
