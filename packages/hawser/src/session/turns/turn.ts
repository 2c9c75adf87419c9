import {
  excerptOf,
  getPath,
  type HawserError,
  inspectable,
  isHawserError,
  textOf,
  withCaller,
} from "../../base/index.js";
import type { Message, Prompt, ResultMessage, StreamEvent, UserLine } from "../../wire/index.js";
import { MessageStream, type StreamListener } from "./message-stream.js";
import type { TurnClock } from "./turn-clock.js";
import { claimCost } from "./turn-costs.js";
import { TurnRecord } from "./turn-record.js";
import type { WholeMessage } from "./whole-messages.js";

/**
 * A turn: one prompt of a session and everything until its result. Only the turn of `resumedTurn()` has no prompt. It may take several rounds, which are
 * requests to the model. Iterate over its messages, which can be read once; `message.type === "assistant"`
 * narrows a message. A loop that is left early interrupts the turn; the session stays open.
 *
 * @example
 * ```ts
 * const turn = session.send("Which tests are slow?");
 * for await (const message of turn) {
 *   if (message.type === "assistant") console.log(message.message.content);
 * }
 * const { subtype, num_turns } = await turn.result;
 * ```
 */
export interface Turn extends AsyncIterable<Message> {
  /** The id of the prompt; `session.rewindFiles()` takes it. A turn without a prompt has an id of its own. */
  readonly uuid: string;
  /**
   * The CLI's result, also a result that reports a failure. Rejects only if there is no result: the process
   * ended, a time limit was passed, the session was closed or the prompt was withdrawn.
   */
  readonly result: Promise<ResultMessage>;
  /**
   * All text of the model as it arrives; it can be read once. `text()` gives only the last answer. Throws at
   * the end if the turn failed or was interrupted. A loop that is left early interrupts the turn.
   */
  readonly textStream: AsyncIterable<string>;
  /** The uuids of the other prompts that the CLI answered together with this prompt; known at the end. */
  readonly merged: readonly string[];
  /**
   * What this turn added to the cost of the session, in US dollars, as the CLI estimates it; known at the end.
   * The costs of turns can be added up. `total_cost_usd` of a result cannot, because it is a running total.
   * If several prompts were answered together, one turn has the cost and the others have 0. Undefined, and
   * never 0, if the cost is not known: before the end, without a result, and after an interrupt, because the
   * CLI does not count a request that was cut off.
   */
  readonly costUsd: number | undefined;
  /**
   * The text of the answer. Rejects with a `HawserError` if the turn failed. A turn that reached `maxTurns`
   * or `maxBudgetUsd` has not failed: this is the text so far, and `subtype` of the result names the limit.
   */
  text(): Promise<string>;
  /** The replies of the model and its sub-agents, each in one piece. Resolves when the turn has ended. */
  messages(): Promise<readonly WholeMessage[]>;
  /** Interrupts this turn, or withdraws its prompt if the CLI has not begun with it. */
  interrupt(): Promise<void>;
}

type Follow = () => Promise<IteratorResult<Message>>;

/** The session as its turns see it. `SessionCore` implements it. */
export interface TurnOwner {
  interruptFor(turn: LiveTurn, why: HawserError): void;
  interrupt(turn: LiveTurn): Promise<void>;
  /** The error that a result stands for; undefined if the result reports no failure. */
  failureOf(result: ResultMessage, record: TurnRecord): HawserError | undefined;
  /** The turn has its outcome: the result, or `turn.failure`, or both. */
  onTurnSettled(turn: LiveTurn, result?: ResultMessage): void;
  /** Listens to the readers of the turns. */
  readonly readers: StreamListener;
  /** Whether readers get the model's stream events. */
  readonly showsEvents: boolean;
}

/** One prompt, ready to be sent. */
export interface PromptLine {
  readonly uuid: string;
  /** Absent for a turn that the CLI begins by itself. */
  readonly message?: UserLine;
  /** The message as it will be written. Dropped after that, because a prompt can be long. */
  encoded?: string | undefined;
  /** The stack of the call that made the turn, for errors. */
  caller?: string | undefined;
  /** Whether the line only adds a message to the conversation, and belongs to others before and after it. */
  readonly isHistory?: boolean | undefined;
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
  /** Whether the turn was interrupted because the model called tools of the caller, so that it did not fail. */
  endsAtToolCalls = false;
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
  #session: object | undefined;
  readonly #stream: MessageStream;
  #resolve: (result: ResultMessage) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #merged: readonly string[] = [];
  #costUsd: number | undefined;
  #settled = false;
  #failure: HawserError | undefined;

  constructor(prompt: PromptLine, owner: TurnOwner, session?: object) {
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

  /** Why the turn failed; undefined before its end, and if it did not fail. */
  get failure(): HawserError | undefined {
    return this.#failure;
  }

  /** Whether the CLI has named the prompt in a message: before that, it has not begun with it. */
  get taken(): boolean {
    return this.#taken;
  }

  /**
   * Whether the prompt may be sent to another process. It may be sent twice at most, so that a prompt that
   * kills its process is not sent for ever. A message of a history would lack the messages before it.
   */
  get maySendAgain(): boolean {
    return !this.#taken && this.timesSent < 2 && this.prompt.isHistory !== true;
  }

  take(): void {
    this.#taken = true;
  }

  /** Whether a caller has the turn. */
  get isClaimed(): boolean {
    return this.#session !== undefined;
  }

  /** Gives a turn that the CLI began by itself to the caller that asks for it. */
  claim(session: object, caller: string | undefined): void {
    this.#session ??= session;
    this.prompt.caller ??= caller;
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
    return this.#stream.read(this.#session ?? this, follow);
  }

  receive(message: Message, size: number): void {
    if (this.#settled) return;
    this.record.add(message);
    if (this.keepsMessages) this.#stream.push(message, size);
  }

  receiveEvents(events: readonly StreamEvent[], size: number): void {
    if (this.#settled) return;
    // The events may lead to an interrupt, after which no message is kept.
    const { keepsMessages } = this;
    this.record.addEvents(events);
    if (keepsMessages && this.#owner.showsEvents) this.#stream.pushEvents(events, size);
  }

  settle(outcome: ResultMessage | HawserError, merged: readonly string[] = []): void {
    if (this.#settled) return;
    const isLost = isHawserError(outcome);
    const failure = isLost ? withCaller(outcome, this.prompt.caller) : this.#failureOf(outcome);
    this.#settled = true;
    this.#failure = failure;
    this.#merged = merged;
    this.#costUsd = isLost ? undefined : claimCost(outcome);
    this.clock?.stop();
    this.#owner.onTurnSettled(this, isLost ? undefined : outcome);
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

inspectable(LiveTurn, "Turn", (turn) => {
  const { uuid, prompt, taken, settled, failure, record, costUsd } = turn;
  const running = taken || record.lastMessage !== undefined ? "running" : "waiting";
  const ended = failure === undefined ? "ended" : "failed";
  return {
    uuid,
    ...(prompt.message && { prompt: excerptOf(textIn(prompt.message.message.content)) }),
    state: settled ? ended : running,
    ...(failure === undefined ? {} : { error: failure.code }),
    text: excerptOf(record.text.text),
    ...(costUsd === undefined ? {} : { costUsd }),
  };
});

/** The text of a prompt, and the types of its other blocks. A prompt that is refused may be anything. */
export function textIn(prompt: Prompt): string {
  if (!Array.isArray(prompt)) return textOf(prompt);
  const texts = prompt.map((block: unknown) => {
    const type = textOf(getPath(block, "type"));
    return type === "text" ? textOf(getPath(block, "text")) : `[${type}]`;
  });
  return texts.filter((text) => text !== "").join(" ");
}

// What follows is for the other layers of this library.

/** The record of the messages of a turn. */
export function recordOf(turn: Turn): TurnRecord {
  return liveTurnOf(turn).record;
}

/**
 * The messages of a turn. In place of their end, also after a failure, the reader gets what `follow`
 * returns.
 */
export function readTurn(turn: Turn, follow: Follow): AsyncIterator<Message> {
  return liveTurnOf(turn).read(follow);
}

/** Whether the prompt of a turn has been written to the CLI. */
export function isDelivered(turn: Turn): boolean {
  return liveTurnOf(turn).delivered;
}

/** Resolves when the prompt of a turn has been written, or could not be; undefined while it waits for other turns. */
export function sendingOf(turn: Turn): Promise<void> | undefined {
  return liveTurnOf(turn).sent;
}

/** Keeps no messages of a turn that has no reader. */
export function dropMessages(turn: Turn): void {
  liveTurnOf(turn).keepsMessages = false;
}

/** Interrupts a turn in which the model has called tools of the caller. */
export async function interruptAtToolCalls(turn: Turn): Promise<void> {
  liveTurnOf(turn).endsAtToolCalls = true;
  await turn.interrupt();
}

/** Interrupts a turn, which rejects with the reason; the session stays usable if the CLI obeys. */
export function interruptTurn(turn: Turn, why: HawserError): void {
  liveTurnOf(turn).interruptFor(why);
}

function liveTurnOf(turn: Turn): LiveTurn {
  if (turn instanceof LiveTurn) return turn;
  throw new TypeError("This object is not a turn of a session of this library.");
}
