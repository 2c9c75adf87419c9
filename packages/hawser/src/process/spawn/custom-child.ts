import { ChildProcess } from "node:child_process";
import { PassThrough, pipeline, type Readable, type Writable } from "node:stream";
import { LONGEST_TIMER_MS, type Logger } from "../../base/index.js";
import type { SpawnedProcess } from "../../options/index.js";
import { type Child, type ChildEnd, setRefOf } from "./child.js";

/**
 * A process that a custom spawn function has started. It may run on another machine, and it may
 * behave differently from a `ChildProcess` of Node, so no event of it is relied on.
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

  /**
   * Create it as soon as the process exists: an event without a listener is lost, or ends the
   * program.
   */
  constructor(process: SpawnedProcess, abort: AbortController, log: Logger) {
    this.#process = process;
    this.#abort = abort;
    this.#log = log;
    // The pid of any other object may be the one that the process has in its container.
    this.pid = process instanceof ChildProcess ? process.pid : undefined;
    this.stdin = process.stdin;
    this.stdout = bytesOf(process.stdout);
    this.stderr = isReadable(process.stderr) ? bytesOf(process.stderr) : undefined;
    // Readers and writers handle the error. Without this listener it would end the program.
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
      this.#log.warn("the process of spawnClaudeCodeProcess cannot be signalled", {
        signal,
        error: String(error),
      });
    }
    // After kill(), because Node itself sends only SIGTERM when the abort signal fires.
    if (signal === "SIGKILL") this.#abort.abort();
  }

  /** The process may have no ref() and unref(), so a timer keeps this program alive. */
  setRef(ref: boolean): void {
    clearInterval(this.#alive);
    if (ref) this.#alive = setInterval(() => {}, LONGEST_TIMER_MS);
    else setRefOf(false, [this.#process, this.stdin, this.#process.stdout, this.#process.stderr]);
  }

  /**
   * A child of this machine reports its exit too, and its error may only mean that a signal could
   * not be sent. Any other process may report nothing after an error, so the error is its end.
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

/** The stream as bytes: a stream with an encoding, or in object mode, gives text. */
function bytesOf(stream: Readable): Readable {
  if (!stream.readableEncoding && !stream.readableObjectMode) return stream;
  // If the stream breaks off, pipeline() destroys the PassThrough, so that its reader sees the end.
  return pipeline(stream, new PassThrough(), () => {});
}

/** What the return value of a custom spawn function lacks to be a process; undefined if nothing. */
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

/**
 * Whether a value has the methods of a stream that hawser uses. Streams of other libraries have
 * them.
 */
export function isReadable(thing: unknown): thing is Readable {
  return has(thing, ["on", "once", "off", "pause", "isPaused", "resume", "destroy"]);
}

function has(thing: unknown, methods: readonly string[]): boolean {
  if (typeof thing !== "object" || thing === null) return false;
  return methods.every((name) => typeof Reflect.get(thing, name) === "function");
}
