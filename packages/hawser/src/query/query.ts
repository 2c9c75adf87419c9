import { callerStack, traceCaller, withCaller } from "../base/index.js";
import type { RequestOptions } from "../control/index.js";
import type { McpServerConfig, Options } from "../options/index.js";
import { Controls, type FieldsOf, timeoutsOf } from "../session/index.js";
import type { HostPayload, InitializePayload, InterruptReceipt, Message } from "../wire/index.js";
import { AbortError } from "./abort-error.js";
import { checkPrompt, type QueryPrompt } from "./prompt-lines.js";
import { QueryCore } from "./query-core.js";
import { resolveQueryOptions } from "./resolve-query-options.js";
import type { Query, QueryParams, SDKMessage, SDKUserMessage } from "./types/index.js";

/**
 * Runs a prompt, or an iterable of prompts, as `query()` of the official Agent SDK does. Returns an async
 * generator of the CLI's messages, which ends with its process, and has methods to control the process.
 * A loop that is left early ends the process.
 *
 * @example
 * ```ts
 * import { query } from "hawser";
 *
 * for await (const message of query({ prompt: "Which tests are slow?", options: { maxTurns: 5 } })) {
 *   if (message.type === "result" && message.subtype === "success") console.log(message.result);
 * }
 * ```
 */
export function query({ prompt, options }: QueryParams): Query {
  checkPrompt(prompt);
  if (options?.abortController?.signal.aborted) throw new AbortError("Operation aborted");
  const run = startRun(options);
  run.feed(prompt);
  return run as unknown as Query;
}

/** A query that has no prompt yet. */
export function startRun(options: Options | undefined, bootMs?: number): QueryRun {
  const resolved = resolveQueryOptions(options);
  return new QueryRun(resolved, bootMs ?? timeoutsOf(resolved, 0).bootMs);
}

/** The public side of a query. If the program drops it, its process dies with it. */
export class QueryRun extends Controls implements AsyncGenerator<SDKMessage, void> {
  /** The stack of the call that made the query, for errors. */
  readonly #caller = callerStack();
  readonly #core: QueryCore;
  readonly #messages: AsyncIterator<Message>;
  #left = false;

  constructor(options: Options, bootMs: number) {
    super();
    this.#core = new QueryCore(options, bootMs);
    this.#messages = this.#core.stream.read(this);
    abandoned.register(this, this.#core);
  }

  feed(prompt: QueryPrompt): void {
    void this.#core.feed(prompt);
  }

  async next(): Promise<IteratorResult<SDKMessage, void>> {
    if (this.#left) return { done: true, value: undefined };
    // The official union is closed, but messages of newer types are handed on too.
    try {
      return (await this.#messages.next()) as IteratorResult<SDKMessage, void>;
    } catch (error) {
      throw withCaller(error, this.#caller);
    }
  }

  /** Ends the process, as leaving a `for await` does; resolves when it is gone. */
  async return(value?: void | PromiseLike<void>): Promise<IteratorResult<SDKMessage, void>> {
    this.#left = true;
    await this.#core.close();
    return { done: true, value: await value };
  }

  async throw(error: unknown): Promise<IteratorResult<SDKMessage, void>> {
    this.#left = true;
    await this.#core.close();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Async, so that the query is not garbage-collected while its caller awaits this and nothing else. */
  async initializationResult(): Promise<InitializePayload> {
    return await traceCaller(this.#core.ready());
  }

  async request<S extends string>(
    subtype: S,
    fields?: FieldsOf<S>,
    options?: RequestOptions,
  ): Promise<HostPayload<S>> {
    const answer = this.#core.request({ ...fields, subtype }, options);
    return (await traceCaller(answer)) as HostPayload<S>;
  }

  interrupt(): Promise<InterruptReceipt | undefined> {
    return this.request("interrupt");
  }

  /** The error that the iteration would have thrown, in place of the error of a request. */
  async whyEnded(error: unknown): Promise<unknown> {
    try {
      while (!(await this.#messages.next()).done);
    } catch (ending) {
      return ending;
    }
    return error;
  }

  /** Sends initialize once more, which replaces the hooks. */
  async reinitialize(): Promise<InitializePayload> {
    return await traceCaller(this.#core.reinitialize());
  }

  /** Sends more prompts; resolves when all of them have been written. */
  streamInput(stream: AsyncIterable<SDKUserMessage>): Promise<void> {
    return traceCaller(this.#core.streamInput(stream));
  }

  /** Ends the process. To wait until it is gone, await `return()` or use `await using`. */
  close(): void {
    void this.#core.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#core.close();
  }

  protected linkServers(
    servers: Readonly<Record<string, McpServerConfig>>,
  ): ReturnType<QueryCore["setServers"]> {
    return this.#core.setServers(servers);
  }
}

/** Kills the process of a query that was garbage-collected. */
const abandoned = new FinalizationRegistry<QueryCore>((core) => {
  void core.kill();
});
