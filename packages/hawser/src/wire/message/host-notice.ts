/** What this library itself has to say, put between the CLI's messages; no CLI sends it. */
export type HostNotice =
  | CoalescedNotice
  | DroppedNotice
  | PausedNotice
  | RecoveredNotice
  | RetryingNotice
  | ContinuingNotice
  | RepairingNotice;

/** The reader is behind: from here on, `count` pieces of partial messages were joined into fewer. */
export interface CoalescedNotice {
  readonly type: "hawser";
  readonly subtype: "coalesced";
  readonly count: number;
}

/** Nobody had begun to read, and it became too much to keep. */
export interface DroppedNotice {
  readonly type: "hawser";
  readonly subtype: "dropped";
  readonly count: number;
  readonly bytes: number;
}

/** The reader is so far behind that the CLI's output was not read for a while. */
export interface PausedNotice {
  readonly type: "hawser";
  readonly subtype: "paused";
  readonly bytes: number;
}

/** The process had ended; the session goes on over a new one that resumed it. */
export interface RecoveredNotice {
  readonly type: "hawser";
  readonly subtype: "recovered";
  readonly session_id: string | undefined;
  /** False if there was nothing to resume yet. */
  readonly resumed: boolean;
  readonly pid: number | undefined;
  /** Why the earlier process ended, in words. */
  readonly reason: string;
}

/** A call failed and is made anew; what came before belongs to the attempt that failed. */
export interface RetryingNotice {
  readonly type: "hawser";
  readonly subtype: "retrying";
  /** Counts from 1: the attempt that follows. */
  readonly attempt: number;
  readonly of: number;
  readonly delay_ms: number;
  readonly code: string;
  readonly reason: string;
}

/** The call had reached its limit of turns, and goes on. */
export interface ContinuingNotice {
  readonly type: "hawser";
  readonly subtype: "continuing";
  readonly resumes: number;
  readonly of: number;
  readonly delay_ms: number;
}

/** The answer does not fit the schema; the model is asked to correct it. */
export interface RepairingNotice {
  readonly type: "hawser";
  readonly subtype: "repairing";
  readonly repairs: number;
  readonly of: number;
  readonly issues: readonly { readonly path?: string; readonly message: string }[];
}
