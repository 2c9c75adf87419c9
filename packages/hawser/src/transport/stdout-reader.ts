import type { ChildOutput } from "../process/index.js";
import { FrameDecoder, type FrameDecoderOptions, type ReceivedFrame } from "../wire/index.js";

export interface StdoutEvents {
  /** Called with the frames of one chunk, if there are any. */
  readonly onFrames: (frames: readonly ReceivedFrame[]) => void;
  /** Called when the stream has closed and every frame was given to `onFrames`. */
  readonly onClose: () => void;
}

/** Reads frames from the stdout of a process until the stream closes or the reader is detached. */
export class StdoutReader {
  readonly #stdout: ChildOutput;
  readonly #decoder: FrameDecoder;
  readonly #events: StdoutEvents;

  constructor(stdout: ChildOutput, options: FrameDecoderOptions, events: StdoutEvents) {
    this.#stdout = stdout;
    this.#decoder = new FrameDecoder(options);
    this.#events = events;
    stdout.takeBytes = this.#read;
    stdout.on("data", this.#read);
    stdout.once("close", this.#close);
    // A stream whose earlier reader was detached is paused.
    stdout.resume();
  }

  /** Stops reading. False if a line was incomplete, whose rest is then lost. */
  detach(): boolean {
    this.#stdout.takeBytes = undefined;
    this.#stdout.off("data", this.#read);
    this.#stdout.off("close", this.#close);
    return this.#decoder.end().length === 0;
  }

  readonly #read = (chunk: Buffer, length?: number): void => {
    const frames = this.#decoder.push(chunk, length);
    if (frames.length > 0) this.#events.onFrames(frames);
  };

  readonly #close = (): void => {
    const frames = this.#decoder.end();
    if (frames.length > 0) this.#events.onFrames(frames);
    this.#events.onClose();
  };
}
