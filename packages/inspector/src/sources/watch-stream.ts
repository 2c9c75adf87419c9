import type { ReadableStreamDefaultController, UnderlyingSource } from "node:stream/web";
import type { Source, Sources } from "./source.js";
import { SourceFollower } from "./source-follower.js";

export interface WatchOptions {
  readonly sources: Sources;
  /** The facts about the sources, for the first message and at every change. */
  readonly facts: () => object;
  /** Opens a stream of a source. */
  readonly open: (
    source: Source,
    path: string,
    headers: Headers,
    signal: AbortSignal,
  ) => Promise<Response>;
  /** The last event that the client has, by source. */
  readonly after: ReadonlyMap<string, string>;
  readonly heartbeatMs: number;
  readonly signals: readonly AbortSignal[];
}

/**
 * Everything that happens in all sources, as one stream of server-sent events: a browser opens few connections to one
 * server, and all tabs share them. If the client does not read, the sources are not read either, so that memory
 * stays bounded. A client that does not read for long is left.
 */
export class WatchStream implements UnderlyingSource<Uint8Array> {
  readonly #options: WatchOptions;
  readonly #encoder = new TextEncoder();
  readonly #followers = new Map<string, SourceFollower>();
  /** The last event that the client has, of sources that are gone. They may come back. */
  readonly #after: Map<string, string>;
  readonly #waiting = new Set<() => void>();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Whether the client does not have the newest facts about the sources. */
  #owesFacts = false;
  /** How many signs of life had no room, one after the other. */
  #missedBeats = 0;
  #end: () => void = () => {};

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#after = new Map(options.after);
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const { sources, heartbeatMs, signals } = this.#options;
    this.#controller = controller;
    const stopListening = sources.listen(() => this.#onSources());
    const timer = setInterval(() => this.#beat(onAbort), heartbeatMs).unref();
    this.#end = () => {
      this.#end = () => {};
      this.#controller = undefined;
      stopListening();
      clearInterval(timer);
      for (const signal of signals) signal.removeEventListener("abort", onAbort);
      for (const follower of this.#followers.values()) follower.stop();
      this.#wake();
    };
    const onAbort = () => {
      this.#end();
      controller.close();
    };
    for (const signal of signals) signal.addEventListener("abort", onAbort, { once: true });
    this.#write("retry: 1000\n\n");
    this.#onSources();
    if (signals.some(({ aborted }) => aborted)) onAbort();
  }

  pull(): void {
    this.#missedBeats = 0;
    this.#sendFacts();
    this.#wake();
  }

  /** The client is gone. */
  cancel(): void {
    this.#end();
  }

  /** A sign of life. It shows that the server lives, and that the client reads. */
  #beat(leave: () => void): void {
    if (this.#hasRoom()) this.#write(": keep-alive\n\n");
    else {
      this.#missedBeats += 1;
      if (this.#missedBeats >= MOST_MISSED) leave();
    }
  }

  #onSources(): void {
    const { sources, open } = this.#options;
    this.#owesFacts = true;
    this.#sendFacts();
    const now = new Map(sources.list().map((source) => [source.info.id, source]));
    for (const [id, follower] of this.#followers) {
      if (now.has(id)) continue;
      follower.stop();
      this.#followers.delete(id);
      if (follower.lastEvent !== undefined) this.#after.set(id, follower.lastEvent);
    }
    for (const [id, source] of now) {
      if (this.#followers.has(id)) continue;
      const follower = new SourceFollower({
        open: (path, headers, signal) => open(source, path, headers, signal),
        after: this.#after.get(id),
        send: (message, signal) => this.#sendOf(id, message, signal),
      });
      this.#followers.set(id, follower);
      follower.start();
    }
  }

  /** Before any event of a new source, because a client knows only the sources that it was told of. */
  #sendFacts(): void {
    if (!this.#owesFacts || !this.#hasRoom()) return;
    this.#owesFacts = false;
    this.#send({ type: "sources", ...this.#options.facts() });
  }

  /** Resolves to true when the client has the message, and to false if the source is gone before. */
  async #sendOf(
    source: string,
    { type, ...rest }: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<boolean> {
    while (this.#controller !== undefined && !this.#hasRoom() && !signal.aborted) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
      this.#sendFacts();
    }
    if (this.#controller === undefined || signal.aborted) return false;
    this.#send({ type, source, ...rest });
    return true;
  }

  #hasRoom(): boolean {
    return (this.#controller?.desiredSize ?? 0) > 0;
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }

  #send(message: object): void {
    this.#write(`data: ${JSON.stringify(message)}\n\n`);
  }

  #write(text: string): void {
    this.#controller?.enqueue(this.#encoder.encode(text));
  }
}

/** After this many signs of life that had no room, a client is left. It connects again, and misses nothing. */
const MOST_MISSED = 8;

/** How many bytes wait for a client that does not read. */
export const WATCH_BUFFER: QueuingStrategy<Uint8Array> = {
  highWaterMark: 256 * 1024,
  size: (chunk) => chunk?.byteLength ?? 0,
};
