import { type ErrorFacts, HawserError } from "../base/index.js";
import type { Exit } from "../process/index.js";
import type { Frame, Outbound, ReceivedFrame } from "../wire/index.js";

/** Options of `Transport.close()`. */
export interface CloseOptions {
  /** A last message to send before the input ends, such as an interrupt of the running turn. */
  readonly first?: Outbound;
}

/** The messages that a transport receives. */
export interface Frames extends AsyncIterable<Frame> {
  /** Returns the next frame without waiting, if it has already arrived. */
  poll?(): Frame | undefined;
}

/**
 * A connection to a CLI that carries whole messages in both directions and always ends. It knows
 * nothing about models, turns or permissions. Sending, reading and closing may run concurrently.
 */
export interface Transport {
  /** Opens the connection. A second call returns the same promise. */
  connect(): Promise<void>;
  /** Whether `send()` would accept a message now. */
  readonly ready: boolean;
  /**
   * Sends a message and resolves when it is handed over. Concurrent sends never interleave. Rejects
   * at once: with `closed` before `connect()` and after the end of input, with `process_exited`
   * after the process has died. `encoded` is the same message as a line, if the sender has encoded
   * it already; a transport may write that line.
   */
  send(message: Outbound, encoded?: string): Promise<void>;
  /**
   * All messages in their order, for one reader. The iteration ends when the connection ends. It
   * throws at the end if the peer ended by itself and abnormally.
   */
  messages(): Frames;
  /** Ends the input of the peer. The peer may still answer. */
  endInput(): Promise<void>;
  /** Closes the connection gracefully. Resolves when nothing of the peer is left; never rejects. */
  close(options?: CloseOptions): Promise<void>;
  /** Ends the connection at once. Resolves when nothing of the peer is left; never rejects. */
  kill(): Promise<void>;
  /**
   * By default, a waiting reader keeps the program alive. Pass `false` if you read continuously and
   * the program may end meanwhile.
   */
  holdWhileReading(hold: boolean): void;
  /** Resolves when the connection has ended; never rejects. */
  readonly exited: Promise<Exit>;
}

/**
 * Takes what arrives over a line, at once and without a promise for each frame. `ControlLine`
 * implements it.
 */
export interface FrameReceiver {
  /** Called with frames that arrived together, in their order. It must not throw. */
  onFrames(frames: readonly ReceivedFrame[]): void;
  /** Called once, last. The error says why the peer ended, if it ended by itself and abnormally. */
  onEnd(error: unknown): void;
}

/** A transport that gives what arrives to one receiver, in place of a reader of `messages()`. */
export interface Line extends Omit<Transport, "messages"> {
  /** Gives everything to this receiver, also what has arrived before. To be called once. */
  deliverTo(receiver: FrameReceiver): void;
  /**
   * Pauses or resumes the output of the peer, for a receiver that cannot keep up. Some more frames
   * may still arrive.
   */
  setPaused(paused: boolean): void;
}

/** The error of a method that needs `connect()` first. */
export function notConnectedError(): HawserError {
  return new HawserError("closed", "The transport is not connected yet.", {
    hint: "Await connect() first.",
  });
}

/** The error of a send after `endInput()`. */
export function inputEndedError(facts: ErrorFacts = {}): HawserError {
  return new HawserError("closed", "The input of this connection has ended.", facts);
}
