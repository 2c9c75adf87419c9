import type { ChildProcessWithoutNullStreams } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Logger } from "../../base/index.js";
import { signalGroup } from "../end/sweep-tree.js";
import type { Prepared } from "../prepare/prepare.js";
import { withUserHome } from "../prepare/resolve-user.js";
import { type Child, type ChildEnd, type ChildOutput, setRefOf } from "./child.js";
import { openOutputPair } from "./output-pair.js";
import { startChild } from "./start-child.js";

/** Starts the CLI on this machine. Rejects with the error of Node. */
export async function startLocal(prepared: Prepared, env: Record<string, string>): Promise<Child> {
  const { invocation, user, log } = prepared;
  const output = await openOutputPair();
  const starting = startChild(invocation.file, invocation.argv, {
    env: withUserHome(user, env),
    stdio: ["pipe", output?.writer ?? "pipe", "pipe"],
    // In its own group, so that signals reach all of its processes and none of the host's.
    detached: process.platform !== "win32",
    windowsHide: true,
    ...(invocation.cwd === undefined ? {} : { cwd: invocation.cwd }),
    ...(user === undefined ? {} : { uid: user.uid, gid: user.gid }),
  });
  try {
    const child = (await starting) as Spawned;
    return new LocalChild(child, output?.reader ?? child.stdout, log);
  } catch (error) {
    output?.reader.destroy();
    throw error;
  } finally {
    // The child has its own copy. With this one, the output would never end.
    output?.writer.destroy();
  }
}

type Spawned = ChildProcessWithoutNullStreams & { readonly pid: number };

class LocalChild implements Child {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: ChildOutput;
  readonly stderr: Readable;
  readonly #child: Spawned;

  constructor(child: Spawned, stdout: ChildOutput, log: Logger) {
    this.pid = child.pid;
    this.stdin = child.stdin;
    this.stdout = stdout;
    this.stderr = child.stderr;
    this.#child = child;
    child.on("error", (error) => log.warn("process error", { error: error.message }));
    // Node resumes its own pipes when the child has ended, so that a slow reader does not hide the end.
    if (stdout !== child.stdout)
      child.once("exit", () => process.nextTick(() => resumeIfPaused(stdout)));
  }

  get running(): boolean {
    const { code, signal } = this.end;
    return code === null && signal === null;
  }

  get end(): ChildEnd {
    return { code: this.#child.exitCode, signal: this.#child.signalCode };
  }

  onGone(listener: () => void): void {
    if (this.running) this.#child.once("exit", listener);
    else listener();
  }

  signal(signal: NodeJS.Signals): void {
    signalGroup(this.pid, signal);
  }

  setRef(ref: boolean): void {
    setRefOf(ref, [this.#child, this.stdin, this.stdout, this.stderr]);
  }
}

/** A stream that has no listener yet is not paused, and keeps its output. */
function resumeIfPaused(stream: Readable): void {
  if (stream.isPaused()) stream.resume();
}
