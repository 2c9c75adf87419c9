import { HawserError } from "../base/index.js";
import { readTurn, type Turn } from "../session/index.js";
import type { Message } from "../wire/index.js";
import { Call, type CallRequest } from "./call.js";
import { CallFeed, type FeedItem } from "./call-feed.js";
import type { Completion } from "./completion.js";

/**
 * A call as it goes on: its messages, once, as they come; or its text; and its outcome. Whoever
 * leaves either before its end ends the call.
 */
export interface CompletionStream<T = undefined> extends AsyncIterable<Message> {
  /**
   * All that the model says, as it comes, once: also what it says before a tool call, and once more
   * what it says again where the CLI repeated a request. The answer is `text` of the completion.
   * Once something of it was read, the call is not made anew. Throws last if the call fails.
   */
  readonly textStream: AsyncIterable<string>;
  /** The outcome; rejects if the call fails, also if nobody reads. */
  readonly completion: Promise<Completion<T>>;
}

export class CallStream implements CompletionStream<unknown> {
  readonly completion: Promise<Completion<unknown>>;
  readonly textStream: AsyncIterable<string>;
  readonly #call: Call;
  readonly #parts = new CallFeed();
  #textTaken = false;
  #taken = false;

  constructor(request: Omit<CallRequest, "parts">) {
    this.#call = new Call({ ...request, parts: this.#parts });
    this.completion = this.#call.outcome;
    // Who only reads the messages learns of a failure there.
    this.completion.catch(() => {});
    this.textStream = { [Symbol.asyncIterator]: () => this.#readText() };
  }

  [Symbol.asyncIterator](): AsyncIterator<Message> {
    if (this.#taken) throw new HawserError("already_consumed");
    this.#taken = true;
    return new Messages(this.#parts, () => leave(this.#call));
  }

  #readText(): AsyncIterator<string> {
    if (this.#textTaken) throw new HawserError("already_consumed");
    this.#textTaken = true;
    return leaving(this.#call, textOf(this.#parts));
  }
}

/** The messages of turn after turn. How a turn failed is not told: the call says what it makes of it. */
class Messages implements AsyncIterator<Message> {
  readonly #parts: CallFeed;
  readonly #leave: () => void;
  #next = 0;
  #turn: AsyncIterator<Message> | undefined;
  /** One step at a time, also for one who asks for several items at once. */
  #order: Promise<unknown> = Promise.resolve();

  constructor(parts: CallFeed, leave: () => void) {
    this.#parts = parts;
    this.#leave = leave;
  }

  /** Most of them come through here: nothing is added to what the turn itself does. */
  next(): Promise<IteratorResult<Message>> {
    return this.#turn === undefined ? this.#advance() : this.#turn.next();
  }

  async return(): Promise<IteratorResult<Message>> {
    this.#leave();
    await this.#turn?.return?.();
    return { done: true, value: undefined };
  }

  async #advance(): Promise<IteratorResult<Message>> {
    const found = this.#order.then(() => this.#open());
    this.#order = found.catch(() => {});
    return (await found) ?? this.next();
  }

  /** Opens the next turn, or gives what stands in its place. */
  async #open(): Promise<IteratorResult<Message> | undefined> {
    if (this.#turn !== undefined) return undefined;
    const part = await this.#parts.at(this.#next);
    if (part === undefined) return { done: true, value: undefined };
    this.#next += 1;
    if (!isTurn(part)) return { done: false, value: part };
    const turn = readTurn(part, () => {
      if (this.#turn === turn) this.#turn = undefined;
      return this.#advance();
    });
    this.#turn = turn;
    return undefined;
  }
}

/** The text of turn after turn, a blank line between two that have one. */
async function* textOf(parts: CallFeed): AsyncGenerator<string, undefined> {
  let begun = false;
  for (let next = 0; ; next += 1) {
    const part = await parts.at(next);
    if (part === undefined) return;
    if (!isTurn(part)) continue;
    let follows = begun;
    try {
      for await (const piece of part.textStream) {
        // Of an attempt that failed before anything of it was read, nothing is.
        if (parts.isOfFailedAttempt(next)) break;
        begun = true;
        parts.textWasRead = true;
        yield follows ? `\n\n${piece}` : piece;
        follows = false;
      }
    } catch {
      // What becomes of it, the call says.
    }
  }
}

/** The same, of which an early end ends the call even while it waits for a piece. */
function leaving(call: Call, pieces: AsyncGenerator<string, undefined>): AsyncIterator<string> {
  return {
    next: () => pieces.next(),
    return: () => {
      leave(call);
      return pieces.return(undefined);
    },
  };
}

function leave(call: Call): void {
  call.interrupt(new HawserError("aborted", "The stream was left before its end."));
}

function isTurn(part: FeedItem): part is Turn {
  return Symbol.asyncIterator in part;
}
