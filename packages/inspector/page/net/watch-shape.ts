import type { NativeEvent } from "../../../gateway/src/native/event-shape.js";
import type { Snapshot } from "../../../gateway/src/native/live-state.js";
import type { ApprovalChange } from "./approval-shape.js";

/** A program, gateway, fleet or machine whose sessions the page shows. */
export interface SourceInfo {
  readonly id: string;
  readonly name: string;
  readonly kind: "process" | "gateway" | "fleet" | "machine";
  readonly pid?: number;
  readonly startedAt?: number | string;
  readonly isSelf?: boolean;
}

export type StreamEvent =
  | NativeEvent
  | ({ readonly kind: "snapshot"; readonly id: string; readonly pool?: unknown } & Snapshot)
  | { readonly kind: "reset"; readonly reason: string };

/** What `GET /watch` sends: everything of all sources in one stream. */
export type WatchMessage =
  | {
      readonly type: "sources";
      readonly sources: readonly SourceInfo[];
      readonly canControl: boolean;
      readonly hawser: string;
      /** A token for the next load in this tab. Absent if keys of tenants are the tokens. */
      readonly tabToken?: string;
    }
  | { readonly type: "event"; readonly source: string; readonly event: StreamEvent }
  | { readonly type: "mark"; readonly source: string; readonly id: string }
  | { readonly type: "approval"; readonly source: string; readonly change: ApprovalChange }
  | {
      readonly type: "connection";
      readonly source: string;
      readonly isConnected: boolean;
      readonly message?: string;
    };
