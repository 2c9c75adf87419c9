import { ChildProcess } from "node:child_process";
import { PassThrough, pipeline, type Readable, type Writable } from "node:stream";
import type { Logger } from "../../base/index.js";
import type { SpawnedProcess } from "../../options/index.js";
import { type Child, type ChildEnd, setRefOf } from "./child.js";

/**
 * A process that the caller's own function has started. It may be on another machine, and it may
 * not keep to what Node's own processes do, so nothing here waits for it or trusts it to be heard.
 */
export class CustomChild implements Child {
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable | undefined;

  readonly #process: SpawnedProcess;
  readonly #abort: AbortController;
  readonly #log: Logger;
  readonly #listeners: (() => void)[] = [];
  #end: ChildEnd | undefined;
  #alive: NodeJS.Timeout | undefined;

  /** To be made as soon as the process is there: an event that nobody hears is lost, or fatal. */
  constructor(process: SpawnedProcess, abort: AbortController, log: Logger) {
    this.#process = process;
    this.#abort = abort;
    this.#log = log;
    // Another kind of object may give the number that the process has in its container.
    this.pid = process instanceof ChildProcess ? process.pid : undefined;
    this.stdin = process.stdin;
    this.stdout = bytesOf(process.stdout);
    this.stderr = isReadable(process.stderr) ? bytesOf(process.stderr) : undefined;
    // The one who reads or writes is told; here it must only not end the host.
    for (const stream of [this.stdin, this.stdout, this.stderr]) stream?.on("error", () => {});
    process.on("exit", (code, signal) =>
      this.#gone({ code: code ?? null, signal: signal ?? null }),
    );
    process.on("error", (error) => this.#failed(error));
  }

  get running(): boolean {
    const { code, signal } = this.end;
    return this.#end === undefined && code === null && signal === null;
  }

  get end(): ChildEnd {
    const { exitCode, signalCode } = this.#process;
    return this.#end ?? { code: exitCode ?? null, signal: signalCode ?? null };
  }

  onGone(listener: () => void): void {
    if (this.running) this.#listeners.push(listener);
    else listener();
  }

  signal(signal: NodeJS.Signals): void {
    try {
      this.#process.kill(signal);
    } catch (error) {
      this.#log.warn("the own process cannot be signalled", { signal, error: String(error) });
    }
    // Afterwards: Node itself sends only SIGTERM to a process whose signal aborts.
    if (signal === "SIGKILL") this.#abort.abort();
  }

  /** It need not know ref() and unref(), so what keeps this program alive is a timer of our own. */
  setRef(ref: boolean): void {
    clearInterval(this.#alive);
    if (ref) this.#alive = setInterval(() => {}, LONG_MS);
    else setRefOf(false, [this.#process, this.stdin, this.#process.stdout, this.#process.stderr]);
  }

  /**
   * Of a child that runs here, an exit is sure to follow; an error says less, such as that a signal
   * could not be sent. Of anything else it is the last word that will come.
   */
  #failed(error: Error): void {
    if (this.#end !== undefined || this.#abort.signal.aborted) return;
    this.#log.warn("process error", { error: String(error) });
    if (this.pid !== undefined) return;
    this.#gone({ code: null, signal: null, error });
    this.signal("SIGKILL");
  }

  #gone(end: ChildEnd): void {
    this.#end ??= end;
    for (const listener of this.#listeners.splice(0)) listener();
  }
}

const LONG_MS = 2 ** 31 - 1;

/** A stream that was set to an encoding, or to objects, gives text where bytes are expected. */
function bytesOf(stream: Readable): Readable {
  if (!stream.readableEncoding && !stream.readableObjectMode) return stream;
  // A stream that breaks off destroys the one behind it, whose end is then seen as its own.
  return pipeline(stream, new PassThrough(), () => {});
}

/** What the thing that an own spawn function returned lacks to be a process. */
export function lackOf(made: unknown): string | undefined {
  if (typeof made !== "object" || made === null) {
    return `it returned ${made === null ? "null" : typeof made}`;
  }
  if (has(made, ["then"])) return "it returned a promise, not the process itself";
  const lacks = ["kill", "on"].filter((name) => !has(made, [name]));
  if (!has(Reflect.get(made, "stdin"), ["write", "end", "on"])) lacks.push("stdin");
  if (!isReadable(Reflect.get(made, "stdout"))) lacks.push("stdout");
  return lacks.length === 0 ? undefined : `what it returned has no ${lacks.join(" and no ")}`;
}

/** Whether it has what is used of a stream here; streams of other libraries do. */
export function isReadable(thing: unknown): thing is Readable {
  return has(thing, ["on", "once", "off", "pause", "isPaused", "resume", "destroy"]);
}

function has(thing: unknown, methods: readonly string[]): boolean {
  if (typeof thing !== "object" || thing === null) return false;
  return methods.every((name) => typeof Reflect.get(thing, name) === "function");
}
