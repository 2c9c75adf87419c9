import { HawserError, isHawserError, type Mask, onAbort } from "../base/index.js";
import type { RequestOptions } from "../control/index.js";
import type { McpServerConfig, Options } from "../options/index.js";
import { MessageStream, RecoverableConnection, startTimer } from "../session/index.js";
import {
  controlRequest,
  type HostRequest,
  type InitializePayload,
  isMessage,
  isResult,
  isSystem,
  type Message,
} from "../wire/index.js";
import { InputPolicy } from "./input-policy.js";
import { LastResult } from "./last-result.js";
import { PromptLines, type QueryPrompt } from "./prompt-lines.js";
import { iterationError, requestError } from "./query-error.js";

/**
 * What is behind a query: one process, its messages in one stream, and an input that ends when the
 * CLI needs no more of this side. It must never point back at the query, so that a forgotten one
 * can be garbage-collected.
 */
export class QueryCore {
  readonly stream: MessageStream;
  readonly #options: Options;
  readonly #line: RecoverableConnection;
  readonly #work: InputPolicy;
  readonly #last = new LastResult();
  readonly #inputs = new Set<PromptLines>();
  readonly #stopListening: () => void;
  #hasPrompt = false;
  #inputEnded = false;
  #ending: HawserError | undefined;
  #closing: Promise<void> | undefined;
  /** What the caller's own prompt threw, or why it could not be sent. */
  #inputError: unknown;
  /** A message that was lost may have been a result. */
  #lost: HawserError | undefined;
  #over = false;
  #onStopped: () => void = () => {};
  #exitTimer: NodeJS.Timeout | undefined;

  constructor(options: Options, bootMs: number) {
    this.#options = options;
    this.stream = new MessageStream({
      onWaiting: (waiting) => this.#line.current.holdProgram(waiting),
      onFull: (full) => this.#line.current.pause(full),
      onLeft: () => void this.close(),
    });
    this.#work = new InputPolicy(options, () => this.#changed());
    this.#line = new RecoverableConnection(
      options,
      { bootMs },
      {
        onReady: () => this.#changed(),
        onRecovered: () => {},
        onAsked: (pending) => {
          this.#work.setHostRequests(pending);
          this.#changed();
        },
        onMessage: (message, size) => this.#receive(message, size),
        onCorrupt: (error) => this.#lose(error),
        onEnd: (error) => this.#ended(error),
      },
    );
    const signals = [options.abortController?.signal, options.signal];
    this.#stopListening = onAbort(signals, (error) => void this.close(error));
  }

  async ready(): Promise<InitializePayload> {
    try {
      return await this.#line.current.ready;
    } catch (error) {
      throw this.#whyUnanswered(error);
    }
  }

  /** Sends the prompt of the query, whose failure is the query's. */
  async feed(prompt: QueryPrompt): Promise<void> {
    this.#work.setText(typeof prompt === "string");
    try {
      await this.#sendAll(prompt);
    } catch (error) {
      this.#inputError = error;
      await this.close();
    }
  }

  /** Sends more prompts, whose failure is the caller's. */
  async streamInput(prompts: Exclude<QueryPrompt, string>): Promise<void> {
    if (this.#over || this.#inputEnded || this.#ending !== undefined) {
      throw new HawserError("closed", "The query takes no more prompts: its input has ended.");
    }
    await this.#sendAll(prompts);
  }

  /** The same request again; the CLI takes new ids for the same hooks. */
  async reinitialize(): Promise<InitializePayload> {
    await this.ready();
    const { initialize } = this.#line.current.transport.invocation;
    return (await this.request(initialize)) as InitializePayload;
  }

  async request(request: HostRequest, options?: RequestOptions): Promise<unknown> {
    try {
      return await this.#line.request(request, options);
    } catch (error) {
      throw this.#whyUnanswered(error);
    }
  }

  setServers(
    servers: Readonly<Record<string, McpServerConfig>>,
  ): ReturnType<RecoverableConnection["setServers"]> {
    this.#work.setServers(servers);
    return this.#line.setServers(servers);
  }

  /** The reader hears no more of it; resolves when the process is gone. */
  async close(cause: HawserError = new HawserError("closed")): Promise<void> {
    this.#ending ??= cause;
    this.stream.end(this.#inputError ?? iterationError(this.#ending, this.#mask));
    this.#closing ??= this.#end();
    await this.#closing;
  }

  async kill(): Promise<void> {
    this.#ending ??= new HawserError("closed");
    await this.#line.current.kill();
  }

  get #mask(): Mask | undefined {
    return this.#line.current.transport.mask;
  }

  /** The input stays open until all prompts are through. */
  async #sendAll(prompt: QueryPrompt): Promise<void> {
    const lines = new PromptLines(prompt, this.#options.verbatimPrompts === true);
    this.#inputs.add(lines);
    this.#hasPrompt = true;
    if (this.#over) lines.close();
    try {
      for await (const line of lines) {
        this.#work.addPrompt();
        await this.#line.prompt(line).catch((error: unknown) => this.#unsent(error));
      }
    } finally {
      this.#inputs.delete(lines);
      this.#changed();
    }
  }

  /** The end of the process tells why; one that lives but no longer reads is ended. */
  #unsent(error: unknown): void {
    if (this.#over || this.#inputEnded || this.#ending !== undefined) return;
    if (isHawserError(error, "invalid_options")) {
      this.#work.removePrompt();
      throw error;
    }
    if (!isHawserError(error, "closed")) return;
    this.#inputError ??= this.#line.enrich(error);
    void this.#line.current.kill();
  }

  #whyUnanswered(error: unknown): unknown {
    const why = isHawserError(error, "closed") ? (this.#ending ?? error) : error;
    return requestError(why, this.#mask);
  }

  #receive(message: Message, size: number): void {
    if (isMessage(message, "keep_alive")) return;
    this.#line.observe(message);
    this.#last.observe(message);
    if (isResult(message)) this.#lost = undefined;
    if (!isForHostOnly(message)) this.stream.push(message, size);
    this.#work.observe(message);
    this.#changed();
  }

  /**
   * Where the CLI does not tell when it is idle, nothing but its exit can tell that it is. But its
   * input must not end in a turn that this side guards: an older CLI would go on without asking.
   */
  #lose(error: HawserError): void {
    this.#line.current.transport.log.error(error.message);
    this.#lost = error;
    if (this.#work.isDone) return;
    if (!this.#work.tellsState && this.#work.isGuarded) {
      void this.close(this.#line.enrich(error));
      return;
    }
    this.#work.forgetPrompts();
    if (!this.#work.tellsState) this.#endInput();
    this.#changed();
  }

  /** Something may have come to rest, or begun. */
  #changed(): void {
    if (this.#work.isDone) this.#onStopped();
    if (!this.#hasPrompt || this.#inputs.size > 0 || this.#over) return;
    // What is asked at the start needs the input too.
    if (!this.#line.current.isReady) return;
    if (this.#work.needsNoInput) this.#endInput();
    if (this.#inputEnded && this.#work.isDone) {
      // It has nothing left to do and exits by itself; one that does not is helped.
      this.#exitTimer ??= startTimer(EXIT_LIMIT_MS, () => void this.close(this.#lost));
    } else {
      clearTimeout(this.#exitTimer);
      this.#exitTimer = undefined;
    }
  }

  #endInput(): void {
    if (this.#inputEnded) return;
    this.#inputEnded = true;
    void this.#line.current.endInput();
  }

  /**
   * Interrupts what runs and ends the process in good order. Where this side guards it, the input
   * stays open until all has stopped; what does not stop is killed, since it would go on unguarded.
   */
  async #end(): Promise<void> {
    const { current: connection } = this.#line;
    if (!this.#work.isGuarded) {
      const first = { first: controlRequest("close", STOP_ALL) };
      return connection.close(this.#work.awaitsResult ? first : {});
    }
    if (this.#work.awaitsResult && connection.isReady && !this.#over) await this.#interrupt();
    return this.#work.isDone ? connection.close() : connection.kill();
  }

  /** Resolves when nothing is left to do, and at the latest after the grace. */
  async #interrupt(): Promise<void> {
    const { current: connection } = this.#line;
    // A reader who was behind has left.
    connection.pause(false);
    let timer: NodeJS.Timeout | undefined;
    const stopped = new Promise<void>((resolve) => {
      this.#onStopped = resolve;
      timer = startTimer(this.#options.closeGraceMs ?? INTERRUPT_GRACE_MS, resolve);
      connection.request(STOP_ALL).catch(resolve);
    });
    await stopped;
    clearTimeout(timer);
  }

  #ended(error: unknown): void {
    this.#over = true;
    clearTimeout(this.#exitTimer);
    this.#stopListening();
    for (const lines of this.#inputs) lines.close();
    this.#work.clear();
    this.#onStopped();
    const failure = error ?? this.#lost;
    const why = this.#ending ?? (failure && this.#line.enrich(failure));
    this.stream.end(this.#inputError ?? iterationError(why, this.#mask, this.#last.verdict));
  }
}

/** A prompt that has not begun yet must not begin now. */
const STOP_ALL = { subtype: "interrupt", cancel_queued: true } as const;
const INTERRUPT_GRACE_MS = 2_000;
/** Seen: 40 ms. */
const EXIT_LIMIT_MS = 10_000;

function isForHostOnly(message: Message): boolean {
  return isSystem(message, "session_state_changed") && message.sdk_host_only === true;
}
