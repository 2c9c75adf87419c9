import { Inbox } from "../../transport/index.js";
import {
  type CoalescedNotice,
  type DroppedNotice,
  isMessage,
  type Message,
  type StreamEvent,
} from "../../wire/index.js";

/** Listens to the reader of a stream. The idle tracker and the core of a query implement it. */
export interface StreamListener {
  /** The reader began to wait for a message, or waits no more. */
  onWaiting?(waiting: boolean): void;
  /** The reader is too far behind to take more messages, or no longer is. */
  onFull?(full: boolean): void;
}

/**
 * Messages for one reader, which may be slow. Beyond a first mark, pieces of partial messages are
 * joined; beyond a second mark the reader is reported as too far behind. Before the reader begins it
 * cannot be behind: then the oldest messages are dropped. A notice in the stream says so each time.
 */
export class MessageStream {
  readonly #inbox: Inbox<Message>;
  /** The piece that was joined last. */
  #joined: Joined | undefined;
  #dropped: DroppedNotice | undefined;
  #waiting = false;

  /** `onLeft` is called if the reader leaves before the end. */
  constructor(listener: StreamListener = {}, onLeft: () => void = () => {}) {
    this.#inbox = new Inbox({
      onLeft,
      highMark: PAUSE_AT,
      // A reader that leaves may not have been waiting. The listener is called only for changes.
      onWaiting: (waiting) => {
        if (waiting === this.#waiting) return;
        this.#waiting = waiting;
        listener.onWaiting?.(waiting);
      },
      onFull: (full) => {
        if (!this.#inbox.taken) {
          if (full) this.#drop();
          return;
        }
        const bytes = this.#inbox.bytes;
        if (full) this.#inbox.push({ type: "hawser", subtype: "paused", bytes }, NOTICE_SIZE);
        listener.onFull?.(full);
      },
    });
  }

  push(message: Message, size: number): void {
    const behind = this.#inbox.bytes > COALESCE_AT;
    if (behind && isMessage(message, "stream_event") && this.#join(message)) return;
    this.#inbox.push(message, size);
  }

  /** Adds events that arrived together and have this size together. */
  pushEvents(events: readonly StreamEvent[], size: number): void {
    if (this.#inbox.bytes + size <= COALESCE_AT) {
      this.#inbox.pushAll(events, size);
      return;
    }
    const each = Math.ceil(size / events.length);
    for (const event of events) this.push(event, each);
  }

  end(error?: unknown): void {
    this.#inbox.end(error);
  }

  /**
   * The one reader; `owner` lives as long as the reader does. A second reader is refused. In place
   * of the end, the reader gets what `follow` returns.
   */
  read(
    owner: object,
    follow?: () => Promise<IteratorResult<Message>>,
  ): AsyncIterableIterator<Message> {
    return this.#inbox.read(owner, follow);
  }

  /** Joins a piece to the last waiting piece, if both fit together. A notice precedes the joined piece. */
  #join(next: StreamEvent): boolean {
    const before = this.#joined;
    const notice: Counting = { type: "hawser", subtype: "coalesced", count: 0 };
    const found: { piece?: Joined } = {};
    this.#inbox.replaceLast((last) => {
      const item = join(last, next);
      if (item === undefined) return undefined;
      const grows = before !== undefined && last === before.item;
      const size = (grows ? before.size : sizeOf(last)) + sizeOf(next);
      found.piece = { item, size, notice: grows ? before.notice : notice };
      return grows ? found.piece : { item: notice, size: NOTICE_SIZE };
    });
    const { piece } = found;
    if (piece === undefined) return false;
    piece.notice.count += 1;
    this.#joined = piece;
    if (piece.notice === notice) this.#inbox.push(piece.item, piece.size);
    return true;
  }

  #drop(): void {
    const { count, bytes } = this.#inbox.clear();
    const before = this.#dropped;
    // The earlier notice was dropped too.
    this.#dropped = {
      type: "hawser",
      subtype: "dropped",
      count: before === undefined ? count : before.count + count - 1,
      bytes: before === undefined ? bytes : before.bytes + bytes - NOTICE_SIZE,
    };
    this.#inbox.push(this.#dropped, NOTICE_SIZE);
  }
}

const COALESCE_AT = 8 * 1024 * 1024;
const PAUSE_AT = 64 * 1024 * 1024;
const NOTICE_SIZE = 100;

type Counting = { -readonly [K in keyof CoalescedNotice]: CoalescedNotice[K] };

interface Joined {
  readonly item: Message;
  readonly size: number;
  readonly notice: Counting;
}

/** One event in place of two, if they are pieces of the same block. */
function join(last: Message, next: StreamEvent): Message | undefined {
  if (!isMessage(last, "stream_event")) return undefined;
  if (last.parent_tool_use_id !== next.parent_tool_use_id) return undefined;
  const [a, b] = [deltaOf(last), deltaOf(next)];
  if (a === undefined || b === undefined) return undefined;
  if (a.index !== b.index || a.field !== b.field) return undefined;
  const delta = { ...a.delta, [a.field]: a.text + b.text };
  return { ...next, event: { ...next.event, delta } } as StreamEvent;
}

interface Delta {
  readonly index: unknown;
  readonly delta: object;
  readonly field: string;
  readonly text: string;
}

/** The text that a delta adds; undefined for anything that cannot be joined by adding text. */
function deltaOf({ event }: StreamEvent): Delta | undefined {
  if (event?.type !== "content_block_delta") return undefined;
  const { index, delta } = event as { readonly index: unknown; readonly delta?: unknown };
  if (typeof delta !== "object" || delta === null) return undefined;
  for (const field of ["text", "partial_json", "thinking"]) {
    const text: unknown = Reflect.get(delta, field);
    if (typeof text === "string") return { index, delta, field, text };
  }
  return undefined;
}

/** The size that a piece adds when it is joined: a string made of many small strings holds them all. */
function sizeOf(message: Message): number {
  const text = isMessage(message, "stream_event") ? deltaOf(message)?.text : undefined;
  return PIECE_SIZE + (text?.length ?? 0);
}

const PIECE_SIZE = 64;
