/** Text of the model that was not sent yet. */
export interface TextPiece {
  readonly session: number;
  readonly turn: string | undefined;
  readonly sessionId: string | undefined;
  readonly call: number | undefined;
  readonly messageId: string | undefined;
  readonly at: number;
  readonly text: string;
  readonly thinking: string;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Joins the small pieces of streamed text, so that each session has at most one event in 50 milliseconds. The
 * first piece after a pause is sent at once.
 */
export class TextPieces {
  readonly #send: (piece: TextPiece) => void;
  readonly #intervalMs: number;
  readonly #sessions = new Map<number, Buffer>();

  constructor(send: (piece: TextPiece) => void, intervalMs = 50) {
    this.#send = send;
    this.#intervalMs = intervalMs;
  }

  add(piece: TextPiece): void {
    const buffer = this.#sessions.get(piece.session) ?? {
      piece: undefined,
      sentAt: Number.NEGATIVE_INFINITY,
      timer: undefined,
    };
    this.#sessions.set(piece.session, buffer);
    const { piece: before } = buffer;
    const isSame = before?.turn === piece.turn && before?.messageId === piece.messageId;
    if (before !== undefined && !isSame) this.flush(piece.session);
    if (buffer.piece === undefined) buffer.piece = { ...piece };
    else {
      buffer.piece.text += piece.text;
      buffer.piece.thinking += piece.thinking;
    }
    const isLong = buffer.piece.text.length + buffer.piece.thinking.length > LONGEST_PIECE;
    const waitMs = buffer.sentAt + this.#intervalMs - performance.now();
    if (isLong || waitMs <= 0) this.flush(piece.session);
    else buffer.timer ??= setTimeout(() => this.flush(piece.session), waitMs).unref();
  }

  /** Sends what is left of a session, so that the next event comes after it. */
  flush(session: number): void {
    const buffer = this.#sessions.get(session);
    if (buffer === undefined) return;
    clearTimeout(buffer.timer);
    buffer.timer = undefined;
    const { piece } = buffer;
    buffer.piece = undefined;
    if (piece === undefined) return;
    buffer.sentAt = performance.now();
    this.#send(piece);
  }

  flushAll(): void {
    for (const session of this.#sessions.keys()) this.flush(session);
  }

  /** The session is over. */
  forget(session: number): void {
    this.flush(session);
    this.#sessions.delete(session);
  }
}

/** What a session has not sent, and when it sent the last piece. */
interface Buffer {
  piece: Mutable<TextPiece> | undefined;
  sentAt: number;
  timer: NodeJS.Timeout | undefined;
}

const LONGEST_PIECE = 16_384;
