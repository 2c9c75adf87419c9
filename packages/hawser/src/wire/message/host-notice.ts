/** A notice of hawser between the messages of the CLI. */
export type HostNotice =
  | CoalescedNotice
  | DroppedNotice
  | PausedNotice
  | RecoveredNotice
  | RetryingNotice
  | ContinuingNotice
  | RepairingNotice;

/** The reader is slow, so the `count` partial messages after this notice were joined into fewer. */
export interface CoalescedNotice {
  readonly type: "hawser";
  readonly subtype: "coalesced";
  readonly count: number;
}

/** Messages were dropped, because no reader had started and the queue was full. */
export interface DroppedNotice {
  readonly type: "hawser";
  readonly subtype: "dropped";
  readonly count: number;
  readonly bytes: number;
}

/** The reader is so slow that the CLI's output was not read for a while. */
export interface PausedNotice {
  readonly type: "hawser";
  readonly subtype: "paused";
  readonly bytes: number;
}

/** The process had died. The session continues in a new process that resumed it. */
export interface RecoveredNotice {
  readonly type: "hawser";
  readonly subtype: "recovered";
  readonly session_id: string | undefined;
  /** False if there was nothing to resume yet. */
  readonly resumed: boolean;
  readonly pid: number | undefined;
  /** Why the earlier process ended, as a sentence. */
  readonly reason: string;
}

/**
 * A call failed and is made again. The messages before this notice belong to the failed attempt.
 */
export interface RetryingNotice {
  readonly type: "hawser";
  readonly subtype: "retrying";
  /** The number of the attempt that follows; counts from 1. */
  readonly attempt: number;
  readonly of: number;
  readonly delay_ms: number;
  readonly code: string;
  readonly reason: string;
}

/** The call has reached `maxTurns` and is continued (`autoResume`). */
export interface ContinuingNotice {
  readonly type: "hawser";
  readonly subtype: "continuing";
  readonly resumes: number;
  readonly of: number;
  readonly delay_ms: number;
}

/** The answer does not match the schema, and the model is asked to correct it. */
export interface RepairingNotice {
  readonly type: "hawser";
  readonly subtype: "repairing";
  readonly repairs: number;
  readonly of: number;
  readonly issues: readonly { readonly path?: string; readonly message: string }[];
}
