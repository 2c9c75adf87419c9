import {
  type Attributes,
  type Context,
  type Span,
  type SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";

/** How a span begins. */
export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  /** By the clock of the events of Hawser. */
  readonly at: number;
  readonly parent: Context;
  readonly attributes: Attributes;
  /** The open span above, if it is one of this package. Its clock is used. */
  readonly above?: OpenSpan | undefined;
}

/** A span that has not ended. */
export class OpenSpan {
  readonly span: Span;
  /** The context with this span, for its children. */
  readonly context: Context;
  readonly startedAt: number;
  /** What is added to the times of events, because their clock can differ from the clock of other spans. */
  readonly shiftMs: number;
  readonly #owner: OpenSpans;

  constructor(owner: OpenSpans, span: Span, parent: Context, at: number, shiftMs: number) {
    this.#owner = owner;
    this.span = span;
    this.context = trace.setSpan(parent, span);
    this.startedAt = at;
    this.shiftMs = shiftMs;
  }

  set(attributes: Attributes): void {
    this.span.setAttributes(attributes);
  }

  addEvent(name: string, at: number, attributes: Attributes): void {
    this.span.addEvent(name, attributes, at + this.shiftMs);
  }

  fail(message?: string): void {
    if (!this.span.isRecording()) return;
    this.span.setStatus({
      code: SpanStatusCode.ERROR,
      ...(message === undefined ? {} : { message }),
    });
  }

  /** Does nothing if the span has ended. */
  end(at: number): void {
    if (this.#owner.remove(this)) this.span.end(Math.max(at, this.startedAt) + this.shiftMs);
  }
}

/**
 * The spans that have not ended, the oldest first. There is a limit: beyond it the oldest span ends as `lost`, so
 * that memory stays bounded even if an end is never published.
 */
export class OpenSpans {
  readonly #tracer: Tracer;
  readonly #limit: number;
  readonly #lost: Attributes;
  readonly #open = new Set<OpenSpan>();

  constructor(tracer: Tracer, limit: number, lost: Attributes) {
    this.#tracer = tracer;
    this.#limit = limit;
    this.#lost = lost;
  }

  get size(): number {
    return this.#open.size;
  }

  start({ name, kind, at, parent, attributes, above }: SpanStart): OpenSpan {
    const shiftMs = above?.shiftMs ?? clockShift();
    const span = this.#tracer.startSpan(
      name,
      { kind, attributes, startTime: at + shiftMs },
      parent,
    );
    const open = new OpenSpan(this, span, parent, at, shiftMs);
    this.#open.add(open);
    if (this.#open.size > this.#limit) this.#loseOldest();
    return open;
  }

  /** Whether the span was open. */
  remove(open: OpenSpan): boolean {
    return this.#open.delete(open);
  }

  /** Ends a span whose own end was not seen. */
  lose(open: OpenSpan): void {
    if (!this.#open.has(open)) return;
    open.set(this.#lost);
    open.end(eventNow());
  }

  /** Ends all spans, the innermost first. */
  loseAll(): void {
    for (const open of [...this.#open].reverse()) this.lose(open);
  }

  #loseOldest(): void {
    const [oldest] = this.#open;
    if (oldest !== undefined) this.lose(oldest);
  }
}

/** Now, by the clock of the events of Hawser. */
export function eventNow(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * The clock of the events never goes back, so it does not follow corrections of the system's clock, and it stands
 * still while the machine sleeps. Other spans use the system's clock. A small difference is left alone, because the
 * system's clock is only read in whole milliseconds.
 */
function clockShift(): number {
  const shiftMs = Date.now() - eventNow();
  return Math.abs(shiftMs) < SMALL_SHIFT_MS ? 0 : shiftMs;
}

const SMALL_SHIFT_MS = 20;
