import { inspectable, traceCaller } from "../base/index.js";
import {
  type CallOptions,
  type Completion,
  type CompletionStream,
  complete,
  leaseRequestFor,
  stream,
  type ValueOf,
} from "../complete/index.js";
import type { Options } from "../options/index.js";
import {
  openSession,
  registerSource,
  type Session,
  type SessionOptions,
} from "../session/index.js";
import type { Prompt } from "../wire/index.js";
import { type PoolOptions, settingsOf } from "./options.js";
import { PoolCore } from "./pool-core.js";
import type { PoolStats } from "./pool-stats.js";

/**
 * Warm processes for many callers, made by `createPool()`. Close the pool when it is no longer needed. The
 * processes of a pool that is not closed end when this object is garbage-collected, and at the latest when the
 * program ends.
 *
 * @example
 * ```ts
 * import { createPool } from "hawser";
 *
 * await using pool = createPool({ concurrency: 8 });
 * const answers = await Promise.all(["bowline", "sheet bend"].map((knot) => pool.complete(knot)));
 * console.log(pool.stats().calls);
 * ```
 */
export class Pool implements AsyncDisposable {
  readonly #core: PoolCore;

  static {
    inspectable(Pool, "Pool", (pool) => {
      const { calls, spentUsd } = pool.stats();
      const { running, queued, succeeded, failed } = calls;
      const { state, processes } = pool.#core;
      return { state, processes, calls: { running, queued, succeeded, failed }, spentUsd };
    });
  }

  constructor(options: PoolOptions) {
    const settings = settingsOf(options);
    const core = new PoolCore(settings);
    this.#core = core;
    registerSource(this, core);
    abandoned.register(this, core, core);
    for (const each of settings.warm) {
      core.warm(leaseRequestFor("createPool()", { ...each, pool: this }));
    }
  }

  /**
   * `complete()` on a process of the pool.
   *
   * @example
   * ```ts
   * const { text } = await pool.complete("Name three knots.", { tenant: "acme" });
   * ```
   */
  complete<O = object>(
    prompt: Prompt | undefined,
    options?: CallOptions<O>,
  ): Promise<Completion<ValueOf<O>>>;
  complete(prompt: Prompt | undefined, options: Options = {}): Promise<Completion<unknown>> {
    return complete(prompt, { ...options, pool: this });
  }

  /**
   * `stream()` on a process of the pool.
   *
   * @example
   * ```ts
   * for await (const piece of pool.stream("Name three knots.").textStream) process.stdout.write(piece);
   * ```
   */
  stream<O = object>(
    prompt: Prompt | undefined,
    options?: CallOptions<O>,
  ): CompletionStream<ValueOf<O>>;
  stream(prompt: Prompt | undefined, options: Options = {}): CompletionStream<unknown> {
    return stream(prompt, { ...options, pool: this });
  }

  /**
   * `openSession()` on a process of the pool. The session counts towards `concurrency` until it is closed.
   */
  openSession(options: SessionOptions = {}): Promise<Session> {
    return openSession({ ...options, pool: this });
  }

  /**
   * Resolves when the processes for `warm` are ready, as many as there is room for; at once if `warm` is
   * empty. Rejects with the error of a process that could not be started: the pool tries again by itself,
   * and `ready()` can be called again. Rejects with `pool_closed` if the pool is closed.
   */
  ready(): Promise<void> {
    return traceCaller(this.#core.ready());
  }

  /** The state of the pool at this moment: processes, calls, queue, times and costs. */
  stats(): PoolStats {
    return this.#core.stats();
  }

  /**
   * Refuses new calls, and waits for the running and waiting ones. Resolves when all calls and sessions have
   * ended and no process is left.
   */
  async drain(): Promise<void> {
    await traceCaller(this.#core.drain());
    abandoned.unregister(this.#core);
  }

  /** Ends all waiting and running calls with `pool_closed`. Resolves when no process is left. */
  async close(): Promise<void> {
    await traceCaller(this.#core.close());
    abandoned.unregister(this.#core);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const abandoned = new FinalizationRegistry<PoolCore>((core) => void core.close());

/**
 * Creates a pool of warm processes for many callers, so that calls need not wait for the start of the CLI.
 * No call sees anything of another call. Without `warm` no process is started before the first call. Throws
 * `invalid_options` at once.
 *
 * @example
 * ```ts
 * import { createPool } from "hawser";
 *
 * const options = { model: "haiku" } as const;
 * const pool = createPool({ warm: [options] });
 * await pool.ready();
 * const { text } = await pool.complete("Name three knots.", options);
 * await pool.close();
 * ```
 */
export function createPool(options: PoolOptions = {}): Pool {
  return new Pool(options);
}
