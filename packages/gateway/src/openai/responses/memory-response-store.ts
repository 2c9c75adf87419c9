import type { ResponseStore, StoredResponse } from "./response-store.js";

export interface MemoryResponseStoreOptions {
  /** How many responses are kept; the ones that were not used for the longest time go first. @default 10_000 */
  readonly maxEntries?: number;
  /** How many bytes of JSON are kept. A response that is larger is not kept at all. @default 256 MiB */
  readonly maxBytes?: number;
  /** How long a response is kept after it was put. @default 24 hours */
  readonly ttlMs?: number;
}

/** Keeps responses in the memory of this process. They are gone when it ends. */
export function memoryResponseStore(options: MemoryResponseStoreOptions = {}): ResponseStore {
  return new MemoryResponseStore(options);
}

interface Entry {
  readonly response: StoredResponse;
  readonly bytes: number;
  readonly expiresAt: number;
}

class MemoryResponseStore implements ResponseStore {
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  readonly #ttlMs: number;
  /** In the order of use. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor({ maxEntries, maxBytes, ttlMs }: MemoryResponseStoreOptions) {
    this.#maxEntries = maxEntries ?? 10_000;
    this.#maxBytes = maxBytes ?? 256 * 1024 * 1024;
    this.#ttlMs = ttlMs ?? 24 * 60 * 60 * 1000;
  }

  async get(tenant: string, id: string): Promise<StoredResponse | undefined> {
    const key = keyOf(tenant, id);
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#remove(key);
    if (entry.expiresAt <= Date.now()) return undefined;
    this.#add(key, entry);
    return entry.response;
  }

  async put(tenant: string, id: string, response: StoredResponse): Promise<void> {
    const key = keyOf(tenant, id);
    this.#remove(key);
    const bytes = Buffer.byteLength(JSON.stringify(response));
    if (bytes > this.#maxBytes) return;
    this.#add(key, { response, bytes, expiresAt: Date.now() + this.#ttlMs });
    this.#evict();
  }

  async delete(tenant: string, id: string): Promise<boolean> {
    const response = await this.get(tenant, id);
    this.#remove(keyOf(tenant, id));
    return response !== undefined;
  }

  #add(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
  }

  #remove(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }

  #evict(): void {
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries && this.#bytes <= this.#maxBytes) return;
      this.#remove(key);
    }
  }
}

/** JSON, because a name or an id may hold any separator. */
function keyOf(tenant: string, id: string): string {
  return JSON.stringify([tenant, id]);
}
