import { Inbox } from "../transport/index.js";
import { type CoalescedNotice, isMessage, type Message, type StreamEvent } from "../wire/index.js";

export interface StreamEvents {
  /** Somebody began to wait for a message, or no one waits any more. */
  readonly onWaiting?: (waiting: boolean) => void;
  /** The reader is too far behind for any more, or no longer. */
  readonly onFull?: (full: boolean) => void;
  /** The reader left before the end. */
  readonly onLeft?: () => void;
}

/**
 * Messages for one reader, who may be slow. Beyond a first mark, pieces of partial messages are
 * joined; beyond a second one the reader is reported as too far behind. Before anybody reads,
 * nobody can be behind: then the oldest messages give way. Each of these is told in its place.
 */
export class MessageStream {
  readonly #inbox: Inbox<Message>;
  #joined: { -readonly [K in keyof CoalescedNotice]: CoalescedNotice[K] } | undefined;
  #dropped = { count: 0, bytes: 0 };

  constructor({ onFull, ...events }: StreamEvents = {}) {
    this.#inbox = new Inbox({
      ...events,
      highMark: PAUSE_AT,
      onFull: (full) => {
        if (!this.#inbox.taken) {
          if (full) this.#drop();
          return;
        }
        const bytes = this.#inbox.bytes;
        if (full) this.#inbox.push({ type: "hawser", subtype: "paused", bytes }, NOTICE_SIZE);
        onFull?.(full);
      },
    });
  }

  push(message: Message, size: number): void {
    if (this.#inbox.bytes > COALESCE_AT && isMessage(message, "stream_event")) {
      const joined = this.#inbox.replaceLast((last) => join(last, message));
      if (joined) {
        this.#noteJoined();
        return;
      }
    }
    if (this.#inbox.bytes <= COALESCE_AT) this.#joined = undefined;
    this.#inbox.push(message, size);
  }

  end(error?: unknown): void {
    this.#inbox.end(error);
  }

  /** The one reader; `owner` lives as long as it does. A second one is refused. */
  read(owner: object): AsyncIterableIterator<Message> {
    const messages = this.#inbox.read(owner);
    return this.#dropped.count === 0 ? messages : after(this.#dropped, messages);
  }

  /** The notice counts on until it is read: it stands in front of the piece that grows. */
  #noteJoined(): void {
    if (this.#joined !== undefined) {
      this.#joined.count += 1;
      return;
    }
    const notice = { type: "hawser", subtype: "coalesced", count: 1 } as const;
    this.#joined = notice;
    let grown: Message = notice;
    this.#inbox.replaceLast((last) => {
      grown = last;
      return { item: notice, size: NOTICE_SIZE };
    });
    this.#inbox.push(grown, sizeOf(grown));
  }

  #drop(): void {
    const { count, bytes } = this.#inbox.clear();
    this.#dropped = { count: this.#dropped.count + count, bytes: this.#dropped.bytes + bytes };
    this.#joined = undefined;
  }
}

const COALESCE_AT = 8 * 1024 * 1024;
const PAUSE_AT = 64 * 1024 * 1024;
const NOTICE_SIZE = 100;

async function* after(
  dropped: { readonly count: number; readonly bytes: number },
  messages: AsyncIterableIterator<Message>,
): AsyncIterableIterator<Message> {
  yield { type: "hawser", subtype: "dropped", ...dropped };
  yield* messages;
}

/** One event in place of two, if they are pieces of the same block. */
function join(
  last: Message,
  next: StreamEvent,
): { readonly item: Message; readonly size: number } | undefined {
  if (!isMessage(last, "stream_event")) return undefined;
  if (last.parent_tool_use_id !== next.parent_tool_use_id) return undefined;
  const [a, b] = [deltaOf(last), deltaOf(next)];
  if (a === undefined || b === undefined) return undefined;
  if (a.index !== b.index || a.field !== b.field) return undefined;
  const delta = { ...a.delta, [a.field]: a.text + b.text };
  const item = { ...next, event: { ...next.event, delta } } as StreamEvent;
  return { item, size: sizeOf(item) };
}

interface Delta {
  readonly index: unknown;
  readonly delta: object;
  readonly field: string;
  readonly text: string;
}

/** The text that a delta adds; undefined for anything that cannot be joined by adding text. */
function deltaOf({ event }: StreamEvent): Delta | undefined {
  if (event.type !== "content_block_delta") return undefined;
  const { index, delta } = event as { readonly index: unknown; readonly delta: object };
  for (const field of ["text", "partial_json", "thinking"]) {
    const text: unknown = Reflect.get(delta, field);
    if (typeof text === "string") return { index, delta, field, text };
  }
  return undefined;
}

/** An estimate for what was made here and never had a line of its own. */
function sizeOf(message: Message): number {
  if (!isMessage(message, "stream_event")) return NOTICE_SIZE;
  return ENVELOPE_SIZE + (deltaOf(message)?.text.length ?? 0);
}

const ENVELOPE_SIZE = 300;
