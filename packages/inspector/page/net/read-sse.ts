/** One event of a stream of server-sent events. */
export interface SseEvent {
  readonly id: string | undefined;
  readonly data: string;
}

/** Reads server-sent events. `fetch` is used because an `EventSource` cannot send a token. */
export async function* readSse(body: ReadableStream<Uint8Array>): AsyncGenerator<SseEvent[], void> {
  const framer = new SseFramer();
  const reader = body.pipeThrough(new TextDecoderStream() as never).getReader();
  try {
    for (;;) {
      const { done, value } = (await reader.read()) as ReadableStreamReadResult<string>;
      if (done) return;
      yield framer.push(value);
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}

/** Cuts a text that arrives in pieces into events. Any split of the text gives the same events. */
export class SseFramer {
  #rest = "";
  #id: string | undefined;
  #data: string[] = [];

  push(piece: string): SseEvent[] {
    const lines = (this.#rest + piece).split("\n");
    this.#rest = lines.pop() ?? "";
    const events: SseEvent[] = [];
    for (const line of lines) this.#take(line.endsWith("\r") ? line.slice(0, -1) : line, events);
    return events;
  }

  #take(line: string, events: SseEvent[]): void {
    if (line === "") {
      if (this.#data.length > 0) events.push({ id: this.#id, data: this.#data.join("\n") });
      this.#data = [];
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") this.#data.push(value);
    else if (name === "id") this.#id = value;
  }
}
