import { randomBytes } from "node:crypto";

/** An event in the log, ready to be sent. */
export interface LoggedEvent {
  readonly number: number;
  readonly kind: string;
  /** The tenant that may see the event; undefined: only an admin may. */
  readonly visibleTo: string | undefined;
  readonly session: string | undefined;
  readonly sessionId: string | undefined;
  /** The event as JSON. */
  readonly json: string;
  /** Makes the event with values that are cut less; absent if nothing was cut. */
  readonly whole?: (() => unknown) | undefined;
  /** The memory that the event keeps, in bytes. */
  readonly size: number;
}

export interface EventLogOptions {
  /**
   * How many events a client that was away can get.
   * @default 10000
   */
  readonly maxEvents?: number | undefined;
  /**
   * How much memory these events may take.
   * @default 32 MiB
   */
  readonly maxBytes?: number | undefined;
}

/**
 * The newest events of this run of the server, numbered from 1. Readers hold a number and no events, so a slow
 * reader costs nothing: it misses events and learns that it did.
 */
export class EventLog {
  /** Random for each start, so that a client notices a restart by the ids of events. */
  readonly run: string = randomBytes(4).toString("hex");
  readonly #maxEvents: number;
  readonly #maxBytes: number;
  /** The event n is at `n % maxEvents`. */
  readonly #slots: (LoggedEvent | undefined)[] = [];
  readonly #waiting = new Set<() => void>();
  #isClosed = false;
  #oldest = 1;
  #last = 0;
  #bytes = 0;

  constructor({ maxEvents = 10_000, maxBytes = 32 * 2 ** 20 }: EventLogOptions = {}) {
    this.#maxEvents = maxEvents;
    this.#maxBytes = maxBytes;
  }

  /** The number of the newest event; 0 if there is none. */
  get last(): number {
    return this.#last;
  }

  /** The number of the oldest event that is kept. */
  get oldest(): number {
    return this.#oldest;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether no event will follow. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The id of the event with this number. */
  idOf(number: number): string {
    return `${this.run}-${number}`;
  }

  /** The number in an id of this run; undefined if the id is of another run, or is no id. */
  numberOf(id: string): number | undefined {
    const [run, digits = "", ...rest] = id.split("-");
    if (run !== this.run || rest.length > 0 || !/^\d{1,15}$/.test(digits)) return undefined;
    return Number(digits);
  }

  /** Adds the next event, whose number must be `last + 1`. */
  append(event: LoggedEvent): void {
    if (this.#last - this.#oldest + 1 >= this.#maxEvents) this.#dropOldest();
    this.#last = event.number;
    this.#slots[event.number % this.#maxEvents] = event;
    this.#bytes += event.size;
    while (this.#bytes > this.#maxBytes && this.#oldest < this.#last) this.#dropOldest();
    this.#wakeReaders();
  }

  /** Ends the readers after the events so far. */
  close(): void {
    this.#isClosed = true;
    this.#wakeReaders();
  }

  /** Whether all events after this number are kept. */
  has(after: number): boolean {
    return after >= this.#oldest - 1 && after <= this.#last;
  }

  get(number: number): LoggedEvent | undefined {
    if (number < this.#oldest || number > this.#last) return undefined;
    return this.#slots[number % this.#maxEvents];
  }

  /** Calls the function at each new event, and at the end, until the returned function is called. */
  listen(wake: () => void): () => void {
    this.#waiting.add(wake);
    return () => this.#waiting.delete(wake);
  }

  #wakeReaders(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  #dropOldest(): void {
    const at = this.#oldest % this.#maxEvents;
    this.#bytes -= this.#slots[at]?.size ?? 0;
    this.#slots[at] = undefined;
    this.#oldest += 1;
  }
}
