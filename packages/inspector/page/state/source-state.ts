import type { NativeEvent } from "../../../gateway/src/native/event-shape.js";
import { LiveState } from "../../../gateway/src/native/live-state.js";
import type { ApprovalChange, ShownApproval, ShownRecord } from "../net/approval-shape.js";
import type { SourceInfo, StreamEvent } from "../net/watch-shape.js";

/** What the page knows of one source: the sum of its events, and its questions. */
export class SourceState {
  info: SourceInfo;
  /** Whether the server lists the source now. */
  isPresent = true;
  /** Whether the server gets the events of the source now. */
  isConnected = true;
  problem: string | undefined;
  live: LiveState = new LiveState();
  /** The id of the last event, from which a new connection continues. */
  lastId: string | undefined;
  /** How many events came since the last snapshot. */
  eventCount = 0;
  /** How often the source had to begin anew, because it was started again or kept too few events. */
  resetCount = 0;
  /** Raised by each event of a failure, so that a view knows when to read the failures again. */
  failureCount = 0;
  readonly approvals: Map<string, ShownApproval> = new Map();
  /** The questions that the stream of before has told, and that of now has not. */
  #stale: Set<string> = new Set();
  /** How questions ended, the newest last. */
  records: readonly ShownRecord[] = [];

  constructor(info: SourceInfo) {
    this.info = info;
  }

  apply(event: StreamEvent): void {
    if (event.kind === "reset") {
      this.resetCount += 1;
      return;
    }
    this.lastId = event.id;
    if (event.kind === "snapshot") {
      this.live = new LiveState(event);
      this.eventCount = 0;
      return;
    }
    this.eventCount += 1;
    if (isFailure(event)) this.failureCount += 1;
    this.live.apply(event);
  }

  /**
   * Takes a change of the questions. If a new stream begins, it returns the questions that are known so far: some of
   * them may have ended without a word, see `dropEnded()`.
   */
  change(change: ApprovalChange): ReadonlySet<string> | undefined {
    if ("approval" in change) {
      this.#stale.delete(change.approval.id);
      this.approvals.set(change.approval.id, change.approval);
    } else if ("record" in change) {
      this.approvals.delete(change.id);
      this.addRecords([change.record]);
    } else {
      // The open questions follow. Until then the cards stay, because a person may be typing in one of them.
      this.#stale = new Set(this.approvals.keys());
      return this.#stale;
    }
    return undefined;
  }

  /** Drops those questions that the new stream has not told, and that the source does not list as open. */
  dropEnded(known: ReadonlySet<string>, open: ReadonlySet<string>): void {
    // Another stream has begun since, so that the list is old.
    if (known !== this.#stale) return;
    for (const id of known) if (!open.has(id)) this.approvals.delete(id);
    this.#stale = new Set();
  }

  /** Adds records that are not known yet, in the order of their ends. */
  addRecords(added: readonly ShownRecord[]): void {
    const known = new Map([...this.records, ...added].map((record) => [record.id, record]));
    this.records = [...known.values()]
      .sort((a, b) => Date.parse(a.settledAt) - Date.parse(b.settledAt))
      .slice(-MOST_RECORDS);
  }
}

const MOST_RECORDS = 200;

function isFailure(event: NativeEvent): boolean {
  return "error" in event && event.error !== undefined;
}
