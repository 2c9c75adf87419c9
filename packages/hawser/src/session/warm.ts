import type { Running } from "../transport/index.js";
import type { HostRequest, InitializePayload, ResultMessage } from "../wire/index.js";

/** How the process of a session comes to be. */
export interface Start {
  /** From its start, or from being handed over, to the answer to initialize. */
  readonly bootMs: number;
  /** One that is there already. */
  readonly warm?: Warm | undefined;
}

/** A process that a session need not start. */
export interface Warm extends Running {
  /** Its answer to initialize, if it has been asked already. */
  readonly info?: InitializePayload | undefined;
  /** Of the conversation that it is in. */
  readonly sessionId: string | undefined;
  /** The newest result of its last session, whose totals it may go on counting from. */
  readonly before?: ResultMessage | undefined;
  /** Whether nobody waits for it yet, so that the program may end before it is ready. */
  readonly isAhead?: boolean | undefined;
  /** What it must be told beside initialize; each has to be accepted before a prompt may go. */
  readonly late: readonly HostRequest[];
}
