import type { Mask } from "../../base/index.js";
import { isMessage } from "../message/message.js";
import type { StreamEvent } from "../message/stream-event.js";
import { decodeLine, type Frame } from "./decode-line.js";
import type { Bytes } from "./event-template.js";
import { EventTemplates } from "./event-templates.js";
import { DEFAULT_MAX_LINE_BYTES, type FramedLine, LineFramer } from "./line-framer.js";

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
  /** Called with the text of every line. Without it, many lines never become text. */
  readonly onLine?: ((kind: Frame["kind"], text: string) => void) | undefined;
}

/**
 * Decodes bytes to frames. Any split of the bytes into chunks gives the same messages; only the size of
 * the batches depends on it.
 */
export class FrameDecoder {
  readonly #framer: LineFramer;
  readonly #templates = new EventTemplates();
  readonly #options: FrameDecoderOptions;
  readonly #maxLineBytes: number;
  /** Whether the framer waits for the rest of a line. */
  #isInLine = false;
  #frames: ReceivedFrame[] = [];
  #events: StreamEvent[] = [];
  /** The length of the lines of `#events`. */
  #size = 0;

  constructor(options: FrameDecoderOptions = {}) {
    this.#options = options;
    this.#maxLineBytes = options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES;
    this.#framer = new LineFramer(options);
  }

  /** The frames of the lines that this chunk completes. The chunk may be reused afterwards. */
  push(chunk: Uint8Array): readonly ReceivedFrame[] {
    const { buffer, byteOffset, byteLength } = chunk;
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(buffer, byteOffset, byteLength);
    this.#decode({ buffer: bytes, view: new DataView(buffer, byteOffset, byteLength) });
    return this.#takeFrames();
  }

  /** Call it when the output has ended. It returns the frame of a last line without an LF. */
  end(): readonly ReceivedFrame[] {
    this.#parse(this.#framer.end());
    return this.#takeFrames();
  }

  #decode(bytes: Bytes): void {
    const { buffer } = bytes;
    for (let at = 0; at < buffer.length; ) {
      at = this.#decodeEvents(bytes, at);
      const end = this.#templates.isEmpty ? buffer.length : endOfLine(buffer, at);
      const last = at < end ? this.#frameLines(buffer.subarray(at, end)) : undefined;
      // With `onLine` every line has to become text, so nothing is learned.
      if (last !== undefined && this.#options.onLine === undefined) {
        this.#templates.learn(last.line, last.message);
      }
      at = end;
    }
  }

  /** Decodes the lines from `at` on as far as there are templates for them; returns where it stopped. */
  #decodeEvents(bytes: Bytes, from: number): number {
    if (this.#isInLine) return from;
    const templates = this.#templates;
    let at = from;
    for (;;) {
      const event = templates.decode(bytes, at);
      if (event === undefined || templates.end - at > this.#maxLineBytes) return at;
      this.#events.push(event);
      this.#size += templates.end - at;
      at = templates.end + 1;
    }
  }

  /** Decodes lines by JSON.parse. Returns the last event, because the next lines are most likely like it. */
  #frameLines(bytes: Buffer): ParsedEvent | undefined {
    this.#isInLine = bytes[bytes.length - 1] !== LF;
    return this.#parse(this.#framer.push(bytes));
  }

  #parse(lines: readonly FramedLine[]): ParsedEvent | undefined {
    let last: ParsedEvent | undefined;
    for (const line of lines) {
      const frame = decodeLine(line, false, this.#options.mask);
      this.#options.onLine?.(frame.kind, textOf(line));
      if (frame.kind === "message" && isMessage(frame.message, "stream_event")) {
        this.#events.push(frame.message);
        this.#size += frame.size;
        if (typeof line === "string") last = { line, message: frame.message };
      } else {
        this.#flushEvents();
        this.#frames.push(frame);
      }
    }
    return last;
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

interface ParsedEvent {
  readonly line: string;
  readonly message: StreamEvent;
}

const LF = 0x0a;

/** Where the next line begins, or the end of the bytes. */
function endOfLine(bytes: Buffer, from: number): number {
  const at = bytes.indexOf(LF, from);
  return at < 0 ? bytes.length : at + 1;
}

function textOf(line: FramedLine): string {
  if (typeof line === "string") return line;
  return line.kind === "broken" ? line.text : `[a line of ${line.bytes} bytes]`;
}
