import type { Message } from "hawser";
import { MessageTranslator } from "./message-translator.js";
import type { HostCallEvent, QuestionEvent, TurnEvent } from "./turn-event.js";

/** A turn of the CLI: `fromSession()` and `fromStream()` make it. */
export interface TurnSource<Outcome> {
  /** The messages of the turn, with the raw events of the model. */
  readonly messages: AsyncIterable<Message>;
  /** How the turn ended. Rejects if it failed. */
  readonly outcome: Promise<Outcome>;
  /** Asks the CLI to stop the turn. The messages then end. */
  interrupt(): void;
}

/** What a turn waits for: an answer to a question, or the result of a host tool. */
export type Waiting = QuestionEvent | HostCallEvent;

/**
 * A turn of the CLI's agent as a queue of events for one reader. The reader may stop for as long as it likes, for example
 * while a person decides, and continue later: nothing is lost, and the CLI is slowed down only if much waits to be read.
 *
 * @example
 * ```ts
 * for (let event = await turn.next(); event !== undefined; event = await turn.next()) {
 *   if (event.type === "text_delta") process.stdout.write(event.text);
 *   if (event.type === "question") await host.answerApproval(event.approval.id, { behavior: "allow" });
 * }
 * const result = await turn.outcome;
 * ```
 */
export class AgentTurn<Outcome = unknown> {
  readonly outcome: Promise<Outcome>;
  readonly #source: TurnSource<Outcome>;
  readonly #messages: AsyncIterator<Message>;
  readonly #translator: MessageTranslator;
  readonly #queue: TurnEvent[] = [];
  /** Questions and calls that arrived before the message with their tool call was read. */
  readonly #early: Waiting[] = [];
  #reading: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  #isOver = false;

  constructor(source: TurnSource<Outcome>, hostName: (shown: string) => string | undefined) {
    this.#source = source;
    this.outcome = source.outcome;
    // A reader of the events gets the error there.
    this.outcome.catch(() => {});
    this.#messages = source.messages[Symbol.asyncIterator]();
    this.#translator = new MessageTranslator(hostName);
  }

  /** Whether the main model is in the middle of a message, as far as it was read. */
  get isInRound(): boolean {
    return this.#translator.isInRound;
  }

  /**
   * The next event, or undefined if the turn is over. Rejects with the error of the turn if it failed. Call it again only
   * after the promise before has settled.
   */
  async next(): Promise<TurnEvent | undefined> {
    for (;;) {
      const event = this.#queue.shift();
      if (event !== undefined) return event;
      if (this.#isOver) {
        await this.outcome;
        return undefined;
      }
      await this.#progress();
    }
  }

  /** Asks the CLI to stop. The events then end. */
  interrupt(): void {
    this.#source.interrupt();
  }

  // What follows is for `TurnHost`.

  /** Puts a question or a call among the events, behind the tool call that it belongs to. */
  receive(waiting: Waiting): void {
    if (this.#isOver) return;
    const id = toolCallOf(waiting);
    if (id === undefined || this.#translator.knows(id)) this.#push(waiting);
    else {
      this.#early.push(waiting);
      setTimeout(() => this.#release(waiting), UNANNOUNCED_MS).unref();
      this.#wake?.();
    }
  }

  withdraw(id: string): void {
    const index = this.#early.findIndex((each) => idOf(each) === id);
    if (index >= 0) this.#early.splice(index, 1);
    else if (!this.#isOver) this.#push({ type: "withdrawn", id });
  }

  async #progress(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    await Promise.race([this.#reading, woken]);
    this.#wake = undefined;
  }

  async #read(): Promise<void> {
    let next: IteratorResult<Message>;
    try {
      next = await this.#messages.next();
    } catch {
      // `outcome` rejects with the reason.
      next = { done: true, value: undefined };
    }
    if (next.done === true) {
      this.#isOver = true;
      this.#early.length = 0;
      this.#queue.push(...this.#translator.end());
      return;
    }
    for (const event of this.#translator.translate(next.value)) {
      this.#queue.push(event);
      if (event.type === "tool_call") this.#releaseFor(event.id);
    }
  }

  #releaseFor(toolCallId: string): void {
    for (const waiting of [...this.#early]) {
      if (toolCallOf(waiting) === toolCallId) this.#release(waiting);
    }
  }

  /** If the CLI does not announce a call, which was not observed, its facts come from the question or the call. */
  #release(waiting: Waiting): void {
    const index = this.#early.indexOf(waiting);
    if (index < 0) return;
    this.#early.splice(index, 1);
    const call = this.#translator.announce(waiting);
    if (call !== undefined) this.#push(call);
    this.#push(waiting);
  }

  #push(event: TurnEvent): void {
    this.#queue.push(event);
    this.#wake?.();
  }
}

/** How long a question waits for the message with its tool call. */
const UNANNOUNCED_MS = 500;

function idOf(waiting: Waiting): string {
  return waiting.type === "question" ? waiting.approval.id : waiting.id;
}

/** The tool call that a question or a call belongs to. The question of an MCP server belongs to none. */
export function toolCallOf(waiting: Waiting): string | undefined {
  if (waiting.type === "host_call") return waiting.id;
  return waiting.approval.kind === "elicitation" ? undefined : waiting.approval.toolUseId;
}
