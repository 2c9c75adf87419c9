import { type HawserError, isHawserError, withCaller } from "../../base/index.js";
import { isMessage, type Message, type ResultMessage, type UserLine } from "../../wire/index.js";
import { MessageStream, type StreamListener } from "./message-stream.js";
import type { TurnClock } from "./turn-clock.js";
import { claimCost } from "./turn-costs.js";
import { TurnRecord } from "./turn-record.js";
import type { WholeMessage } from "./whole-messages.js";

/**
 * One prompt and what the CLI did about it: its messages, once, as they come, and its result.
 * `isResult(message)`, `isMessage(message, "assistant")` and `isSystem(message, "init")` narrow them.
 * Leaving the iteration early stops the turn; the session goes on.
 */
export interface Turn extends AsyncIterable<Message> {
  /** Of the prompt; `session.rewindFiles()` takes it. */
  readonly uuid: string;
  /**
   * The CLI's result, also one that reports a failure. Rejects only if there is none: the process
   * ended, a time limit was passed, the session was closed or the prompt was withdrawn.
   */
  readonly result: Promise<ResultMessage>;
  /**
   * All that the model says to the caller, as it comes, once; `text()` is only its last answer.
   * Throws last if the turn failed or was interrupted. Leaving it early stops the turn.
   */
  readonly textStream: AsyncIterable<string>;
  /** The other prompts, by uuid, that the CLI answered together with this one; known at the end. */
  readonly merged: readonly string[];
  /**
   * What this turn has added to the cost of the session, in US dollars, as the CLI estimates it; known
   * at the end. The `total_cost_usd` of a result is a running total, which must not be added up; the
   * costs of turns can be. Of prompts that were answered together, one has the cost and the others
   * have 0. Undefined, and never 0, where the cost is not known: before the end, without a result, and
   * after an interrupt, because the CLI does not count a request that was cut off.
   */
  readonly costUsd: number | undefined;
  /**
   * The text of the answer; throws what the result reports, if it reports a failure. A turn that
   * came to `maxTurns` or `maxBudgetUsd` has not failed: it gives the text so far, and
   * `result.subtype` says so.
   */
  text(): Promise<string>;
  /** The model's replies, each in one piece, sub-agents' included; once the turn has ended. */
  messages(): Promise<readonly WholeMessage[]>;
  /** Stops this turn, or takes its prompt back if the CLI has not begun with it. */
  interrupt(): Promise<void>;
}

type Follow = () => Promise<IteratorResult<Message>>;

/** What a turn needs of its session. */
export interface TurnOwner {
  interruptFor(turn: LiveTurn, why: HawserError): void;
  interrupt(turn: LiveTurn): Promise<void>;
  /** The error that a result stands for; undefined if the result reports no failure. */
  failureOf(result: ResultMessage, record: TurnRecord): HawserError | undefined;
  /** Is told what the readers of turns do. */
  readonly readers: StreamListener;
  /** Whether readers get the model's stream events. */
  readonly showsEvents: boolean;
}

/** One prompt, ready to be sent. */
export interface PromptLine {
  readonly uuid: string;
  readonly message: UserLine;
  /** The message as it will be written. Dropped after that, because a prompt can be long. */
  encoded?: string | undefined;
  /** The stack of the call that sent the prompt, for errors. */
  readonly caller?: string | undefined;
}

/** The session's side of a turn. */
export class LiveTurn implements Turn {
  readonly prompt: PromptLine;
  readonly uuid: string;
  readonly result: Promise<ResultMessage>;
  readonly textStream: AsyncIterable<string>;
  readonly record: TurnRecord = new TurnRecord();
  /** Why this side interrupted the turn; the result that then comes is not the answer. */
  interruptedBy: HawserError | undefined;
  clock: TurnClock | undefined;
  keepsMessages = true;
  timesSent = 0;
  delivered = false;
  /** Settles when the prompt has been written, or cannot be. */
  sent: Promise<void> | undefined;
  /** Called when the CLI begins with the prompt. */
  onBegun: (() => void) | undefined;
  #taken = false;

  readonly #owner: TurnOwner;
  /** Kept so that the session is not garbage-collected while a reader of this turn waits. */
  readonly #session: object;
  readonly #stream: MessageStream;
  #resolve: (result: ResultMessage) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #merged: readonly string[] = [];
  #costUsd: number | undefined;
  #settled = false;

  constructor(prompt: PromptLine, owner: TurnOwner, session: object) {
    this.prompt = prompt;
    this.uuid = prompt.uuid;
    this.#owner = owner;
    this.#session = session;
    this.textStream = this.record.text;
    this.record.text.onLeft = () => this.#leave();
    this.#stream = new MessageStream(owner.readers, () => this.#leave());
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // A caller that only reads the messages learns of a failure there.
    this.result.catch(() => {});
  }

  get merged(): readonly string[] {
    return this.#merged;
  }

  get costUsd(): number | undefined {
    return this.#costUsd;
  }

  get settled(): boolean {
    return this.#settled;
  }

  /** Whether the CLI has named the prompt in a message: before that, it has not begun with it. */
  get taken(): boolean {
    return this.#taken;
  }

  /**
   * Whether the prompt may be sent to another process. It may be sent twice at most, so that a prompt that
   * kills its process is not sent for ever.
   */
  get maySendAgain(): boolean {
    return !this.#taken && this.timesSent < 2;
  }

  take(): void {
    this.#taken = true;
  }

  async text(): Promise<string> {
    const result = await this.result;
    const failure = this.#failureOf(result);
    if (failure !== undefined) throw failure;
    return this.record.textOf(result);
  }

  async messages(): Promise<readonly WholeMessage[]> {
    const result = await this.result;
    return this.record.whole.list(result);
  }

  async interrupt(): Promise<void> {
    if (!this.#settled) await this.#owner.interrupt(this);
  }

  interruptFor(why: HawserError): void {
    if (!this.#settled) this.#owner.interruptFor(this, why);
  }

  [Symbol.asyncIterator](): AsyncIterator<Message> {
    return this.read();
  }

  read(follow?: Follow): AsyncIterator<Message> {
    return this.#stream.read(this.#session, follow);
  }

  receive(message: Message, size: number): void {
    if (this.#settled) return;
    this.record.add(message);
    if (!this.keepsMessages) return;
    if (this.#owner.showsEvents || !isMessage(message, "stream_event")) {
      this.#stream.push(message, size);
    }
  }

  settle(outcome: ResultMessage | HawserError, merged: readonly string[] = []): void {
    if (this.#settled) return;
    const isLost = isHawserError(outcome);
    const failure = isLost ? withCaller(outcome, this.prompt.caller) : this.#failureOf(outcome);
    this.#settled = true;
    this.#merged = merged;
    this.#costUsd = isLost ? undefined : claimCost(outcome);
    this.clock?.stop();
    this.record.text.end(failure);
    if (isLost) {
      this.#stream.end(failure);
      this.#reject(failure);
    } else {
      this.#stream.end();
      this.#resolve(outcome);
    }
  }

  #failureOf(result: ResultMessage): HawserError | undefined {
    return withCaller(this.#owner.failureOf(result, this.record), this.prompt.caller);
  }

  #leave(): void {
    // Errors of the interrupt surface through `result`.
    this.interrupt().catch(() => {});
  }
}

// What follows is for the other layers of this library.

/** What the messages of a turn have come to. */
export function recordOf(turn: Turn): TurnRecord {
  return liveTurnOf(turn).record;
}

/** The messages of a turn, and at their end, also after a failure, what `follow` gives. */
export function readTurn(turn: Turn, follow: Follow): AsyncIterator<Message> {
  return liveTurnOf(turn).read(follow);
}

/** Whether the prompt of a turn has been written to the CLI. */
export function isDelivered(turn: Turn): boolean {
  return liveTurnOf(turn).delivered;
}

/** Keeps no messages of a turn that has no reader. */
export function dropMessages(turn: Turn): void {
  liveTurnOf(turn).keepsMessages = false;
}

/** Interrupts a turn, which rejects with the reason; the session stays usable if the CLI obeys. */
export function interruptTurn(turn: Turn, why: HawserError): void {
  liveTurnOf(turn).interruptFor(why);
}

function liveTurnOf(turn: Turn): LiveTurn {
  if (turn instanceof LiveTurn) return turn;
  throw new TypeError("This is no turn of a session.");
}
