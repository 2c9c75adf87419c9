import { HawserError } from "../errors/index.js";
import type { Options } from "../options/index.js";
import { FRESH, type Turn } from "../session/index.js";
import type { HostNotice, Message, Prompt } from "../wire/index.js";
import { Call } from "./call.js";
import type { Completion } from "./completion.js";

/**
 * A call as it goes on: its messages, once, as they come; or its text; and its outcome. Whoever
 * leaves either before its end ends the call.
 */
export interface CompletionStream<T = undefined> extends AsyncIterable<Message> {
  /** All that the model says to the caller, as it comes, once. Throws last if the call fails. */
  readonly textStream: AsyncIterable<string>;
  /** The outcome; rejects if the call fails, also if nobody reads. */
  readonly completion: Promise<Completion<T>>;
}

export class CallStream implements CompletionStream<unknown> {
  readonly completion: Promise<Completion<unknown>>;
  readonly textStream: AsyncIterable<string>;
  readonly #call: Call;
  #taken = false;
  #textTaken = false;

  constructor(prompt: Prompt, options: Options) {
    this.#call = new Call("stream()", prompt, options, FRESH);
    this.completion = this.#call.outcome;
    // Who only reads the messages learns of a failure there.
    this.completion.catch(() => {});
    this.textStream = { [Symbol.asyncIterator]: () => this.#readText() };
  }

  [Symbol.asyncIterator](): AsyncIterator<Message> {
    if (this.#taken) throw new HawserError("already_consumed");
    this.#taken = true;
    return new Reader<Message>(this.#call, (part) =>
      isTurn(part) ? part[Symbol.asyncIterator]() : once(part),
    );
  }

  #readText(): AsyncIterator<string> {
    if (this.#textTaken) throw new HawserError("already_consumed");
    this.#textTaken = true;
    let begun = false;
    return new Reader<string>(this.#call, (part) => {
      if (!isTurn(part)) return NONE;
      return separated(part.textStream, begun, () => {
        begun = true;
        this.#call.textWasRead = true;
      });
    });
  }
}

/** Reads part after part of a call. How a turn failed is not told: the call says what it makes of it. */
class Reader<T> implements AsyncIterator<T> {
  readonly #call: Call;
  readonly #open: (part: Turn | HostNotice) => AsyncIterator<T>;
  #next = 0;
  #current: AsyncIterator<T> | undefined;

  constructor(call: Call, open: (part: Turn | HostNotice) => AsyncIterator<T>) {
    this.#call = call;
    this.#open = open;
  }

  next(): Promise<IteratorResult<T>> {
    if (this.#current === undefined) return this.#advance();
    return this.#current.next().then(
      (item) => (item.done ? this.#advance() : item),
      () => this.#advance(),
    );
  }

  async return(): Promise<IteratorResult<T>> {
    this.#call.end(new HawserError("aborted", "The stream was left before its end."));
    await this.#current?.return?.();
    return DONE;
  }

  async #advance(): Promise<IteratorResult<T>> {
    const part = await this.#call.parts.at(this.#next);
    if (part === undefined) return DONE;
    this.#next += 1;
    this.#current = this.#open(part);
    return this.next();
  }
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

const NONE: AsyncIterator<never> = { next: async () => DONE };

function once<T>(item: T): AsyncIterator<T> {
  let given = false;
  return {
    next: async () => {
      if (given) return DONE;
      given = true;
      return { done: false, value: item };
    },
  };
}

/** A text after another one: a blank line stands between them. */
async function* separated(
  pieces: AsyncIterable<string>,
  follows: boolean,
  onPiece: () => void,
): AsyncGenerator<string, undefined> {
  let first = true;
  for await (const piece of pieces) {
    onPiece();
    yield first && follows ? `\n\n${piece}` : piece;
    first = false;
  }
}

function isTurn(part: Turn | HostNotice): part is Turn {
  return Symbol.asyncIterator in part;
}
