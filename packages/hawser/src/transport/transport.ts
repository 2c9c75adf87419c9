import { type ErrorFacts, HawserError } from "../base/index.js";
import type { Exit } from "../process/index.js";
import type { Frame, Outbound } from "../wire/index.js";

/** How a line is closed. */
export interface CloseOptions {
  /** A last line to send before the input ends, such as an interrupt of the running turn. */
  readonly first?: Outbound;
}

/** What comes over a line. */
export interface Frames extends AsyncIterable<Frame> {
  /** The next one if it is there already, for a reader in a hurry. */
  poll?(): Frame | undefined;
}

/**
 * A line to a CLI: whole messages both ways, and an end that always comes. It knows nothing of
 * models, turns or permissions. Sending, reading and closing may happen in three places at once.
 */
export interface Transport {
  /** Opens the line. Calling it again gives the same promise. */
  connect(): Promise<void>;
  /** Whether a send would be accepted now. */
  readonly ready: boolean;
  /**
   * Resolves when the message is handed over; concurrent sends never interleave. Rejects at once,
   * with `closed` before connect and after the end of input, with `process_exited` after a death.
   * `encoded` is the same message as a line, if the sender has it: a transport may write it as it is.
   */
  send(message: Outbound, encoded?: string): Promise<void>;
  /**
   * All that comes, in order, for one reader. Ends when the line does; throws last if the peer
   * ended by itself and not in good order.
   */
  messages(): Frames;
  /** Tells the peer that nothing more will be sent. It may go on answering. */
  endInput(): Promise<void>;
  /** Ends the line in good order; resolves when nothing of the peer is left. Never rejects. */
  close(options?: CloseOptions): Promise<void>;
  /** Ends the line now; resolves when nothing of the peer is left. Never rejects. */
  kill(): Promise<void>;
  /**
   * By default, a waiting reader keeps the program alive. Pass `false` if you read continuously and the
   * program may end meanwhile.
   */
  holdWhileReading(hold: boolean): void;
  /** Resolves, and never rejects, when the line has ended. */
  readonly exited: Promise<Exit>;
}

/** The error for what a transport cannot do before `connect()`. */
export function notConnectedError(): HawserError {
  return new HawserError("closed", "The transport is not connected yet.", {
    hint: "Await connect() first.",
  });
}

/** The error for a send after `endInput()`. */
export function inputEndedError(facts: ErrorFacts = {}): HawserError {
  return new HawserError("closed", "The input of this connection has ended.", facts);
}
