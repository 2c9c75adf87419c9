import type { RequestOptions } from "../control/index.js";
import type { McpServerConfig, Options } from "../options/index.js";
import { Controls, type FieldsOf, timeoutsOf } from "../session/index.js";
import type { HostPayload, InitializePayload, InterruptReceipt, Message } from "../wire/index.js";
import { AbortError } from "./abort-error.js";
import { checkPrompt, type QueryPrompt } from "./prompt-lines.js";
import { QueryCore } from "./query-core.js";
import { resolveQueryOptions } from "./resolve.js";
import type { Query, QueryParams, SDKMessage, SDKUserMessage } from "./types/index.js";

/**
 * Runs a prompt, or a stream of prompts, in the official SDK's shape: an async generator of the
 * CLI's messages that ends with its process, and methods to ask things of it meanwhile.
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

/** If it is forgotten, its process dies with it. */
export class QueryRun extends Controls implements AsyncGenerator<SDKMessage, void> {
  readonly #run: QueryCore;
  readonly #messages: AsyncIterator<Message>;
  #left = false;

  constructor(options: Options, bootMs: number) {
    super();
    this.#run = new QueryCore(options, bootMs);
    this.#messages = this.#run.stream.read(this);
    abandoned.register(this, this.#run);
  }

  feed(prompt: QueryPrompt): void {
    void this.#run.feed(prompt);
  }

  async next(): Promise<IteratorResult<SDKMessage, void>> {
    if (this.#left) return { done: true, value: undefined };
    // The union is closed where the official one is: what is newer than it is handed on all the same.
    return (await this.#messages.next()) as IteratorResult<SDKMessage, void>;
  }

  /** Ends the process, as leaving a `for await` does; resolves when it is gone. */
  async return(value?: void | PromiseLike<void>): Promise<IteratorResult<SDKMessage, void>> {
    this.#left = true;
    await this.#run.close();
    return { done: true, value: await value };
  }

  async throw(error: unknown): Promise<IteratorResult<SDKMessage, void>> {
    this.#left = true;
    await this.#run.close();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Async, so that a query of which nothing else is wanted is not forgotten meanwhile. */
  async initializationResult(): Promise<InitializePayload> {
    return await this.#run.ready();
  }

  async request<S extends string>(
    subtype: S,
    fields?: FieldsOf<S>,
    options?: RequestOptions,
  ): Promise<HostPayload<S>> {
    return (await this.#run.request({ ...fields, subtype }, options)) as HostPayload<S>;
  }

  interrupt(): Promise<InterruptReceipt | undefined> {
    return this.request("interrupt");
  }

  /** What the iteration would have thrown, in place of why a request was not answered. */
  async whyEnded(error: unknown): Promise<unknown> {
    try {
      while (!(await this.#messages.next()).done);
    } catch (ending) {
      return ending;
    }
    return error;
  }

  /** Sends initialize once more, by which hooks are replaced. */
  async reinitialize(): Promise<InitializePayload> {
    return await this.#run.reinitialize();
  }

  /** Sends more prompts; resolves when all of them are on their way. */
  streamInput(stream: AsyncIterable<SDKUserMessage>): Promise<void> {
    return this.#run.streamInput(stream);
  }

  /** Ends the process; who must know that it is gone, awaits `return()` or uses `await using`. */
  close(): void {
    void this.#run.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#run.close();
  }

  protected linkServers(
    servers: Readonly<Record<string, McpServerConfig>>,
  ): ReturnType<QueryCore["setServers"]> {
    return this.#run.setServers(servers);
  }
}

const abandoned = new FinalizationRegistry<QueryCore>((run) => {
  void run.kill();
});
