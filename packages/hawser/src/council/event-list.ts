/** Events that any number of readers read from the first one on. */
export class EventList<Event> implements AsyncIterable<Event> {
  readonly #events: Event[] = [];
  #state: "open" | "ended" | { readonly error: unknown } = "open";
  #changed: () => void = () => {};
  #change: Promise<void> = this.#nextChange();

  get length(): number {
    return this.#events.length;
  }

  add(event: Event): void {
    this.#events.push(event);
    this.#tell();
  }

  end(): void {
    this.#state = "ended";
    this.#tell();
  }

  /** Readers get the error after the last event. */
  fail(error: unknown): void {
    this.#state = { error };
    this.#tell();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, undefined> {
    for (let index = 0; ; index += 1) {
      while (index >= this.#events.length) {
        if (this.#state === "ended") return;
        if (this.#state !== "open") throw this.#state.error;
        await this.#change;
      }
      yield this.#events[index] as Event;
    }
  }

  #tell(): void {
    this.#changed();
    this.#change = this.#nextChange();
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#changed = resolve;
    });
  }
}
