import type { Options } from "../options/index.js";
import type { ResultMessage } from "../wire/index.js";
import type { Timeouts } from "./timeouts.js";
import type { Warm } from "./warm.js";

export interface CoreOptions {
  readonly options: Options;
  readonly timeouts: Timeouts;
  /** Whether the model's events are handed on, and not only used. */
  readonly showsEvents: boolean;
  /** A process that is there already. */
  readonly warm?: Warm | undefined;
  readonly watcher?: SessionWatcher | undefined;
}

/** Told of what concerns those who lend a process; nothing here may point at the session. */
export interface SessionWatcher {
  /** Also of turns that nobody waits for. */
  readonly onResult: (result: ResultMessage) => void;
  /** The session is over; its process may not be gone yet. */
  readonly onOver: () => void;
}
