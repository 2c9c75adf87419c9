import { HawserError, isHawserError, type Mask, startTimer } from "../base/index.js";
import type { RequestOptions } from "../control/index.js";
import type { McpServerConfig, Options } from "../options/index.js";
import {
  INTERRUPT_GRACE_MS,
  type LiveQuery,
  MessageStream,
  RecoverableConnection,
  type RecoverableConnectionListener,
  rememberLive,
  requireKeptClear,
  Shutdown,
  type StreamListener,
  unlessClosed,
  type WorkListener,
} from "../session/index.js";
import {
  type HostRequest,
  type InitializePayload,
  isMessage,
  isResult,
  isSystem,
  type Message,
  type StreamEvent,
} from "../wire/index.js";
import { InputPolicy } from "./input-policy.js";
import { LastResult } from "./last-result.js";
import { PromptLines, type QueryPrompt } from "./prompt-lines.js";
import { iterationError, requestError } from "./query-error.js";

/**
 * The internals of a query: one process, its messages in one stream, and an input that ends when the CLI
 * needs no more of this side. It never points back at the query, so that a query that the program has
 * dropped can be garbage-collected.
 */
export class QueryCore
  implements RecoverableConnectionListener, StreamListener, WorkListener, LiveQuery
{
  readonly stream: MessageStream;
  readonly #options: Options;
  readonly #connection: RecoverableConnection;
  readonly #policy: InputPolicy;
  readonly #shutdown: Shutdown;
  readonly #lastResult = new LastResult();
  /** The prompts that are being sent. */
  readonly #inputs = new Set<PromptLines>();
  #hasPrompt = false;
  #inputEnded = false;
  /** The error that the caller's own prompt threw, or why the prompt could not be sent. */
  #inputError: unknown;
  #exitTimer: NodeJS.Timeout | undefined;

  constructor(options: Options, bootMs: number) {
    this.#options = options;
    this.stream = new MessageStream(this, () => void this.close());
    this.#policy = new InputPolicy(options, this);
    this.#connection = new RecoverableConnection(options, { bootMs, origin: ORIGIN }, this);
    this.#shutdown = new Shutdown(this.#connection, this.#policy, {
      interruptGraceMs: options.closeGraceMs ?? INTERRUPT_GRACE_MS,
    });
    this.#shutdown.closeOnAbort([options.abortController?.signal, options.signal], this);
    rememberLive(this.#connection.observation.number, this);
  }

  async ready(): Promise<InitializePayload> {
    try {
      return await this.#connection.current.ready;
    } catch (error) {
      throw this.#requestError(error);
    }
  }

  /** Sends the prompt of the query. Its failure is the failure of the query. */
  async feed(prompt: QueryPrompt): Promise<void> {
    this.#policy.setText(typeof prompt === "string");
    try {
      await this.#sendAll(prompt);
    } catch (error) {
      this.#inputError = error;
      await this.close();
    }
  }

  /** Sends more prompts. Their failure is thrown to the caller. */
  async streamInput(prompts: Exclude<QueryPrompt, string>): Promise<void> {
    if (this.#takesNoInput) {
      throw new HawserError(
        "closed",
        "The query accepts no more prompts, because its input has ended.",
      );
    }
    await this.#sendAll(prompts);
  }

  /** Sends initialize once more; the CLI takes new ids for the same hooks. */
  async reinitialize(): Promise<InitializePayload> {
    await this.ready();
    const { initialize } = this.#connection.current.invocation;
    return (await this.request(initialize)) as InitializePayload;
  }

  async request(request: HostRequest, options?: RequestOptions): Promise<unknown> {
    try {
      return await this.#connection.request(request, options);
    } catch (error) {
      throw this.#requestError(error);
    }
  }

  interrupt({ cancelQueued = false }: { cancelQueued?: boolean } = {}): Promise<unknown> {
    return this.request({ subtype: "interrupt", ...(cancelQueued && { cancel_queued: true }) });
  }

  setServers(
    servers: Readonly<Record<string, McpServerConfig>>,
  ): ReturnType<RecoverableConnection["setServers"]> {
    this.#policy.setServers(servers);
    return this.#connection.setServers(servers);
  }

  /** Ends the stream at once; resolves when the process is gone. */
  async close(cause: HawserError = new HawserError("closed")): Promise<void> {
    const reason = this.#shutdown.begin(cause);
    this.stream.end(this.#inputError ?? iterationError(reason, this.#mask));
    await this.#shutdown.closeProcess();
  }

  async kill(): Promise<void> {
    this.#shutdown.begin(new HawserError("closed"));
    await this.#shutdown.killProcess();
  }

  /** Prompts of a query carry no uuid, so it is not known which of them the CLI works on. */
  get activeTurn(): undefined {
    return undefined;
  }

  onWaiting(waiting: boolean): void {
    this.#connection.current.holdProgram(waiting);
  }

  onFull(full: boolean): void {
    this.#connection.current.setPaused(full);
  }

  onReady(): void {
    this.onWorkChanged();
  }

  /** Never called, because a query does not recover. */
  onRecovered(): void {}

  onHostRequests(pending: number): void {
    this.#policy.setHostRequests(pending);
    this.onWorkChanged();
  }

  /** A query has no turns whose time limit a tool call would stop. */
  onToolCall(): void {}

  /** Stream events are neither results nor work. */
  onEvents(events: readonly StreamEvent[], size: number): void {
    this.#connection.observation.observer?.onEvents(events);
    for (const event of events) this.#connection.observe(event);
    this.stream.pushEvents(events, size);
  }

  onMessage(message: Message, size: number): void {
    if (isMessage(message, "keep_alive")) return;
    this.#connection.observe(message);
    this.#connection.observation.observer?.onMessage(message);
    this.#lastResult.observe(message);
    if (isResult(message)) this.#shutdown.lost = undefined;
    if (!isForHostOnly(message)) this.stream.push(message, size);
    this.#policy.observe(message);
    this.onWorkChanged();
  }

  /**
   * A message was lost. If the CLI does not tell when it is idle, only its exit can tell that it is. But
   * the input must not end during a turn that this side guards, because an older CLI would go on without
   * asking.
   */
  onCorrupt(error: HawserError): void {
    this.#connection.current.log.error(error.message);
    this.#shutdown.lost = error;
    if (this.#policy.isDone) return;
    if (!this.#policy.tellsState && this.#policy.isGuarded) {
      void this.close(this.#connection.enrich(error));
      return;
    }
    this.#policy.forgetPrompts();
    if (!this.#policy.tellsState) this.#endInput();
    this.onWorkChanged();
  }

  /** Ends the input when nothing is left to do. */
  onWorkChanged(): void {
    this.#shutdown.recheck();
    const isOver = this.#shutdown.state === "over";
    if (!this.#hasPrompt || this.#inputs.size > 0 || isOver) return;
    // Requests of the CLI during its start need the input too.
    if (!this.#connection.current.wasReady) return;
    if (this.#policy.needsNoInput) this.#endInput();
    if (this.#inputEnded && this.#policy.isDone) {
      // The CLI has nothing left to do and exits by itself; a CLI that does not is closed.
      this.#exitTimer ??= startTimer(EXIT_LIMIT_MS, () => void this.close(this.#shutdown.lost));
    } else {
      clearTimeout(this.#exitTimer);
      this.#exitTimer = undefined;
    }
  }

  /** The process has ended, and the query with it. */
  onEnd(error: unknown): void {
    this.#shutdown.settle("over");
    clearTimeout(this.#exitTimer);
    for (const lines of this.#inputs) lines.close();
    this.#policy.clear();
    this.#shutdown.recheck();
    const failure = error ?? this.#shutdown.lost;
    const why = this.#shutdown.cause ?? (failure && this.#connection.enrich(failure));
    this.#connection.observation.end(why?.code ?? "closed", why && unlessClosed(why));
    const ending = iterationError(why, this.#mask, this.#lastResult.verdict);
    this.stream.end(this.#inputError ?? ending);
  }

  get #mask(): Mask | undefined {
    return this.#connection.current.mask;
  }

  get #takesNoInput(): boolean {
    const { state, cause } = this.#shutdown;
    return state === "over" || this.#inputEnded || cause !== undefined;
  }

  /** The input stays open until all prompts have been written. */
  async #sendAll(prompt: QueryPrompt): Promise<void> {
    const lines = new PromptLines(prompt, this.#options.verbatimPrompts === true);
    this.#inputs.add(lines);
    this.#hasPrompt = true;
    if (this.#shutdown.state === "over") lines.close();
    try {
      for await (const line of lines) {
        requireKeptClear(line, this.#connection.current);
        this.#policy.addPrompt();
        await this.#connection.sendPrompt(line).catch((error: unknown) => this.#notSent(error));
      }
    } finally {
      this.#inputs.delete(lines);
      this.onWorkChanged();
    }
  }

  /** If the process has exited, `onEnd` reports why; a process that lives but reads no more is killed. */
  #notSent(error: unknown): void {
    if (this.#takesNoInput) return;
    if (isHawserError(error, "invalid_options")) {
      this.#policy.removePrompt();
      throw error;
    }
    if (!isHawserError(error, "closed")) return;
    this.#inputError ??= this.#connection.enrich(error);
    void this.#shutdown.killProcess();
  }

  #requestError(error: unknown): unknown {
    const why = isHawserError(error, "closed") ? (this.#shutdown.cause ?? error) : error;
    return requestError(why, this.#mask);
  }

  #endInput(): void {
    if (this.#inputEnded) return;
    this.#inputEnded = true;
    void this.#connection.current.endInput();
  }
}

const ORIGIN = { purpose: "query" } as const;

/** The time that a CLI has to exit after its input ended and its work is done (observed: 40 ms). */
const EXIT_LIMIT_MS = 10_000;

function isForHostOnly(message: Message): boolean {
  return isSystem(message, "session_state_changed") && message.sdk_host_only === true;
}
