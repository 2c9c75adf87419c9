import { createPool, type Isolation, type Pool, type PoolOptions } from "hawser";

/** The pool of the gateway, and one more for each other kind of isolation that a tenant has. */
export class Pools {
  readonly main: Pool;
  readonly #options: PoolOptions;
  readonly #others = new Map<Isolation, Pool>();

  constructor(options: PoolOptions) {
    this.#options = options;
    this.main = createPool(options);
  }

  /** The pool for an isolation; `undefined` for the isolation of the gateway. */
  for(isolation: Isolation | undefined): Pool | undefined {
    if (isolation === undefined) return undefined;
    const pool = this.#others.get(isolation) ?? createPool({ ...this.#options, isolation });
    this.#others.set(isolation, pool);
    return pool;
  }

  all(): readonly Pool[] {
    return [this.main, ...this.#others.values()];
  }

  async drain(): Promise<void> {
    await Promise.all(this.all().map((pool) => pool.drain()));
  }

  async close(): Promise<void> {
    await Promise.all(this.all().map((pool) => pool.close()));
  }
}
