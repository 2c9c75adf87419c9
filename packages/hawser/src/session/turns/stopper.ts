import { getPath, type HawserError, isHawserError } from "../../base/index.js";
import type { HostRequest } from "../../wire/index.js";
import { untilSettled } from "../timeouts.js";
import type { LiveTurn } from "./turn.js";
import type { Turns } from "./turns.js";

export interface StopperEvents {
  readonly request: (request: HostRequest) => Promise<unknown>;
  /** The CLI did not obey: its process is to be ended. */
  readonly giveUp: (why: HawserError) => void;
  /** How long a turn may take to stop. */
  readonly graceMs: number;
}

/** Ends turns before their time: takes their prompts back, or interrupts what runs. */
export class Stopper {
  readonly #turns: Turns;
  readonly #events: StopperEvents;
  /** Active turns that nobody wants any more. */
  readonly #unwanted = new WeakSet<LiveTurn>();

  constructor(turns: Turns, events: StopperEvents) {
    this.#turns = turns;
    this.#events = events;
  }

  /** Resolves when the CLI has been told; the turn's own end tells how it went. */
  async interrupt(turn: LiveTurn): Promise<void> {
    const { active, queued } = this.#turns;
    if (queued.includes(turn)) this.#turns.cancel(turn);
    else if (!active.has(turn)) await this.#cancel(turn);
    else {
      this.#unwanted.add(turn);
      // What others asked for in the same turn goes on.
      if (!this.#isShared()) await this.#events.request({ subtype: "interrupt" });
    }
  }

  /** The same for a reason, which the turn is told; a process that does not obey is ended. */
  async interruptFor(turn: LiveTurn, why: HawserError): Promise<void> {
    turn.interruptedBy ??= why;
    // Should it not arrive, the limit below sees to the end.
    this.interrupt(turn).catch(() => {});
    if (this.#turns.active.has(turn) && this.#isShared())
      this.#turns.settle(turn, turn.interruptedBy);
    if (!(await untilSettled(turn.result, this.#events.graceMs))) {
      this.#events.giveUp(turn.interruptedBy);
    }
  }

  #isShared(): boolean {
    return [...this.#turns.active].some((turn) => !this.#unwanted.has(turn));
  }

  async #cancel(turn: LiveTurn): Promise<void> {
    // An older CLI drops a prompt without a word that was cancelled before it came.
    await turn.sent;
    const request = { subtype: "cancel_async_message", message_uuid: turn.uuid };
    const answer = await this.#events.request(request).catch((error: unknown) => {
      if (!isHawserError(error, "unsupported_by_cli")) throw error;
    });
    if (turn.settled) return;
    // An older CLI says no more of a prompt that it took back.
    if (getPath(answer, "cancelled") === true) this.#turns.cancel(turn);
    else if (this.#turns.active.has(turn)) await this.interrupt(turn);
    // Out of the queue and not begun yet: nothing could be interrupted now.
    else turn.onBegun = () => void this.interrupt(turn).catch(() => {});
  }
}
