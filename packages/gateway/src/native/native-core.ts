import type { Pool } from "hawser";
import type { GatewayFleet } from "../fleet/gateway-fleet.js";
import type { ApiSessions, NativeAgent } from "./api-sessions.js";
import type { ApprovalSource } from "./approval-source.js";
import type { EventFeed } from "./event-feed.js";
import type { StoredSessions } from "./stored-sessions.js";
import type { StreamLimit } from "./stream-limit.js";

/** What the routes of the native API share. */
export interface NativeCore {
  readonly feed: EventFeed;
  readonly sessions: ApiSessions;
  readonly stored: StoredSessions;
  /** The questions of this program and of the fleet. */
  readonly questions: readonly ApprovalSource[];
  readonly pool: Pool | undefined;
  readonly fleet: GatewayFleet | undefined;
  /** Whether agents that do not say where they run, run on the pool. */
  readonly hasPool: boolean;
  readonly models: () => Readonly<Record<string, string>>;
  readonly streams: StreamLimit;
  readonly agents: () => Readonly<Record<string, NativeAgent>>;
  readonly mask: (text: string) => string;
  readonly heartbeatMs: number;
}
