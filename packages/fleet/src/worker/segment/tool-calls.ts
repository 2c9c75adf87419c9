import { isHawserError } from "hawser";
import type { Database } from "../../database/database.js";
import {
  type IntendedCall,
  type IntentOwner,
  markDone,
  markEnded,
  recordIntent,
  removeIntent,
  reopenIntents,
} from "../../sessions/intents.js";
import type { SegmentLease } from "./segment-lease.js";

/** The tool calls of a segment, as they are written down. */
export class ToolCalls {
  readonly #database: Database;
  readonly #lease: SegmentLease;
  readonly #owner: IntentOwner;
  /** Calls that may run now. */
  readonly #running = new Set<string>();
  readonly #ended = new Set<string>();
  #isInterrupted = false;
  #isParked = false;

  constructor(database: Database, lease: SegmentLease) {
    const { run, epoch, segment } = lease.claim;
    this.#database = database;
    this.#lease = lease;
    this.#owner = { run: run.id, sessionId: run.sessionId, epoch, segment };
  }

  /** Writes a call down before it may begin. False if this host may not act any more. */
  async begin(call: IntendedCall): Promise<boolean> {
    if (this.#isParked) return false;
    // From now on no other call is parked, because the process would end with it.
    this.#running.add(call.toolUseId);
    let mayBegin = false;
    try {
      await this.#lease.whileHeld(() =>
        recordIntent(this.#database, this.#database.schema, this.#owner, call),
      );
      mayBegin = await this.#lease.holds();
    } catch (error) {
      if (!isHawserError(error, "lease_lost")) throw error;
    } finally {
      if (!mayBegin) this.#running.delete(call.toolUseId);
    }
    return mayBegin;
  }

  /** Whether the process ends because of a parked call. */
  get isParked(): boolean {
    return this.#isParked;
  }

  /** The process ends because of a parked call, so that no other call may begin. */
  park(): void {
    this.#isParked = true;
  }

  /** The calls have ended, or were denied. Calls of earlier segments are passed over. */
  async end(toolUseIds: readonly string[]): Promise<void> {
    const ours = toolUseIds.filter((id) => this.#running.delete(id));
    if (ours.length === 0) return;
    for (const id of ours) this.#ended.add(id);
    await this.#lease.whileHeld(() =>
      markDone(this.#database, this.#database.schema, this.#owner, ours),
    );
  }

  /** The calls have failed. After an interrupt, that does not say whether they took effect. */
  async fail(toolUseIds: readonly string[]): Promise<void> {
    if (!this.#isInterrupted) await this.end(toolUseIds);
  }

  /** The turn is being interrupted, and with it the calls that run. */
  interrupt(): void {
    this.#isInterrupted = true;
  }

  /** Calls of earlier segments whose results are in the transcript, although their hosts could not say so. */
  async endEarlier(toolUseIds: ReadonlySet<string>): Promise<void> {
    const { uncertain } = this.#lease.claim;
    const ended = uncertain.filter(({ toolUseId }) => toolUseIds.has(toolUseId));
    if (ended.length === 0) return;
    const ids = ended.map(({ toolUseId }) => toolUseId);
    await this.#lease.whileHeld(() =>
      markEnded(this.#database, this.#database.schema, this.#owner, ids),
    );
  }

  /**
   * Calls of the segments that were lost just before this one, that ended although their results did not reach the
   * transcript: the model does not know of them, and may make them again.
   */
  async reopenLost(answered: ReadonlySet<string>): Promise<void> {
    const known = { except: [...answered] };
    await this.#lease.whileHeld(() =>
      reopenIntents(this.#database, this.#database.schema, this.#owner, known),
    );
  }

  /** A person must decide about the call first, so that it has not begun. */
  async suspend(toolUseId: string): Promise<void> {
    if (!this.#running.delete(toolUseId)) return;
    await this.#lease.whileHeld(() =>
      removeIntent(this.#database, this.#database.schema, this.#owner, toolUseId),
    );
  }

  /** The calls of this segment that have ended. */
  get ended(): readonly string[] {
    return [...this.#ended];
  }

  /** Whether any call may run now. */
  get isAnyRunning(): boolean {
    return this.#running.size > 0;
  }
}
