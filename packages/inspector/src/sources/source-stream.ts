import type { ReadableStreamDefaultController, UnderlyingSource } from "node:stream/web";
import type { Sources } from "./source.js";

export interface SourceStreamOptions {
  readonly sources: Sources;
  /** The data of one event. */
  readonly data: () => object;
  readonly heartbeatMs: number;
  readonly signals: readonly AbortSignal[];
}

/**
 * The list of sources as server-sent events: at once, and at every change. A client that does not read gets the newest
 * list when it reads again.
 */
export class SourceStream implements UnderlyingSource<Uint8Array> {
  readonly #options: SourceStreamOptions;
  readonly #encoder = new TextEncoder();
  #tell: () => void = () => {};
  #stop: () => void = () => {};

  constructor(options: SourceStreamOptions) {
    this.#options = options;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const { sources, data, heartbeatMs, signals } = this.#options;
    const hasRoom = () => (controller.desiredSize ?? 0) > 0;
    const send = (text: string) => controller.enqueue(this.#encoder.encode(text));
    let last = "";
    this.#tell = () => {
      if (!hasRoom()) return;
      const text = JSON.stringify(data());
      if (text !== last) send(`data: ${text}\n\n`);
      last = text;
    };
    const stopListening = sources.listen(() => this.#tell());
    const timer = setInterval(() => {
      if (hasRoom()) send(": keep-alive\n\n");
    }, heartbeatMs).unref();
    const end = () => {
      this.#stop();
      controller.close();
    };
    this.#stop = () => {
      this.#stop = () => {};
      this.#tell = () => {};
      stopListening();
      clearInterval(timer);
      for (const signal of signals) signal.removeEventListener("abort", end);
    };
    for (const signal of signals) signal.addEventListener("abort", end, { once: true });
    send("retry: 1000\n\n");
    if (signals.some(({ aborted }) => aborted)) end();
  }

  /** There is room for the newest list. */
  pull(): void {
    this.#tell();
  }

  /** The client is gone. */
  cancel(): void {
    this.#stop();
  }
}
