import { traceCaller } from "../base/index.js";
import {
  type AnyCompleteOptions,
  type CompleteOptions,
  type Completion,
  type CompletionStream,
  complete,
  leaseRequestFor,
  stream,
} from "../complete/index.js";
import type { Options, StandardSchema } from "../options/index.js";
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

type WithoutValue = CompleteOptions & {
  readonly schema?: undefined;
  readonly outputFormat?: undefined;
};
type WithSchema<S> = CompleteOptions & { readonly schema: S };
type OutputOf<S> = S extends StandardSchema<infer Output> ? Output : never;

/**
 * Warm processes for many callers. Close it when it is no longer needed. The processes of a pool that is
 * not closed end when this object is garbage-collected, and at the latest when the program ends.
 */
export class Pool implements AsyncDisposable {
  readonly #core: PoolCore;

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

  /** `complete()` on a process of the pool. */
  complete(prompt: Prompt, options?: WithoutValue): Promise<Completion>;
  complete<S extends StandardSchema>(
    prompt: Prompt,
    options: WithSchema<S>,
  ): Promise<Completion<OutputOf<S>>>;
  complete(prompt: Prompt, options?: AnyCompleteOptions): Promise<Completion<unknown>>;
  complete(prompt: Prompt, options: Options = {}): Promise<Completion<unknown>> {
    return complete(prompt, { ...options, pool: this });
  }

  /** `stream()` on a process of the pool. */
  stream(prompt: Prompt, options?: WithoutValue): CompletionStream;
  stream<S extends StandardSchema>(
    prompt: Prompt,
    options: WithSchema<S>,
  ): CompletionStream<OutputOf<S>>;
  stream(prompt: Prompt, options?: AnyCompleteOptions): CompletionStream<unknown>;
  stream(prompt: Prompt, options: Options = {}): CompletionStream<unknown> {
    return stream(prompt, { ...options, pool: this });
  }

  /** `openSession()` on a process of the pool. The session counts for `concurrency` until it is closed. */
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

  /** Takes no new calls. Resolves when all calls and sessions have ended and no process is left. */
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
 * No call sees anything of another. Without `warm` no process is started before the first call.
 */
export function createPool(options: PoolOptions = {}): Pool {
  return new Pool(options);
}
