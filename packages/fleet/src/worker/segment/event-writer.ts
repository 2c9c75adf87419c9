import type { RunEventBody } from "../../runs/run.js";

/** Writes events to the database. Rejects when the segment must end. */
export type WriteEvents = (events: readonly RunEventBody[]) => Promise<void>;

/**
 * The events of a segment, written in order. Text is joined to one event each 200 ms. Text that is not written when
 * its message is whole is dropped, because the message has it.
 */
export class EventWriter {
  readonly #write: WriteEvents;
  readonly #onFailure: (error: unknown) => void;
  #pending: RunEventBody[] = [];
  #text = "";
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #failed = false;

  /** `onFailure` is called once. No event is written after it. */
  constructor(write: WriteEvents, onFailure: (error: unknown) => void) {
    this.#write = write;
    this.#onFailure = onFailure;
  }

  add(event: RunEventBody): void {
    this.#pending.push(event);
    this.#send();
  }

  addText(text: string): void {
    this.#text += text;
    this.#timer ??= setTimeout(() => this.#flushText(), TEXT_INTERVAL_MS);
  }

  /** A whole message of the main thread: its text need not be written in pieces any more. */
  addMessage(message: unknown): void {
    this.#text = "";
    this.add({ type: "message", message });
  }

  /** Resolves when everything is written, or cannot be. */
  async close(): Promise<void> {
    this.#flushText();
    while (this.#writing !== undefined) await this.#writing;
  }

  #flushText(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#text === "") return;
    const text = this.#text;
    this.#text = "";
    this.add({ type: "text", text });
  }

  #send(): void {
    if (this.#failed) this.#pending = [];
    if (this.#writing !== undefined || this.#pending.length === 0) return;
    const events = this.#pending;
    this.#pending = [];
    this.#writing = this.#write(events)
      .catch((error: unknown) => {
        this.#failed = true;
        this.#onFailure(error);
      })
      .then(() => {
        this.#writing = undefined;
        this.#send();
      });
  }
}

const TEXT_INTERVAL_MS = 200;
