import type { RequestOptions } from "../control/index.js";
import { HawserError, isHawserError } from "../errors/index.js";
import type { McpServerConfig, Options } from "../options/index.js";
import { Activity, Lifeline, MessageStream, onAbort, startTimer } from "../session/index.js";
import {
  controlRequest,
  type HostRequest,
  type InitializePayload,
  isMessage,
  isResult,
  isSystem,
  type Message,
  type ResultMessage,
} from "../wire/index.js";
import { endingOf, unansweredBy } from "./ending.js";
import { linesOf, type QueryPrompt } from "./input.js";
import { Unanswered } from "./unanswered.js";

/**
 * What is behind a query: one process, its messages in one stream, and an input that ends when the
 * CLI needs no more of this side. It must never point back at the query, so that a forgotten one
 * can be garbage-collected.
 */
export class Run {
  readonly stream: MessageStream;
  readonly #options: Options;
  readonly #line: Lifeline;
  readonly #activity: Activity;
  readonly #unanswered: Unanswered;
  readonly #stopListening: () => void;
  readonly #whenOver: Promise<void>;
  #settleOver: () => void = () => {};
  #openInputs = 0;
  #hasPrompt = false;
  #isText = false;
  #answersCli: boolean;
  #inputEnded = false;
  #lastResult: ResultMessage | undefined;
  #ending: HawserError | undefined;
  /** What the caller's own prompt threw, or why it could not be sent. */
  #inputError: unknown;
  /** A message that was lost may have been a result. */
  #lost: HawserError | undefined;
  #tellsState = false;
  #over = false;
  #exitTimer: NodeJS.Timeout | undefined;

  constructor(options: Options, bootMs: number) {
    this.#options = options;
    this.#answersCli = answersCli(options);
    this.#whenOver = new Promise((resolve) => {
      this.#settleOver = resolve;
    });
    this.stream = new MessageStream({
      onWaiting: (waiting) => this.#line.connection.holdProgram(waiting),
      onFull: (full) => this.#line.connection.pause(full),
      onLeft: () => void this.close(),
    });
    this.#activity = new Activity(() => this.#endInputIfDone());
    this.#unanswered = new Unanswered(() => this.#endInputIfDone());
    this.#line = new Lifeline(options, bootMs, {
      onReady: () => this.#endInputIfDone(),
      onRecovered: () => {},
      onAsked: () => {},
      onMessage: (message, size) => this.#receive(message, size),
      onCorrupt: (error) => this.#lose(error),
      onEnd: (error) => this.#ended(error),
    });
    const signals = [options.abortController?.signal, options.signal];
    this.#stopListening = onAbort(signals, (error) => void this.close(error));
  }

  async ready(): Promise<InitializePayload> {
    try {
      return await this.#line.connection.ready;
    } catch (error) {
      throw this.#whyUnanswered(error);
    }
  }

  /** Sends the prompt of the query, whose failure is the query's. */
  async feed(prompt: QueryPrompt): Promise<void> {
    this.#isText = typeof prompt === "string";
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
    const { initialize } = this.#line.connection.transport.invocation;
    return (await this.request(initialize)) as InitializePayload;
  }

  async request(request: HostRequest, options?: RequestOptions): Promise<unknown> {
    try {
      return await this.#line.request(request, options);
    } catch (error) {
      throw this.#whyUnanswered(error);
    }
  }

  setServers(servers: Readonly<Record<string, McpServerConfig>>): void {
    this.#answersCli ||= hasServerHere(servers);
    this.#line.setServers(servers);
  }

  /** The reader hears no more of it; resolves when the process is gone. */
  async close(cause: HawserError = new HawserError("closed")): Promise<void> {
    this.#ending ??= cause;
    this.stream.end(this.#inputError ?? endingOf(this.#ending));
    // A prompt that has not begun yet must not begin now.
    const interrupt = { subtype: "interrupt", cancel_queued: true };
    const busy = this.#activity.inTurn || this.#unanswered.any;
    const first = { first: controlRequest("close", interrupt) };
    await this.#line.connection.close(busy ? first : {});
  }

  async kill(): Promise<void> {
    this.#ending ??= new HawserError("closed");
    await this.#line.connection.kill();
  }

  /** The input stays open until all prompts are through. */
  async #sendAll(prompt: QueryPrompt): Promise<void> {
    this.#openInputs += 1;
    this.#hasPrompt = true;
    const verbatim = this.#options.verbatimPrompts === true;
    try {
      for await (const line of linesOf(prompt, verbatim, this.#whenOver)) {
        this.#unanswered.sent();
        await this.#line.prompt(line).catch((error: unknown) => this.#unsent(error));
      }
    } finally {
      this.#openInputs -= 1;
      this.#endInputIfDone();
    }
  }

  /** The end of the process tells why; one that lives but no longer reads is ended. */
  #unsent(error: unknown): void {
    const known = this.#over || this.#inputEnded || this.#ending !== undefined;
    if (known || !isHawserError(error, "closed")) return;
    this.#inputError ??= this.#line.enrich(error);
    void this.#line.connection.kill();
  }

  #whyUnanswered(error: unknown): unknown {
    return unansweredBy(isHawserError(error, "closed") ? (this.#ending ?? error) : error);
  }

  #receive(message: Message, size: number): void {
    if (isMessage(message, "keep_alive")) return;
    this.#line.see(message);
    if (isResult(message)) {
      this.#lastResult = message;
      this.#lost = undefined;
    }
    if (isSystem(message, "session_state_changed")) this.#tellsState = true;
    if (!isForHostOnly(message)) this.stream.push(message, size);
    this.#unanswered.see(message);
    this.#activity.see(message);
    this.#endInputIfDone();
  }

  /** Where the CLI does not tell when it is idle, nothing but its exit can tell that it is. */
  #lose(error: HawserError): void {
    this.#line.connection.transport.log.error(error.message);
    this.#lost = error;
    this.#unanswered.forget();
    if (!this.#tellsState) this.#endInput();
    this.#endInputIfDone();
  }

  /**
   * As the official SDK does, but never while work in the background may still need an answer:
   * without an open input, every hook, permission and tool call of this side would fail.
   */
  #endInputIfDone(): void {
    if (!this.#hasPrompt || this.#openInputs > 0 || this.#over) return;
    // What is asked at the start needs the input too.
    if (!this.#line.connection.isReady) return;
    if (this.#mayEndInput()) this.#endInput();
    if (this.#inputEnded && !this.#unanswered.any && this.#activity.quiet) {
      // It has nothing left to do and exits by itself; one that does not is helped.
      this.#exitTimer ??= startTimer(EXIT_LIMIT_MS, () => void this.close());
    } else {
      clearTimeout(this.#exitTimer);
      this.#exitTimer = undefined;
    }
  }

  #mayEndInput(): boolean {
    if (this.#answersCli) return !this.#unanswered.any && this.#activity.quiet;
    return this.#isText ? !this.#unanswered.any : true;
  }

  #endInput(): void {
    if (this.#inputEnded) return;
    this.#inputEnded = true;
    void this.#line.connection.endInput();
  }

  #ended(error: unknown): void {
    this.#over = true;
    clearTimeout(this.#exitTimer);
    this.#stopListening();
    this.#settleOver();
    this.#activity.end();
    this.#unanswered.forget();
    const failure = error ?? this.#lost;
    const why = this.#ending ?? (failure && this.#line.enrich(failure));
    this.stream.end(this.#inputError ?? endingOf(why, this.#lastResult));
  }
}

/** Seen: 40 ms. */
const EXIT_LIMIT_MS = 10_000;

function answersCli(options: Options): boolean {
  const { hooks, canUseTool, onElicitation, onUserDialog, rules, mcpServers } = options;
  const asked = [hooks, canUseTool, onElicitation, onUserDialog, rules];
  if (asked.some((each) => each !== undefined)) return true;
  return typeof mcpServers === "object" && hasServerHere(mcpServers);
}

function hasServerHere(servers: Readonly<Record<string, McpServerConfig>>): boolean {
  return Object.values(servers).some(({ type }) => type === "sdk");
}

function isForHostOnly(message: Message): boolean {
  return isSystem(message, "session_state_changed") && message.sdk_host_only === true;
}
