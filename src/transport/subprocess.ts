import type { Logger } from "../errors/index.js";
import type { Invocation, Options } from "../options/index.js";
import type { Exit } from "../process/index.js";
import type { Frame, Outbound } from "../wire/index.js";
import { notConnected } from "./refusals.js";
import { SubprocessLine } from "./subprocess-line.js";
import type { CloseOptions, Transport } from "./transport.js";

/**
 * A line to a CLI process of its own, started on connect. If it is forgotten, its process dies with
 * it: when this object is garbage-collected, and at the latest when the program ends.
 */
export class SubprocessTransport implements Transport {
  readonly #line: SubprocessLine;

  constructor(options: Options = {}) {
    this.#line = new SubprocessLine(options);
    abandoned.register(this, this.#line);
  }

  connect(): Promise<void> {
    return this.#line.connect();
  }

  get ready(): boolean {
    return this.#line.ready;
  }

  get exited(): Promise<Exit> {
    return this.#line.exited;
  }

  /** The process id, once connected. */
  get pid(): number | undefined {
    return this.#line.pid;
  }

  /** The version of the CLI as text, once connected; absent if it could not be learned. */
  get cliVersion(): string | undefined {
    return this.#line.cliVersion;
  }

  /** What the CLI was started with; `initialize` is the request that a session has to send first. */
  get invocation(): Invocation {
    const invocation = this.#line.invocation;
    if (invocation === undefined) throw notConnected();
    return invocation;
  }

  /** The caller's logger, with the secrets of this process masked; silent until connected. */
  get log(): Logger {
    return this.#line.log;
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

  /** To be called when the CLI has answered initialize: the files it has read by then go away. */
  initialized(): Promise<void> {
    return this.#line.initialized();
  }

  close(options: CloseOptions = {}): Promise<void> {
    return this.#line.close(options);
  }

  kill(): Promise<void> {
    return this.#line.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

const abandoned = new FinalizationRegistry<SubprocessLine>((line) => {
  line.kill();
});
