import { excerptOf, HawserError, inspectable } from "../base/index.js";
import { readTurn, recordOf, textIn } from "../session/index.js";
import type { Message } from "../wire/index.js";
import { Call, type CallRequest } from "./call.js";
import { CallFeed, isTurn } from "./call-feed.js";
import type { Completion } from "./completion.js";

/**
 * A running call: iterate over its messages, or over the text in `textStream`, and await `completion`. The
 * messages and the text can be read once each. A reader that stops before the end interrupts the call.
 *
 * @example
 * ```ts
 * import { stream } from "hawser";
 *
 * for await (const message of stream("What changed here?", { preset: "agent" })) {
 *   if (message.type === "assistant") console.log(message.message.content);
 * }
 * ```
 */
export interface CompletionStream<T = undefined> extends AsyncIterable<Message> {
  /**
   * All text of the model as it arrives. That includes text before a tool call, and repeated text if the CLI
   * repeated a request. The answer itself is `text` of the completion. Once a part of the text was read, the
   * call is not retried. Throws at the end if the call fails.
   */
  readonly textStream: AsyncIterable<string>;
  /** The outcome. Rejects if the call fails, even if the stream has no reader. */
  readonly completion: Promise<Completion<T>>;
}

export type StreamRequest = Omit<CallRequest, "feed">;

export class CallStream implements CompletionStream<unknown> {
  readonly completion: Promise<Completion<unknown>>;
  readonly textStream: AsyncIterable<string>;
  readonly #call: Call;
  readonly #feed = new CallFeed();
  /** The beginning of the prompt, for `console.log()`. The whole prompt may hold large images. */
  readonly #prompt: string;
  #textIsRead = false;
  #messagesAreRead = false;

  static {
    inspectable(CallStream, "CompletionStream", (stream) => {
      const { state, lastTurn } = stream.#feed;
      const text = lastTurn === undefined ? "" : recordOf(lastTurn).text.text;
      return { prompt: stream.#prompt, state, text: excerptOf(text) };
    });
  }

  constructor(request: StreamRequest) {
    this.#call = new Call({ ...request, feed: this.#feed });
    this.completion = this.#call.outcome;
    this.#prompt = excerptOf(textIn(request.prompt ?? ""));
    // `completion` may have no handler, because a reader of the messages gets the error there.
    this.completion.catch(() => {});
    this.textStream = { [Symbol.asyncIterator]: () => this.#readText() };
  }

  [Symbol.asyncIterator](): AsyncIterator<Message> {
    if (this.#messagesAreRead) throw new HawserError("already_consumed");
    this.#messagesAreRead = true;
    return new MessageIterator(this.#feed, this.#call);
  }

  #readText(): AsyncIterator<string> {
    if (this.#textIsRead) throw new HawserError("already_consumed");
    this.#textIsRead = true;
    return interruptOnReturn(this.#call, readText(this.#feed));
  }
}

/** The messages of all turns. Ignores the error of a turn, because the call decides what follows. */
class MessageIterator implements AsyncIterator<Message> {
  readonly #feed: CallFeed;
  readonly #call: Call;
  #nextIndex = 0;
  #turn: AsyncIterator<Message> | undefined;
  /** Serializes the steps of a reader that calls `next()` several times without waiting. */
  #order: Promise<unknown> = Promise.resolve();

  constructor(feed: CallFeed, call: Call) {
    this.#feed = feed;
    this.#call = call;
  }

  /** The hot path: returns the promise of the turn itself, without a promise or an object of its own. */
  next(): Promise<IteratorResult<Message>> {
    return this.#turn === undefined ? this.#advance() : this.#turn.next();
  }

  async return(): Promise<IteratorResult<Message>> {
    interruptCall(this.#call);
    await this.#turn?.return?.();
    return { done: true, value: undefined };
  }

  async #advance(): Promise<IteratorResult<Message>> {
    const found = this.#order.then(() => this.#openNext());
    this.#order = found.catch(() => {});
    return (await found) ?? this.next();
  }

  /** Opens the next turn and returns undefined, or returns the notice or the end that comes instead. */
  async #openNext(): Promise<IteratorResult<Message> | undefined> {
    if (this.#turn !== undefined) return undefined;
    const item = await this.#feed.at(this.#nextIndex);
    if (item === undefined) return { done: true, value: undefined };
    this.#nextIndex += 1;
    if (!isTurn(item)) return { done: false, value: item };
    const turn = readTurn(item, () => {
      if (this.#turn === turn) this.#turn = undefined;
      return this.#advance();
    });
    this.#turn = turn;
    return undefined;
  }
}

/** The text of all turns, with a blank line between two turns that have text. */
async function* readText(feed: CallFeed): AsyncGenerator<string, undefined> {
  let begun = false;
  for (let index = 0; ; index += 1) {
    const item = await feed.at(index);
    if (item === undefined) return;
    if (!isTurn(item)) continue;
    let follows = begun;
    try {
      for await (const piece of item.textStream) {
        // Skip the text of an attempt that failed before a part of its text was read.
        if (feed.isOfFailedAttempt(index)) break;
        begun = true;
        feed.textWasRead = true;
        yield follows ? `\n\n${piece}` : piece;
        follows = false;
      }
    } catch {
      // `feed.at()` throws the error of the call, if this failure ends the call.
    }
  }
}

/** Interrupts the call when its reader stops, even while the reader waits for the next piece. */
function interruptOnReturn(
  call: Call,
  pieces: AsyncGenerator<string, undefined>,
): AsyncIterator<string> {
  return {
    next: () => pieces.next(),
    return: () => {
      interruptCall(call);
      return pieces.return(undefined);
    },
  };
}

function interruptCall(call: Call): void {
  call.interrupt(new HawserError("aborted", "The stream was left before its end."));
}
