import {
  type AnyCompleteOptions,
  type CompleteOptions,
  type Completion,
  type CompletionStream,
  complete,
  requestOf,
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
import type { PoolStats } from "./stats.js";

type WithoutValue = CompleteOptions & {
  readonly schema?: undefined;
  readonly outputFormat?: undefined;
};
type WithSchema<S> = CompleteOptions & { readonly schema: S };
type OutputOf<S> = S extends StandardSchema<infer Output> ? Output : never;

/**
 * Warm processes for many callers. Whoever is done with it closes it; if it is forgotten, its
 * processes die with it: when this object is garbage-collected, and at the latest when the program
 * ends.
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
      core.warm(requestOf("createPool()", { ...each, pool: this }));
    }
  }

  /** `complete()` by a process of the pool. */
  complete(prompt: Prompt, options?: WithoutValue): Promise<Completion>;
  complete<S extends StandardSchema>(
    prompt: Prompt,
    options: WithSchema<S>,
  ): Promise<Completion<OutputOf<S>>>;
  complete(prompt: Prompt, options?: AnyCompleteOptions): Promise<Completion<unknown>>;
  complete(prompt: Prompt, options: Options = {}): Promise<Completion<unknown>> {
    return complete(prompt, { ...options, pool: this });
  }

  /** `stream()` by a process of the pool. */
  stream(prompt: Prompt, options?: WithoutValue): CompletionStream;
  stream<S extends StandardSchema>(
    prompt: Prompt,
    options: WithSchema<S>,
  ): CompletionStream<OutputOf<S>>;
  stream(prompt: Prompt, options?: AnyCompleteOptions): CompletionStream<unknown>;
  stream(prompt: Prompt, options: Options = {}): CompletionStream<unknown> {
    return stream(prompt, { ...options, pool: this });
  }

  /** `openSession()` by a process of the pool; its place is taken until it is closed. */
  openSession(options: SessionOptions = {}): Promise<Session> {
    return openSession({ ...options, pool: this });
  }

  /**
   * Resolves when the processes for `warm` are up, as many as there is room for; at once if there is
   * nothing to make ready. Rejects with the reason why one could not be started: the pool then tries
   * again by itself, and so may who waits. Rejects with `pool_closed` if the pool is closed.
   */
  ready(): Promise<void> {
    return this.#core.ready();
  }

  /** How it stands at this moment: processes, calls, queue, times, and what was spent. */
  stats(): PoolStats {
    return this.#core.stats();
  }

  /** Takes nothing new; resolves when all that was begun has ended and no process is left. */
  async drain(): Promise<void> {
    await this.#core.drain();
    abandoned.unregister(this.#core);
  }

  /** What waits or runs ends with `pool_closed`; resolves when no process is left. */
  async close(): Promise<void> {
    await this.#core.close();
    abandoned.unregister(this.#core);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const abandoned = new FinalizationRegistry<PoolCore>((core) => void core.close());

/**
 * Warm processes for many callers: calls need not wait for the start of the CLI, and none sees
 * anything of another. Without `warm` nothing is started before the first call.
 */
export function createPool(options: PoolOptions = {}): Pool {
  return new Pool(options);
}
