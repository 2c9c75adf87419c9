import { RequestError } from "../errors/request-error.js";

/**
 * Counts the bytes of bodies that are in memory, from the first byte of a body until its request has ended. A body is
 * read before its request can be admitted, so without this a tenant could fill the memory with bodies, whatever its
 * limits are.
 */
export class BodyMemory {
  /** By tenant. */
  readonly #counted = new Map<string, number>();
  #all = 0;

  /** The body of one request. `limit` is for the bodies of all tenants; one tenant may use half of it. */
  hold(tenant: string, limit: number): HeldBody {
    return new HeldBody(tenant, limit, this);
  }

  /** What is counted of a tenant, or of all tenants. */
  counted(tenant?: string): number {
    return tenant === undefined ? this.#all : (this.#counted.get(tenant) ?? 0);
  }

  change(tenant: string, bytes: number): void {
    this.#all += bytes;
    const counted = this.counted(tenant) + bytes;
    if (counted > 0) this.#counted.set(tenant, counted);
    else this.#counted.delete(tenant);
  }
}

/** A body that is being read, or was read and is still in memory. */
export class HeldBody {
  readonly #tenant: string;
  readonly #limit: number;
  readonly #memory: BodyMemory;
  #size = 0;
  #counted = 0;

  constructor(tenant: string, limit: number, memory: BodyMemory) {
    this.#tenant = tenant;
    this.#limit = limit;
    this.#memory = memory;
  }

  /**
   * Counts a piece that has arrived. Throws `rate_limit_exceeded` if the bodies of the tenant are too large
   * together, and `busy` if those of all tenants are. One body alone is never refused, because it has its own limit.
   */
  add(bytes: number): void {
    this.#size += bytes;
    const more = Math.max(0, this.#size - FREE) - this.#counted;
    if (more === 0) return;
    this.#refuseTooMuch(more, this.#tenant);
    this.#refuseTooMuch(more);
    this.#counted += more;
    this.#memory.change(this.#tenant, more);
  }

  release(): void {
    this.#memory.change(this.#tenant, -this.#counted);
    this.#counted = 0;
  }

  #refuseTooMuch(more: number, tenant?: string): void {
    const counted = this.#memory.counted(tenant);
    const limit = tenant === undefined ? this.#limit : this.#limit / 2;
    const hasOthers = counted > this.#counted;
    if (!hasOthers || counted + more <= limit) return;
    const facts = { retryAfterMs: RETRY_MS };
    if (tenant === undefined) {
      const message = "The server holds too many large bodies. Send the request again.";
      throw new RequestError("busy", message, facts);
    }
    const message = `Tenant "${tenant}" sends too many large bodies at the same time. Send the request again when others have ended.`;
    throw new RequestError("rate_limit_exceeded", message, facts);
  }
}

/**
 * The beginning of each body is not counted, so that small requests, such as a cancellation, always get through.
 * The number of connections limits how many there are.
 */
const FREE = 65_536;

const RETRY_MS = 1000;
