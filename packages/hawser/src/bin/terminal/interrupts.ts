import { ERROR_CODES, HawserError } from "../../base/index.js";
import type { Terminal } from "./terminal.js";

/** Handles Ctrl-C: the first one aborts the call, the second one quits at once. */
export class Interrupts {
  readonly #terminal: Terminal;
  readonly #controller = new AbortController();
  readonly #press = () => this.press();

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    process.on("SIGINT", this.#press);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  press(): undefined {
    // Every process is killed on the way out.
    if (this.signal.aborted) process.exit(ERROR_CODES.aborted.exitCode);
    this.#terminal.note(this.#terminal.style.dim("stopping; press Ctrl-C again to quit at once"));
    this.#controller.abort(new HawserError("aborted", "Stopped by Ctrl-C."));
  }

  close(): void {
    process.off("SIGINT", this.#press);
  }
}
