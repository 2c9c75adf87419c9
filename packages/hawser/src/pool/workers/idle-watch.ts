import { isHawserError, SILENT } from "../../base/index.js";
import type { RunningProcess } from "../../transport/index.js";
import { checkHealth } from "./check-health.js";
import type { DiscardReason } from "./discard-reason.js";

/** How an idle process can break the rule that it must neither write nor exit, and must answer. */
export type IdleFault = Extract<DiscardReason, "exited" | "unexpected_output" | "unresponsive">;

export interface IdleTerms {
  /**
   * A process that has answered within this time, in milliseconds, is believed to answer. `Infinity` if the
   * next call asks the process for something before it sends a prompt.
   */
  readonly trustedMs: number;
  /** Called at most once. */
  readonly onFault: (fault: IdleFault) => void;
}

/**
 * Watches a process while no session has it: the process must neither write to stdout nor exit. Asks it from
 * time to time whether it still answers, so that no call has to.
 */
export class IdleWatch {
  readonly #running: RunningProcess;
  readonly #terms: IdleTerms;
  #heardAt = 0;
  #nextCheck: NodeJS.Timeout | undefined;
  #check: Promise<void> | undefined;
  #stopListening: () => void = () => {};
  #hasFault = false;
  #isDetached = false;

  /** The process has just answered. */
  constructor(running: RunningProcess, terms: IdleTerms) {
    this.#running = running;
    this.#terms = terms;
    this.#rest();
  }

  /** Set while the process is being asked. Rejects if the process does not answer. */
  get check(): Promise<void> | undefined {
    return this.#check;
  }

  /** Asks the process whether it still answers, if it has not answered for too long. */
  checkIfStale(): void {
    if (performance.now() - this.#heardAt > this.#terms.trustedMs) this.#ask();
  }

  /** Ends the watch, so that a session can have the process. Says whether there was a fault. */
  detach(): boolean {
    this.#isDetached = true;
    this.#leaveRest();
    return this.#hasFault;
  }

  #rest(): void {
    const { process, prepared } = this.#running;
    // Output on stderr belongs to no caller now.
    process.setOwner({ log: prepared.log, onStderr: () => {} });
    process.stdout.on("data", this.#onData);
    process.stdout.once("close", this.#onClose);
    process.stdout.resume();
    this.#stopListening = process.onExit(this.#onClose);
    this.#heardAt = performance.now();
    const { trustedMs } = this.#terms;
    if (trustedMs === Number.POSITIVE_INFINITY) return;
    this.#nextCheck = setTimeout(() => this.#ask(), CHECK_AT * trustedMs);
    this.#nextCheck.unref();
  }

  #leaveRest(): void {
    const { process } = this.#running;
    clearTimeout(this.#nextCheck);
    process.stdout.off("data", this.#onData);
    process.stdout.off("close", this.#onClose);
    this.#stopListening();
    process.setOwner({ log: SILENT, onStderr: () => {} });
  }

  #ask(): void {
    if (this.#check !== undefined || this.#hasFault || this.#isDetached) return;
    this.#leaveRest();
    this.#check = this.#askHealth();
    // The caller that waits for the process may not have come yet.
    this.#check.catch(() => {});
  }

  async #askHealth(): Promise<void> {
    try {
      await checkHealth(this.#running, ANSWER_WITHIN * this.#terms.trustedMs);
    } catch (error) {
      this.#report(faultOf(error));
      throw error;
    }
    this.#check = undefined;
    if (!this.#isDetached) this.#rest();
  }

  readonly #onData = (): void => this.#report("unexpected_output");
  readonly #onClose = (): void => this.#report("exited");

  #report(fault: IdleFault): void {
    if (this.#hasFault) return;
    this.#hasFault = true;
    this.#terms.onFault(fault);
  }
}

/** The part of the trusted time after which an idle process is asked again. */
const CHECK_AT = 0.8;

/** The part of the trusted time within which it must answer. */
const ANSWER_WITHIN = 0.5;

function faultOf(error: unknown): IdleFault {
  if (isHawserError(error, "timeout")) return "unresponsive";
  return isHawserError(error, "protocol_error") ? "unexpected_output" : "exited";
}
