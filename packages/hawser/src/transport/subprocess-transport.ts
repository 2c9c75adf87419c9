import type { ErrorFacts, Logger, Mask } from "../base/index.js";
import type { Invocation, Options } from "../options/index.js";
import type { CliProcess, Exit } from "../process/index.js";
import type { Frame, Outbound } from "../wire/index.js";
import { type RunningProcess, SubprocessLine } from "./subprocess-line.js";
import type { CloseOptions, Transport } from "./transport.js";

/**
 * A line to a CLI process of its own, which `connect()` starts. A line that is never closed is ended when
 * this object is garbage-collected, and at the latest when the program ends.
 */
export class SubprocessTransport implements Transport {
  readonly #line: SubprocessLine;

  /** @param running a process that runs already, in place of a process that `connect()` would start */
  constructor(options: Options = {}, running?: RunningProcess) {
    this.#line = new SubprocessLine(options, running);
    abandoned.register(this, this.#line, this.#line);
  }

  connect(): Promise<void> {
    return this.#line.connect();
  }

  get ready(): boolean {
    return this.#line.ready;
  }

  /** Resolves when the line has ended. Accessing this property keeps the program alive until then. */
  get exited(): Promise<Exit> {
    return this.#line.exited;
  }

  /** The process id, once connected. */
  get pid(): number | undefined {
    return this.#line.pid;
  }

  /** What the CLI was started with; `initialize` is the request that a session has to send first. */
  get invocation(): Invocation {
    return this.#line.invocation;
  }

  /** The caller's logger, with the secrets of this process masked; silent until connected. */
  get log(): Logger {
    return this.#line.log;
  }

  /** Hides the secrets of this process; absent until connected. */
  get mask(): Mask | undefined {
    return this.#line.mask;
  }

  /** What an error about this line can say by now: the CLI, its version, its stderr, its end. */
  get facts(): ErrorFacts {
    return this.#line.facts;
  }

  send(message: Outbound): Promise<void> {
    return this.#line.send(message);
  }

  messages(): AsyncIterable<Frame> {
    return this.#line.read(this);
  }

  endInput(): Promise<void> {
    return this.#line.endInput();
  }

  holdWhileReading(hold: boolean): void {
    this.#line.holdWhileReading(hold);
  }

  /** To be called when the CLI has answered initialize: the files it has read by then are removed. */
  initialized(): Promise<void> {
    return this.#line.initialized();
  }

  /**
   * Ends the line, but not its process, which gets another owner. Undefined, and nothing is done, if
   * a message is under way in either direction, or if the line is not open.
   */
  detach(): CliProcess | undefined {
    const process = this.#line.detach();
    if (process !== undefined) abandoned.unregister(this.#line);
    return process;
  }

  async close(options: CloseOptions = {}): Promise<void> {
    await this.#line.close(options);
    abandoned.unregister(this.#line);
  }

  async kill(): Promise<void> {
    await this.#line.kill();
    abandoned.unregister(this.#line);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

const abandoned = new FinalizationRegistry<SubprocessLine>((line) => {
  line.kill();
});
