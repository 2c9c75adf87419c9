import { sep } from "node:path";
import { HawserError, isHawserError, textOf, withTimeout } from "../../base/index.js";
import type { SessionKey, SessionStore, SessionStoreEntry } from "../../options/index.js";
import type { JsonObject } from "../../wire/index.js";
import { storeTimeout } from "../storage-error.js";

export interface StoreMirrorOptions {
  /** `batched`: pending entries are sent at `flush()`. `eager`: each `add()` sends at once. */
  readonly flush: "batched" | "eager";
  /** `<configuration of the CLI>/projects`. */
  readonly projectsDir: string;
  /** The store has refused a batch in every attempt. The batch is dropped. */
  onError(error: HawserError, key: SessionKey | undefined): void;
}

interface Batch {
  readonly key: SessionKey;
  readonly entries: SessionStoreEntry[];
}

/**
 * Copies the CLI's `transcript_mirror` lines to a store, with one `append` after the other in the
 * order of the lines. `add()` neither throws nor waits, because the read loop calls it.
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

  /** Takes one line of the CLI. */
  add(filePath: string, entries: readonly JsonObject[]): void {
    const key = keyOfTranscriptPath(this.#options.projectsDir, filePath);
    if (key === undefined || this.#closed) {
      const why = this.#closed ? "the mirror is closed" : "the file is not a transcript";
      this.#report(
        new HawserError("protocol_error", `Not mirrored, because ${why}: ${filePath}`),
        key,
      );
      return;
    }
    // Otherwise lines without entries, each for another transcript, would pile up batches.
    if (entries.length === 0) return;
    const added = entries as readonly SessionStoreEntry[];
    const open = this.#options.flush === "batched" ? this.#pendingOf(key) : undefined;
    if (open === undefined) this.#pending.push({ key, entries: [...added] });
    else for (const entry of added) open.entries.push(entry);
    this.#pendingBytes += JSON.stringify(entries).length;
    if (this.#options.flush === "eager" || this.#isFull()) this.#send();
  }

  /** Resolves when the store has taken or refused all added entries. Call it at a result. */
  async flush(): Promise<void> {
    this.#send();
    await this.#sent;
  }

  /** Flushes. Later entries are not mirrored. Call it when the CLI has ended. */
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
        await withTimeout(taken, APPEND_TIMEOUT_MS, () => {
          throw storeTimeout("The session store's append()", APPEND_TIMEOUT_MS);
        });
        return;
      } catch (cause) {
        // A call that timed out may still succeed. Another attempt would write the entries twice.
        const isLast = attempt === RETRY_DELAYS_MS.length - 1 || isHawserError(cause, "timeout");
        if (isLast) return this.#report(appendError(cause, key), key);
      }
    }
  }

  #report(error: HawserError, key: SessionKey | undefined): void {
    try {
      this.#options.onError(error, key);
    } catch {
      // A failed report cannot be reported, and the read loop must go on.
    }
  }
}

/** The delay before each attempt. */
const RETRY_DELAYS_MS = [0, 200, 800];
const APPEND_TIMEOUT_MS = 60_000;
const MAX_ENTRIES = 500;
const MAX_CHARACTERS = 1024 * 1024;

function appendError(cause: unknown, { sessionId }: SessionKey): HawserError {
  if (isHawserError(cause, "timeout")) return cause;
  const why = textOf(cause);
  return new HawserError("control_error", why, {
    cause,
    sessionId,
    hint: "The session store's append() failed; the CLI's own transcript is complete.",
  });
}

/** The key of the transcript at a path; undefined if the path is not that of a transcript. */
function keyOfTranscriptPath(projectsDir: string, filePath: string): SessionKey | undefined {
  const [projectKey, session, ...rest] = partsBelow(projectsDir, filePath);
  if (!projectKey || !session) return undefined;
  if (rest.length === 0) {
    const sessionId = session.endsWith(ENDING) ? session.slice(0, -ENDING.length) : "";
    return sessionId === "" ? undefined : { projectKey, sessionId };
  }
  const subpath = rest.join("/").replace(/(?:\.meta\.json|\.jsonl)$/, "");
  return { projectKey, sessionId: session, subpath };
}

const ENDING = ".jsonl";

function partsBelow(projectsDir: string, filePath: string): string[] {
  const root = projectsDir.endsWith(sep) ? projectsDir : projectsDir + sep;
  if (filePath.startsWith(root)) return filePath.slice(root.length).split(sep);
  // The CLI resolves links, so it may know the same folder by another path.
  const parts = filePath.split(sep);
  const at = parts.lastIndexOf("projects");
  return at < 0 ? [] : parts.slice(at + 1);
}
