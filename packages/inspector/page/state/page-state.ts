import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Api } from "../net/api.js";
import { listOf, nativePath } from "../net/api.js";
import type { ShownApproval, ShownRecord } from "../net/approval-shape.js";
import type { SourceInfo, WatchMessage } from "../net/watch-shape.js";
import { notify } from "./notices.js";
import { SourceState } from "./source-state.js";

/**
 * Whether the stream of the server arrives. `refused`: the token is missing or wrong. `unproven`: another server has
 * answered, and did not get the token.
 */
export type Connection = "connecting" | "open" | "lost" | "refused" | "unproven";

/** Everything that the page knows. Views read `version`, so that they are drawn again when something has changed. */
export class PageState {
  readonly api: Api;
  readonly connection: Signal<Connection> = signal<Connection>("connecting");
  /** When the next attempt to connect begins, while the connection is lost. */
  readonly retryAt: Signal<number> = signal(0);
  /** Whether the token allows answers and commands. */
  readonly canControl: Signal<boolean> = signal(false);
  readonly serverVersion: Signal<string> = signal("");
  readonly #sources = new Map<string, SourceState>();
  readonly #version = signal(0);
  #isDue = false;
  #drawnAt = 0;

  constructor(api: Api) {
    this.api = api;
  }

  get version(): ReadonlySignal<number> {
    return this.#version;
  }

  /** The sources that the server lists now. */
  get sources(): readonly SourceState[] {
    return [...this.#sources.values()].filter(({ isPresent }) => isPresent);
  }

  /** All sources that this page has seen. */
  get allSources(): readonly SourceState[] {
    return [...this.#sources.values()];
  }

  source(id: string): SourceState | undefined {
    return this.#sources.get(id);
  }

  /** A new stream tells only of sources that break from now on. */
  connected(): void {
    for (const source of this.#sources.values()) {
      source.isConnected = true;
      source.problem = undefined;
    }
  }

  take(message: WatchMessage): void {
    switch (message.type) {
      case "sources":
        this.api.keepFor(message.tabToken);
        this.canControl.value = message.canControl;
        this.serverVersion.value = message.hawser;
        this.#setSources(message.sources);
        break;
      case "event":
        this.#sources.get(message.source)?.apply(message.event);
        break;
      case "mark": {
        const source = this.#sources.get(message.source);
        if (source !== undefined) source.lastId = message.id;
        return;
      }
      case "approval": {
        const source = this.#sources.get(message.source);
        const known = source?.change(message.change);
        if (source !== undefined && known !== undefined) void this.#dropEnded(source, known);
        break;
      }
      case "connection": {
        const source = this.#sources.get(message.source);
        if (source === undefined) return;
        source.isConnected = message.isConnected;
        source.problem = message.message;
        break;
      }
    }
    this.changed();
  }

  /** Draws the views soon: at most twenty times a second, however many events arrive. */
  changed(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    const wait = Math.max(0, this.#drawnAt + FRAME_MS - performance.now());
    setTimeout(() => {
      this.#isDue = false;
      this.#drawnAt = performance.now();
      this.#version.value += 1;
    }, wait);
  }

  #setSources(infos: readonly SourceInfo[]): void {
    const before = this.sources;
    for (const source of this.#sources.values()) source.isPresent = false;
    for (const info of infos) {
      const known = this.#sources.get(info.id);
      if (known === undefined) {
        const source = new SourceState(info);
        this.#sources.set(info.id, source);
        void this.#readRecords(source);
      } else {
        known.info = info;
        known.isPresent = true;
      }
    }
    for (const source of before) if (!source.isPresent) this.#tellEnd(source.info, infos);
    // Programs that have ended never come back under the same id.
    const gone = [...this.#sources.values()].filter(({ isPresent }) => !isPresent);
    for (const { info } of gone.slice(0, -MOST_GONE)) this.#sources.delete(info.id);
  }

  /** A program that is started again has another id. The page then shows it from a new snapshot. */
  #tellEnd({ name, kind }: SourceInfo, infos: readonly SourceInfo[]): void {
    const isBack = infos.some((info) => info.name === name && info.kind === kind);
    notify("plain", isBack ? `${name} was started again.` : `${name} has ended.`);
  }

  /** Asks which questions are still open. What a new stream says itself has no end that a page could wait for. */
  async #dropEnded(source: SourceState, known: ReadonlySet<string>): Promise<void> {
    if (known.size === 0) return;
    try {
      const body = await this.api.get(nativePath(source.info.id, "/approvals"));
      const open = listOf<ShownApproval>(body, "approvals");
      source.dropEnded(known, new Set(open.map(({ id }) => id)));
      this.changed();
    } catch {
      // The connection is lost again. The next stream begins anew.
    }
  }

  /** The answers of the time before this page was opened. */
  async #readRecords(source: SourceState): Promise<void> {
    try {
      const path = nativePath(source.info.id, "/approvals/records?limit=100");
      source.addRecords(listOf<ShownRecord>(await this.api.get(path), "records"));
      this.changed();
    } catch {
      // The list of earlier answers stays shorter; new answers arrive by the stream.
    }
  }
}

const FRAME_MS = 50;
const MOST_GONE = 20;
