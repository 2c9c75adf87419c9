import type { Mask } from "../../base/index.js";
import { isMessage } from "../message/message.js";
import type { StreamEvent } from "../message/stream-event.js";
import { decodeLine, type Frame } from "./decode-line.js";
import { EventTemplates } from "./event-templates.js";
import {
  DEFAULT_MAX_LINE_BYTES,
  type FramedLine,
  LineFramer,
  type LineReceiver,
  type WholeLines,
} from "./line-framer.js";

/** Stream events that arrived together, in their order. */
export interface EventBatch {
  readonly kind: "events";
  readonly events: readonly StreamEvent[];
  /** The length of all their lines. */
  readonly size: number;
}

/** Stream events come in such numbers that they travel in batches. Any other message is a frame. */
export type ReceivedFrame = Frame | EventBatch;

/** The length of a frame, for a queue that counts what it holds. */
export function sizeOf(frame: ReceivedFrame): number {
  return frame.kind === "message" || frame.kind === "events" ? frame.size : frame.text.length;
}

export interface FrameDecoderOptions {
  readonly maxLineBytes?: number | undefined;
  /** Removes secrets from the text of an error. */
  readonly mask?: Mask | undefined;
  /** Called with the text of every line. */
  readonly onLine?: ((kind: Frame["kind"], text: string) => void) | undefined;
}

/**
 * Decodes bytes to frames. Any split of the bytes into chunks gives the same messages; only the size of
 * the batches depends on it.
 */
export class FrameDecoder implements LineReceiver {
  readonly #framer: LineFramer;
  readonly #templates = new EventTemplates();
  readonly #options: FrameDecoderOptions;
  readonly #maxLineBytes: number;
  #frames: ReceivedFrame[] = [];
  #events: StreamEvent[] = [];
  /** The length of the lines of `#events`. */
  #size = 0;

  constructor(options: FrameDecoderOptions = {}) {
    this.#options = options;
    this.#maxLineBytes = options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES;
    this.#framer = new LineFramer(options);
  }

  /**
   * The frames of the lines that the first `length` bytes of this chunk complete. The chunk may be reused
   * afterwards.
   */
  push(chunk: Uint8Array, length: number = chunk.length): readonly ReceivedFrame[] {
    const line = this.#framer.soleLine(chunk, length);
    if (line !== undefined) return [this.#decodeAlone(line)];
    this.#framer.cut(length === chunk.length ? chunk : chunk.subarray(0, length), this);
    return this.#takeFrames();
  }

  /** Call it when the output has ended. It returns the frame of a last line without an LF. */
  end(): readonly ReceivedFrame[] {
    for (const line of this.#framer.end()) this.onLine(line);
    return this.#takeFrames();
  }

  /** Decodes a line by JSON.parse, which for a single line is faster than a template. */
  onLine(line: FramedLine): void {
    const frame = decodeLine(line, false, this.#options.mask);
    this.#options.onLine?.(frame.kind, textOf(line));
    if (frame.kind === "message" && isMessage(frame.message, "stream_event")) {
      this.#events.push(frame.message);
      this.#size += frame.size;
    } else {
      this.#flushEvents();
      this.#frames.push(frame);
    }
  }

  onLines(lines: WholeLines): void {
    const { text } = lines;
    for (let at = 0; at <= text.length; ) {
      const before = this.#events.length;
      const next = this.#templates.decode(text, at, this.#maxLineBytes, this.#events);
      // Without the LF of each line.
      this.#size += next - at - (this.#events.length - before);
      if (next > text.length) return;
      const { line, end } = lines.lineAt(next);
      if (line !== undefined) this.onLine(line);
      this.#learn(line);
      at = end + 1;
    }
  }

  /** Learns from the line that was decoded last. With `onLine`, every line has to be shown, so nothing is learned. */
  #learn(line: FramedLine | undefined): void {
    const event = this.#events.at(-1);
    if (typeof line !== "string" || event === undefined) return;
    if (this.#options.onLine === undefined) this.#templates.learn(line, event);
  }

  /**
   * Decodes a line that came alone, as most do at the pace of a model. By then the caches of the processor are
   * cold, so that the number of calls counts more than what they do.
   */
  #decodeAlone(line: string): ReceivedFrame {
    const frame = decodeLine(line, false, this.#options.mask);
    this.#options.onLine?.(frame.kind, line);
    if (frame.kind !== "message" || frame.message.type !== "stream_event") return frame;
    return { kind: "events", events: [frame.message as StreamEvent], size: frame.size };
  }

  #flushEvents(): void {
    if (this.#events.length === 0) return;
    this.#frames.push({ kind: "events", events: this.#events, size: this.#size });
    this.#events = [];
    this.#size = 0;
  }

  #takeFrames(): readonly ReceivedFrame[] {
    this.#flushEvents();
    const frames = this.#frames;
    this.#frames = [];
    return frames;
  }
}

function textOf(line: FramedLine): string {
  if (typeof line === "string") return line;
  return line.kind === "broken" ? line.text : `[a line of ${line.bytes} bytes]`;
}
