import type { Approvals, Pool } from "hawser";
import type { ApiSessions, NativeAgent } from "./api-sessions.js";
import type { EventFeed } from "./event-feed.js";
import type { StoredSessions } from "./stored-sessions.js";

/** What the routes of the native API share. */
export interface NativeCore {
  readonly feed: EventFeed;
  readonly sessions: ApiSessions;
  readonly stored: StoredSessions;
  readonly approvals: readonly Approvals[];
  readonly pool: Pool | undefined;
  readonly agents: () => Readonly<Record<string, NativeAgent>>;
  readonly mask: (text: string) => string;
  readonly heartbeatMs: number;
}
