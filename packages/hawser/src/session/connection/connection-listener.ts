import type { HawserError } from "../../base/index.js";
import type { Message, StreamEvent } from "../../wire/index.js";
import type { HostRequestListener } from "../idle/pending-host-requests.js";

/** The owner of a connection. The cores of sessions and queries implement it. */
export interface ConnectionListener extends HostRequestListener {
  /** Called with every message but stream events. */
  onMessage(message: Message, size: number): void;
  /** Called with stream events that arrived together, in their order; `size` is that of all. */
  onEvents(events: readonly StreamEvent[], size: number): void;
  /** A message was lost; it may have been a result. */
  onCorrupt(error: HawserError): void;
  /** Called once, last. The error says why the process ended; undefined if this side closed it. */
  onEnd(error: unknown): void;
}
