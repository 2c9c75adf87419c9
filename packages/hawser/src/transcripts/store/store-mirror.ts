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
  /** The key of the project in the store, if it is not the name of the CLI's folder below `projectsDir`. */
  readonly projectKey?: string | undefined;
  /**
   * `report`: a batch that the store refuses is dropped, and the next one is appended. `end`: nothing is
   * appended after a refused batch, so that the transcript in the store has no gap.
   */
  readonly onFailure: "report" | "end";
  /** The store has refused a batch, in every attempt. */
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
  /** Whether nothing more is appended, because the store has refused a batch. */
  #refused = false;

  constructor(store: SessionStore, options: StoreMirrorOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Takes one line of the CLI. */
  add(filePath: string, entries: readonly JsonObject[]): void {
    const key = this.#keyOf(filePath);
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

  #keyOf(filePath: string): SessionKey | undefined {
    const { projectsDir, projectKey } = this.#options;
    const key = keyOfTranscriptPath(projectsDir, filePath);
    return key === undefined || projectKey === undefined ? key : { ...key, projectKey };
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
    if (this.#refused) return;
    for (const [attempt, delayMs] of RETRY_DELAYS_MS.entries()) {
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
      try {
        const taken = Promise.resolve(this.#store.append({ ...key }, entries));
        await withTimeout(taken, APPEND_TIMEOUT_MS, () => {
          throw storeTimeout("The session store's append()", APPEND_TIMEOUT_MS);
        });
        return;
      } catch (cause) {
        if (attempt < RETRY_DELAYS_MS.length - 1 && mayTryAgain(cause)) continue;
        this.#refused = this.#options.onFailure === "end";
        this.#report(appendError(cause, key), key);
        return;
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

/** A call that timed out may still succeed. Another attempt would write the entries twice. */
function mayTryAgain(cause: unknown): boolean {
  return !isHawserError(cause) || (cause.retryable && cause.code !== "timeout");
}

/** A typed error of the store stays what it is, so that its code can be told from other failures. */
function appendError(cause: unknown, { sessionId }: SessionKey): HawserError {
  if (isHawserError(cause)) return cause.withMissing({ sessionId });
  return new HawserError("storage_failed", textOf(cause), {
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
