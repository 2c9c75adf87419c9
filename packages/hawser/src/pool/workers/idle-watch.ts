import { type Logger, SILENT } from "../../base/index.js";
import type { CliProcess } from "../../process/index.js";
import type { DiscardReason } from "./discard-reason.js";

/** How an idle process can break the rule that it must neither write nor exit. */
export type IdleFault = Extract<DiscardReason, "exited" | "unexpected_output">;

/** Watches a process while no session has it: the process must neither write to stdout nor exit. */
export class IdleWatch {
  readonly #process: CliProcess;
  readonly #onFault: (fault: IdleFault) => void;
  readonly #stopListening: () => void;
  #hasFault = false;

  /** `onFault` is called at most once. */
  constructor(process: CliProcess, log: Logger, onFault: (fault: IdleFault) => void) {
    this.#process = process;
    this.#onFault = onFault;
    // Output on stderr belongs to no caller now.
    process.setOwner({ log, onStderr: () => {} });
    process.stdout.on("data", this.#onData);
    process.stdout.once("close", this.#onClose);
    process.stdout.resume();
    this.#stopListening = process.onExit(this.#onClose);
  }

  /** Ends the watch, so that a session can have the process. Says whether there was a fault. */
  detach(): boolean {
    this.#process.stdout.off("data", this.#onData);
    this.#process.stdout.off("close", this.#onClose);
    this.#stopListening();
    this.#process.setOwner({ log: SILENT, onStderr: () => {} });
    return this.#hasFault;
  }

  readonly #onData = (): void => this.#report("unexpected_output");
  readonly #onClose = (): void => this.#report("exited");

  #report(fault: IdleFault): void {
    if (this.#hasFault) return;
    this.#hasFault = true;
    this.#onFault(fault);
  }
}
