import { getPath, type HawserError, isHawserError } from "../../base/index.js";
import type { HostRequest } from "../../wire/index.js";
import { untilSettled } from "../timeouts.js";
import type { LiveTurn } from "./turn.js";
import type { Turns } from "./turns.js";

/** The session of the turns. */
export interface StopperOwner {
  request(request: HostRequest): Promise<unknown>;
  /** Kills the process, because the CLI did not obey an interrupt. */
  killFor(why: HawserError): void;
}

/** Ends turns early: withdraws their prompts, or interrupts the running turn. */
export class Stopper {
  readonly #turns: Turns;
  readonly #owner: StopperOwner;
  /** How long a turn may take to stop. */
  readonly #graceMs: number;
  /** Active turns that have been interrupted. */
  readonly #unwanted = new WeakSet<LiveTurn>();

  constructor(turns: Turns, owner: StopperOwner, graceMs: number) {
    this.#turns = turns;
    this.#owner = owner;
    this.#graceMs = graceMs;
  }

  /** Resolves when the CLI has accepted the interrupt. The result of the turn says how it ended. */
  async interrupt(turn: LiveTurn): Promise<void> {
    const { active, queued } = this.#turns;
    if (queued.includes(turn)) this.#turns.cancel(turn);
    else if (!active.has(turn)) await this.#cancel(turn);
    else {
      this.#unwanted.add(turn);
      // Other prompts that the CLI answers in the same turn continue.
      if (!this.#isShared()) await this.#owner.request({ subtype: "interrupt" });
    }
  }

  /** Interrupts a turn, which rejects with the reason; a process that does not obey is killed. */
  async interruptFor(turn: LiveTurn, why: HawserError): Promise<void> {
    turn.interruptedBy ??= why;
    // If the interrupt does not arrive, the time limit below ends the turn.
    this.interrupt(turn).catch(() => {});
    if (this.#turns.active.has(turn) && this.#isShared())
      this.#turns.settle(turn, turn.interruptedBy);
    if (!(await untilSettled(turn.result, this.#graceMs))) {
      this.#owner.killFor(turn.interruptedBy);
    }
  }

  #isShared(): boolean {
    return [...this.#turns.active].some((turn) => !this.#unwanted.has(turn));
  }

  async #cancel(turn: LiveTurn): Promise<void> {
    // An older CLI silently drops a prompt that was cancelled before it arrived.
    await turn.sent;
    const request = { subtype: "cancel_async_message", message_uuid: turn.uuid };
    const answer = await this.#owner.request(request).catch((error: unknown) => {
      if (!isHawserError(error, "unsupported_by_cli")) throw error;
    });
    if (turn.settled) return;
    // An older CLI sends no further message about a prompt that it took back.
    if (getPath(answer, "cancelled") === true) this.#turns.cancel(turn);
    else if (this.#turns.active.has(turn)) await this.interrupt(turn);
    // The prompt has left the CLI's queue but has not begun, so there is nothing to interrupt yet.
    else turn.onBegun = () => void this.interrupt(turn).catch(() => {});
  }
}
