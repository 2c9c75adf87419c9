import type { ResponseStore, StoredResponse } from "./response-store.js";

export interface MemoryResponseStoreOptions {
  /** How many responses are kept, of all tenants together. @default 10_000 */
  readonly maxEntries?: number;
  /** How many bytes of JSON are kept. A response that is larger is not kept at all. @default 256 MiB */
  readonly maxBytes?: number;
  /** How long a response is kept after it was put. @default 24 hours */
  readonly ttlMs?: number;
}

/**
 * Keeps responses in the memory of this process. They are gone when it ends. If there is no room, the tenant that
 * uses the most loses the response that it has not used for the longest time. So no tenant can push out the
 * responses of a tenant that uses less, and a tenant alone may use all of the room.
 */
export function memoryResponseStore(options: MemoryResponseStoreOptions = {}): ResponseStore {
  return new MemoryResponseStore(options);
}

class MemoryResponseStore implements ResponseStore {
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  readonly #ttlMs: number;
  readonly #shelves = new Map<string, Shelf>();
  #entries = 0;
  #bytes = 0;

  constructor({ maxEntries, maxBytes, ttlMs }: MemoryResponseStoreOptions) {
    this.#maxEntries = maxEntries ?? 10_000;
    this.#maxBytes = maxBytes ?? 256 * 1024 * 1024;
    this.#ttlMs = ttlMs ?? 24 * 60 * 60 * 1000;
  }

  async get(tenant: string, id: string): Promise<StoredResponse | undefined> {
    const entry = this.#remove(tenant, id);
    if (entry === undefined || entry.expiresAt <= Date.now()) return undefined;
    this.#add(tenant, id, entry);
    return entry.response;
  }

  async put(tenant: string, id: string, response: StoredResponse): Promise<void> {
    this.#remove(tenant, id);
    const bytes = Buffer.byteLength(JSON.stringify(response));
    if (bytes > this.#maxBytes) return;
    this.#add(tenant, id, { response, bytes, expiresAt: Date.now() + this.#ttlMs });
    this.#makeRoom();
  }

  async delete(tenant: string, id: string): Promise<boolean> {
    const entry = this.#remove(tenant, id);
    return entry !== undefined && entry.expiresAt > Date.now();
  }

  #add(tenant: string, id: string, entry: Entry): void {
    const shelf = this.#shelves.get(tenant) ?? { tenant, entries: new Map(), bytes: 0 };
    this.#shelves.set(tenant, shelf);
    shelf.entries.set(id, entry);
    shelf.bytes += entry.bytes;
    this.#entries += 1;
    this.#bytes += entry.bytes;
  }

  #remove(tenant: string, id: string): Entry | undefined {
    const shelf = this.#shelves.get(tenant);
    const entry = shelf?.entries.get(id);
    if (shelf === undefined || entry === undefined) return undefined;
    shelf.entries.delete(id);
    shelf.bytes -= entry.bytes;
    if (shelf.entries.size === 0) this.#shelves.delete(tenant);
    this.#entries -= 1;
    this.#bytes -= entry.bytes;
    return entry;
  }

  #makeRoom(): void {
    while (this.#entries > this.#maxEntries) this.#dropOldestOf(({ entries }) => entries.size);
    while (this.#bytes > this.#maxBytes) this.#dropOldestOf(({ bytes }) => bytes);
  }

  /** Drops the oldest response of the tenant that uses the most. */
  #dropOldestOf(use: (shelf: Shelf) => number): void {
    let largest: Shelf | undefined;
    for (const shelf of this.#shelves.values()) {
      if (largest === undefined || use(shelf) > use(largest)) largest = shelf;
    }
    const [oldest] = largest?.entries.keys() ?? [];
    if (largest !== undefined && oldest !== undefined) this.#remove(largest.tenant, oldest);
  }
}

/** The responses of one tenant. */
interface Shelf {
  readonly tenant: string;
  /** By id, in the order of use. */
  readonly entries: Map<string, Entry>;
  bytes: number;
}

interface Entry {
  readonly response: StoredResponse;
  readonly bytes: number;
  readonly expiresAt: number;
}
