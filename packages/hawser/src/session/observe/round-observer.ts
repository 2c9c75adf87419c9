import {
  CHANNELS,
  eventTime,
  objectOf,
  publish,
  type RoundEndEvent,
  type RoundStartEvent,
} from "../../base/index.js";
import type { AssistantMessage, StreamEvent } from "../../wire/index.js";
import { type EventIds, tokenCounts } from "./event-ids.js";

/** The tool call that started a sub-agent, or `null` for the main thread. */
export type Thread = string | null;

/** The thread that a message names. */
export function threadOf(parentToolUseId: unknown): Thread {
  return typeof parentToolUseId === "string" ? parentToolUseId : null;
}

/**
 * Recognises the rounds of a session: the replies of the model, in the main thread and in each sub-agent.
 * With stream events, a round ends with its last event. Without them, it ends when something else follows.
 */
export class RoundObserver {
  readonly #ids: EventIds;
  readonly #open = new Map<Thread, OpenRound>();
  /** When the next request of a thread was probably sent. */
  readonly #requestedAt = new Map<Thread, number>();
  /** The newest reply of each thread, so that a late block does not count as another round. */
  readonly #newest = new Map<Thread, RoundStartEvent>();
  /** When the CLI last said that it sends a request; it does not say for which thread. */
  #requestingAt = 0;
  /** How many rounds the turns had that are not over. */
  readonly #counts = new Map<string, number>();
  #count = 0;

  constructor(ids: EventIds) {
    this.#ids = ids;
  }

  /** Ends what a turn has left open in the main thread. Returns how many rounds the turn had. */
  endTurn(turn: string, isInterrupted: boolean): number {
    if (this.#open.get(null)?.start.turn === turn) this.settle(null, isInterrupted);
    const count = this.#counts.get(turn) ?? 0;
    this.#counts.delete(turn);
    return count;
  }

  /** The number of the newest round of a thread. */
  numberIn(thread: Thread): number | undefined {
    return this.#newest.get(thread)?.round;
  }

  /** The CLI has all that it needs for the next request of a thread, as far as it is known. */
  expectRequest(thread: Thread, at: number): void {
    this.#requestedAt.set(thread, at);
  }

  /** The CLI says that it sends a request. */
  onRequesting(): void {
    this.#requestingAt = eventTime();
  }

  onEvents(events: readonly StreamEvent[]): void {
    for (const { event, parent_tool_use_id, ttft_ms } of events) {
      const type = event?.type;
      // Nearly all events are pieces of content.
      if (type === "content_block_delta") continue;
      const thread = threadOf(parent_tool_use_id);
      if (type === "message_start") this.#onStart(objectOf(event)["message"], thread, ttft_ms);
      else if (type === "message_delta") this.#onDelta(objectOf(event), thread);
      else if (type === "message_stop") this.#end(thread, false);
    }
  }

  /** A block of a reply. */
  onReply({ message, parent_tool_use_id, aborted }: AssistantMessage): void {
    const { id, model, usage, content } = message;
    const thread = threadOf(parent_tool_use_id);
    let round = this.#open.get(thread);
    if (round?.start.messageId !== id) {
      if (this.#newest.get(thread)?.messageId === id) return;
      this.settle(thread, false);
      round = this.#begin(thread, id, model, this.#requestTime(thread));
      round.startUsage = { ...objectOf(usage), output_tokens: undefined };
    }
    round.content.push(...content);
    round.lastAt = eventTime();
    round.isCut = aborted === true;
  }

  /** Something else follows in the thread. A round that is streamed ends with its own last event. */
  endWhole(thread: Thread): void {
    if (this.#open.get(thread)?.isStreamed === false) this.#end(thread, false);
  }

  /** Ends the round of a thread that gets no further event. A streamed round was cut off then. */
  settle(thread: Thread, isInterrupted: boolean): void {
    this.#end(thread, isInterrupted || this.#open.get(thread)?.isStreamed === true);
  }

  /** Forgets a sub-agent that has ended. */
  forget(thread: Thread): void {
    this.#requestedAt.delete(thread);
    this.#newest.delete(thread);
  }

  endAll(): void {
    for (const thread of [...this.#open.keys()]) this.#end(thread, true);
  }

  #end(thread: Thread, isInterrupted: boolean): void {
    const round = this.#open.get(thread);
    if (round === undefined) return;
    this.#open.delete(thread);
    const { start, isStreamed, firstTokenMs, stopReason, content, startUsage, endUsage } = round;
    const isCut = isInterrupted || round.isCut;
    const at = isStreamed ? eventTime() : round.lastAt;
    const event = (): RoundEndEvent => ({
      ...start,
      ...this.#ids.sessionIds(),
      at,
      outcome: isCut ? "interrupted" : "ok",
      ms: at - start.at,
      firstTokenMs,
      usage: tokenCounts(endUsage ? { ...objectOf(startUsage), ...endUsage } : startUsage),
      stopReason,
      content,
    });
    publish(CHANNELS.roundEnd, event);
  }

  #onStart(message: unknown, thread: Thread, ttftMs: unknown): void {
    const { id, model, usage } = objectOf(message);
    this.settle(thread, false);
    const now = eventTime();
    const at = typeof ttftMs === "number" ? now - ttftMs : this.#requestTime(thread);
    const round = this.#begin(thread, id, model, at);
    round.isStreamed = true;
    round.firstTokenMs = now - at;
    round.startUsage = usage;
  }

  #onDelta({ delta, usage }: Readonly<Record<string, unknown>>, thread: Thread): void {
    const round = this.#open.get(thread);
    if (round === undefined) return;
    const { stop_reason } = objectOf(delta);
    round.stopReason = typeof stop_reason === "string" ? stop_reason : undefined;
    round.endUsage = objectOf(usage);
  }

  #begin(thread: Thread, id: unknown, model: unknown, at: number): OpenRound {
    this.#count += 1;
    const start: RoundStartEvent = {
      at,
      ...this.#ids.turnIds(),
      round: this.#count,
      messageId: typeof id === "string" ? id : undefined,
      model: typeof model === "string" ? model : undefined,
      parentToolUseId: thread,
    };
    const round: OpenRound = { start, isStreamed: false, isCut: false, lastAt: at, content: [] };
    const { turn } = start;
    if (turn !== undefined) this.#counts.set(turn, (this.#counts.get(turn) ?? 0) + 1);
    this.#open.set(thread, round);
    this.#newest.set(thread, start);
    this.#requestedAt.delete(thread);
    publish(CHANNELS.roundStart, () => start);
    return round;
  }

  #requestTime(thread: Thread): number {
    const expected = this.#requestedAt.get(thread);
    if (expected === undefined) return eventTime();
    // The main thread sends a request only when it has all results; what the CLI says is then about it.
    return thread === null ? Math.max(expected, this.#requestingAt) : expected;
  }
}

interface OpenRound {
  readonly start: RoundStartEvent;
  readonly content: unknown[];
  isStreamed: boolean;
  isCut: boolean;
  lastAt: number;
  firstTokenMs?: number;
  startUsage?: unknown;
  endUsage?: Readonly<Record<string, unknown>>;
  stopReason?: string | undefined;
}
