import type { HawserError } from "hawser";
import type { Claim, Claims } from "../../runs/claims.js";
import { LeasedStore } from "../../sessions/leased-store.js";
import type { WorkerSettings } from "../worker-settings.js";
import { EventWriter, type WriteEvents } from "./event-writer.js";
import { SegmentLease } from "./segment-lease.js";
import { SegmentStore } from "./segment-store.js";
import { ToolCalls } from "./tool-calls.js";
import { WorkTime } from "./work-time.js";

/** What the parts of one segment share. */
export interface SegmentContext {
  readonly settings: WorkerSettings;
  readonly claim: Claim;
  readonly lease: SegmentLease;
  readonly store: SegmentStore;
  readonly calls: ToolCalls;
  readonly events: EventWriter;
  readonly time: WorkTime;
  /** Aborted when this host stops working: a call that waits for a person is then parked at once. */
  readonly hurry: AbortController;
  /** Reports what cannot be thrown to anybody. */
  fault(what: string, error: unknown): void;
}

export function createSegmentContext(settings: WorkerSettings, claim: Claim): SegmentContext {
  const { claims, database, leaseMs } = settings.parts;
  const lease = new SegmentLease(claims, claim, leaseMs);
  const holder = {
    isOver: () => lease.lost.aborted,
    onLost: (error: HawserError) => lease.lose(error),
  };
  const { id, sessionId } = claim.run;
  const fault = (what: string, error: unknown) => {
    settings.logger?.error(what, { run: id, segment: claim.segment, error });
  };
  return {
    settings,
    claim,
    lease,
    store: new SegmentStore(new LeasedStore(database, { sessionId, epoch: claim.epoch }, holder)),
    calls: new ToolCalls(database, lease),
    events: new EventWriter(writeOnce(claims, lease), (error) =>
      fault("The events of a run could not be written.", error),
    ),
    time: new WorkTime(),
    hurry: new AbortController(),
    fault,
  };
}

/** Writes events while the lease is held. An attempt that did not hear of its success does not write them twice. */
function writeOnce(claims: Claims, lease: SegmentLease): WriteEvents {
  let last = 0;
  return async (events) => {
    let repeatedAfter: number | undefined;
    last = await lease.whileHeld(() => {
      const attempt = claims.addEvents(lease.claim, events, { repeatedAfter });
      repeatedAfter = last;
      return attempt;
    });
  };
}

/** When a question that is asked now expires. */
export function expiryOf({ approvalTimeoutMs }: WorkerSettings): { expiresAt?: Date } {
  const expiresAt = new Date(Date.now() + (approvalTimeoutMs ?? Number.POSITIVE_INFINITY));
  // A time that no date can name is no limit.
  return Number.isNaN(expiresAt.getTime()) ? {} : { expiresAt };
}
