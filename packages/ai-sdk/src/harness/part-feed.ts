import type { HarnessV1StreamPart } from "@ai-sdk/harness";

/**
 * The parts of one turn, for a reader that may leave and come back. No part is lost, and none is delivered to two
 * readers, except for calls that still wait for an answer: these are shown to each new reader, because it may
 * answer them.
 */
export class PartFeed {
  /** The delivered parts that may be needed again, then the parts that are not delivered. */
  readonly #entries: Entry[] = [];
  /** The index of the first part that is not delivered. */
  #next = 0;
  /** The part after which the next reader begins, if the reader has set it. */
  #checkpoint: Entry | undefined;
  /** The calls that wait for an answer. */
  readonly #awaited = new Map<string, Awaited>();
  /** Texts and inputs whose start was delivered, and not their end. */
  readonly #open = new Map<string, HarnessV1StreamPart>();
  #reader: Reader | undefined;
  #readers = 0;
  #end: { readonly error?: unknown } | undefined;
  #onAnswered: (() => void) | undefined;
  #wasRead = false;

  /** Whether the turn is over. Some of its parts may not be delivered yet. */
  get isEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Whether the turn is over and a reader got all of it. */
  get isRead(): boolean {
    return this.#end !== undefined && this.#wasRead;
  }

  /** The number of the reader that gets the next part: the reader that is there, or the one that comes next. */
  get reader(): number {
    return this.#reader === undefined ? this.#readers + 1 : this.#readers;
  }

  /** Whether a call waits for an answer of the reader. */
  get isWaiting(): boolean {
    return this.#awaited.size > 0;
  }

  /**
   * A new reader, which gets all parts that no reader got. Returns a promise that resolves when the reader got the
   * last part, or has left. It rejects if the turn failed.
   */
  attach(emit: (part: HarnessV1StreamPart) => void): Promise<void> {
    this.leave();
    this.#readers += 1;
    const done = new Promise<void>((resolve, reject) => {
      this.#reader = { emit, resolve, reject };
    });
    // The reader may have another promise of the turn only.
    done.catch(() => {});
    for (const part of this.#open.values()) emit(part);
    for (const { parts, last } of this.#awaited.values()) {
      if (last.isDelivered) for (const part of parts) emit(part);
    }
    this.#deliver();
    return done;
  }

  /** The reader has left. Its promise resolves. */
  leave(): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    this.#reader = undefined;
    if (this.#checkpoint === undefined) {
      for (const part of this.#open.values()) reader.emit(endOf(part));
    } else {
      this.#next = this.#entries.indexOf(this.#checkpoint) + 1;
      for (const entry of this.#entries.slice(this.#next)) entry.isDelivered = false;
      this.#open.clear();
      this.#checkpoint = undefined;
    }
    reader.resolve();
  }

  push(part: HarnessV1StreamPart): void {
    if (this.#end !== undefined) return;
    this.#entries.push(this.#entryOf(part));
    this.#deliver();
  }

  /**
   * Adds the last part of a call that then waits for an answer of the reader. `parts` are all parts of the call, which
   * another reader needs.
   */
  ask(id: string, parts: readonly HarnessV1StreamPart[], last: HarnessV1StreamPart): void {
    if (this.#end !== undefined) return;
    const entry = this.#entryOf(last);
    this.#awaited.set(id, { parts: parts.map(withoutCount), last: entry });
    this.#entries.push(entry);
    this.#deliver();
  }

  /** The call waits no more. */
  answered(id: string): void {
    this.#awaited.delete(id);
    if (this.#awaited.size === 0) this.#onAnswered?.();
  }

  /** Resolves when no call waits for an answer. */
  async allAnswered(): Promise<void> {
    while (this.#awaited.size > 0) {
      await new Promise<void>((resolve) => {
        this.#onAnswered = resolve;
      });
    }
  }

  /** The turn is over: it has failed with this error, or all of its parts were pushed. */
  end(end: { readonly error?: unknown } = {}): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#awaited.clear();
    this.#onAnswered?.();
    this.#deliver();
  }

  #deliver(): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    for (const entry of this.#entries.slice(this.#next)) {
      this.#next += 1;
      entry.isDelivered = true;
      this.#follow(entry.part);
      reader.emit(entry.part);
    }
    this.#joinLast();
    if (this.#end === undefined) return;
    this.#reader = undefined;
    this.#wasRead = true;
    if ("error" in this.#end) reader.reject(this.#end.error);
    else reader.resolve();
  }

  #follow(part: HarnessV1StreamPart): void {
    const { type } = part;
    if (type === "text-start" || type === "reasoning-start" || type === "tool-input-start") {
      this.#open.set(part.id, part);
    } else if (type === "text-end" || type === "reasoning-end" || type === "tool-input-end") {
      this.#open.delete(part.id);
    }
  }

  /** Joins delivered pieces of a text, so that a long turn is kept as its texts and not as their pieces. */
  #joinLast(): void {
    const [before, last] = this.#entries.slice(-2);
    if (before === undefined || last === undefined) return;
    const part = joined(before.part, last.part);
    if (part === undefined) return;
    this.#entries.splice(-2, 2, { part, isDelivered: true });
    this.#next -= 1;
  }

  /**
   * A `HarnessAgent` with `stopWhen` stops after a step, although it has read further by then. It says so by a
   * property of the part that ends the step.
   */
  #entryOf(part: HarnessV1StreamPart): Entry {
    if (part.type !== "finish-step") return { part, isDelivered: false };
    const pin = () => {
      this.#checkpoint = entry;
      // What was delivered before the checkpoint is not needed again.
      const index = this.#entries.indexOf(entry);
      this.#entries.splice(0, index);
      this.#next -= index;
      return () => {
        if (this.#checkpoint === entry) this.#checkpoint = undefined;
      };
    };
    const entry: Entry = {
      part: Object.defineProperty({ ...part }, CHECKPOINT, { value: { pin } }),
      isDelivered: false,
    };
    return entry;
  }
}

interface Entry {
  readonly part: HarnessV1StreamPart;
  isDelivered: boolean;
}

interface Awaited {
  readonly parts: readonly HarnessV1StreamPart[];
  readonly last: Entry;
}

interface Reader {
  readonly emit: (part: HarnessV1StreamPart) => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const CHECKPOINT = Symbol.for("vercel.ai.harness.sandboxChannelEventCheckpoint");

/** Two pieces of one text or input as one piece; undefined if they are something else. */
function joined(
  before: HarnessV1StreamPart,
  last: HarnessV1StreamPart,
): HarnessV1StreamPart | undefined {
  if (!isDelta(before) || !isDelta(last)) return undefined;
  if (before.type !== last.type || before.id !== last.id) return undefined;
  return { ...last, delta: before.delta + last.delta };
}

function isDelta(part: HarnessV1StreamPart): part is DeltaPart {
  const { type } = part;
  return type === "text-delta" || type === "reasoning-delta" || type === "tool-input-delta";
}

type DeltaPart = Extract<HarnessV1StreamPart, { delta: string }>;

function endOf(start: HarnessV1StreamPart): HarnessV1StreamPart {
  if (start.type === "text-start") return { type: "text-end", id: start.id };
  if (start.type === "reasoning-start") return { type: "reasoning-end", id: start.id };
  if (start.type === "tool-input-start") return { type: "tool-input-end", id: start.id };
  return start;
}

/** The number of calls in the step is wrong for a reader that sees only some of them. */
function withoutCount(part: HarnessV1StreamPart): HarnessV1StreamPart {
  if (part.type !== "tool-call") return part;
  const { stepToolCallCount: _, ...rest } = part;
  return rest;
}
