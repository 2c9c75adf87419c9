import { createPool, HawserError, type Pool, type PoolOptions } from "hawser";

/** The pool of a provider: the one that it was given, or one of its own that is made when it is first needed. */
export class PoolSource {
  readonly #given: Pool | undefined;
  readonly #options: PoolOptions | undefined;
  #own: Pool | undefined;
  #isClosed = false;

  constructor(given: Pool | undefined, options: PoolOptions | undefined) {
    this.#given = given;
    this.#options = options;
  }

  /** Throws `pool_closed` after `close()`. */
  pool(): Pool {
    if (this.#isClosed) {
      throw new HawserError("pool_closed", "The provider was closed.", {
        hint: "Make another one with `createHawser()`.",
      });
    }
    if (this.#given !== undefined) return this.#given;
    this.#own ??= createPool(this.#options);
    return this.#own;
  }

  /** Closes the provider's own pool. A pool that was given belongs to its caller. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#own?.close();
  }
}
