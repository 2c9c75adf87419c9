import { HawserError } from "../errors/index.js";
import type { Options } from "../options/index.js";
import { FRESH, readTurn, type Turn } from "../session/index.js";
import type { Message, Prompt } from "../wire/index.js";
import { Call } from "./call.js";
import type { Completion } from "./completion.js";
import type { Part } from "./parts.js";

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
  #textTaken = false;
  #taken = false;

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
    return new Messages(this.#call);
  }

  #readText(): AsyncIterator<string> {
    if (this.#textTaken) throw new HawserError("already_consumed");
    this.#textTaken = true;
    return leaving(this.#call, textOf(this.#call));
  }
}

/** The messages of turn after turn. How a turn failed is not told: the call says what it makes of it. */
class Messages implements AsyncIterator<Message> {
  readonly #call: Call;
  #next = 0;
  #turn: AsyncIterator<Message> | undefined;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Most of them come through here: nothing is added to what the turn itself does. */
  next(): Promise<IteratorResult<Message>> {
    return this.#turn === undefined ? this.#advance() : this.#turn.next();
  }

  async return(): Promise<IteratorResult<Message>> {
    leave(this.#call);
    await this.#turn?.return?.();
    return { done: true, value: undefined };
  }

  async #advance(): Promise<IteratorResult<Message>> {
    this.#turn = undefined;
    const part = await this.#call.parts.at(this.#next);
    if (part === undefined) return { done: true, value: undefined };
    this.#next += 1;
    if (!isTurn(part)) return { done: false, value: part };
    this.#turn = readTurn(part, () => this.#advance());
    return this.#turn.next();
  }
}

/** The text of turn after turn, a blank line between two that have one. */
async function* textOf(call: Call): AsyncGenerator<string, undefined> {
  let begun = false;
  for (let next = 0; ; next += 1) {
    const part = await call.parts.at(next);
    if (part === undefined) return;
    if (!isTurn(part)) continue;
    let follows = begun;
    try {
      for await (const piece of part.textStream) {
        begun = true;
        call.textWasRead = true;
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
  call.end(new HawserError("aborted", "The stream was left before its end."));
}

function isTurn(part: Part): part is Turn {
  return Symbol.asyncIterator in part;
}
