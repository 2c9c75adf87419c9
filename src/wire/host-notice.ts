/** What this library itself has to say, put between the CLI's messages; no CLI sends it. */
export type HostNotice = CoalescedNotice | DroppedNotice | PausedNotice | RecoveredNotice;

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
