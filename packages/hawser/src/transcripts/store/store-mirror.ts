import { HawserError, isHawserError, textOf } from "../../base/index.js";
import type { SessionKey, SessionStore, SessionStoreEntry } from "../../options/index.js";
import type { JsonObject } from "../../wire/index.js";
import { within } from "../deadline.js";
import { mirrorKey } from "../mirror-key.js";

export interface StoreMirrorOptions {
  /** `batched`: what is pending goes at `flush()`; `eager`: each call of `add()` goes at once. */
  readonly flush: "batched" | "eager";
  /** `<configuration of the CLI>/projects`. */
  readonly projectsDir: string;
  /** A batch that the store did not take, after some attempts; it is dropped. */
  onError(error: HawserError, key: SessionKey | undefined): void;
}

interface Batch {
  readonly key: SessionKey;
  readonly entries: SessionStoreEntry[];
}

/**
 * Brings the CLI's `transcript_mirror` lines to a store, one `append` after the other in the order
 * of the lines. Nothing here throws or waits in the face of the reader.
 */
export class StoreMirror {
  readonly #store: SessionStore;
  readonly #options: StoreMirrorOptions;
  #pending: Batch[] = [];
  #pendingBytes = 0;
  #sent: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(store: SessionStore, options: StoreMirrorOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** One line of the CLI. */
  add(filePath: string, entries: readonly JsonObject[]): void {
    const key = mirrorKey(this.#options.projectsDir, filePath);
    if (key === undefined || this.#closed) {
      const why = this.#closed ? "it is closed" : "it is no transcript";
      this.#report(
        new HawserError("protocol_error", `Not mirrored, since ${why}: ${filePath}`),
        key,
      );
      return;
    }
    // Without this, lines with no entries for ever new transcripts would pile up batches.
    if (entries.length === 0) return;
    const added = entries as readonly SessionStoreEntry[];
    const open = this.#options.flush === "batched" ? this.#pendingOf(key) : undefined;
    if (open === undefined) this.#pending.push({ key, entries: [...added] });
    else for (const entry of added) open.entries.push(entry);
    this.#pendingBytes += JSON.stringify(entries).length;
    if (this.#options.flush === "eager" || this.#isFull()) this.#send();
  }

  /** Resolves when the store has taken, or refused, all that was added. To be called at a result. */
  async flush(): Promise<void> {
    this.#send();
    await this.#sent;
  }

  /** Flushes; what is added afterwards is not mirrored. To be called when the CLI has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.flush();
  }

  #pendingOf({ projectKey, sessionId, subpath }: SessionKey): Batch | undefined {
    return this.#pending.find(
      ({ key }) =>
        key.projectKey === projectKey && key.sessionId === sessionId && key.subpath === subpath,
    );
  }

  #isFull(): boolean {
    const count = this.#pending.reduce((sum, { entries }) => sum + entries.length, 0);
    return count >= MAX_ENTRIES || this.#pendingBytes >= MAX_CHARACTERS;
  }

  #send(): void {
    const batches = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    if (batches.length === 0) return;
    this.#sent = this.#sent.then(async () => {
      for (const batch of batches) await this.#append(batch);
    });
  }

  async #append({ key, entries }: Batch): Promise<void> {
    for (const [attempt, delayMs] of RETRY_DELAYS_MS.entries()) {
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
      try {
        const taken = Promise.resolve(this.#store.append({ ...key }, entries));
        await within(taken, APPEND_TIMEOUT_MS, "The session store's append()");
        return;
      } catch (cause) {
        // A call that has not come back may still land: another one would write it twice.
        const isLast = attempt === RETRY_DELAYS_MS.length - 1 || isHawserError(cause, "timeout");
        if (isLast) return this.#report(refusal(cause, key), key);
      }
    }
  }

  #report(error: HawserError, key: SessionKey | undefined): void {
    try {
      this.#options.onError(error, key);
    } catch {
      // A report that fails has nowhere to be reported to, and the reader must go on.
    }
  }
}

/** Before each attempt. */
const RETRY_DELAYS_MS = [0, 200, 800];
const APPEND_TIMEOUT_MS = 60_000;
const MAX_ENTRIES = 500;
const MAX_CHARACTERS = 1024 * 1024;

function refusal(cause: unknown, { sessionId }: SessionKey): HawserError {
  if (isHawserError(cause, "timeout")) return cause;
  const why = textOf(cause);
  return new HawserError("control_error", why, {
    cause,
    sessionId,
    hint: "The session store's append() failed; the CLI's own transcript is complete.",
  });
}
