import { readSse, type SseMessage } from "../../src/http/read-sse.js";

/** Reads server-sent events of a response, and keeps all that have arrived. */
export class SseReader {
  readonly seen: SseMessage[] = [];
  readonly #messages: AsyncIterator<SseMessage>;
  readonly #leave: AbortController;

  static async open(url: string, headers: Record<string, string> = {}): Promise<SseReader> {
    const leave = new AbortController();
    const response = await fetch(url, { headers, signal: leave.signal });
    if (response.status !== 200 || response.body === null) {
      throw new Error(`${response.status}: ${await response.text()}`);
    }
    return new SseReader(response.body as ReadableStream<Uint8Array>, leave);
  }

  private constructor(body: ReadableStream<Uint8Array>, leave: AbortController) {
    this.#messages = readSse(body)[Symbol.asyncIterator]();
    this.#leave = leave;
  }

  /** The data of the first message from this position on that fits. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field.
  async until(fits: (data: any) => boolean, from: number = this.seen.length): Promise<any> {
    for (let at = from; ; at += 1) {
      while (this.seen.length <= at) await this.#read();
      const { data } = this.seen[at] as SseMessage;
      if (data === undefined) continue;
      const value: unknown = JSON.parse(data);
      if (fits(value)) return value;
    }
  }

  leave(): void {
    this.#leave.abort();
  }

  async #read(): Promise<void> {
    const { done, value } = await this.#messages.next();
    if (done === true) throw new Error("The stream has ended.");
    this.seen.push(value);
  }
}
