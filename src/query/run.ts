import type { RequestOptions } from "../control/index.js";
import { HawserError } from "../errors/index.js";
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
  readonly #stopListening: () => void;
  readonly #whenOver: Promise<void>;
  #settleOver: () => void = () => {};
  #openInputs = 0;
  #hasPrompt = false;
  #isText = false;
  #unanswered = false;
  #inputEnded = false;
  #lastResult: ResultMessage | undefined;
  #ending: HawserError | undefined;
  /** What the caller's own prompt threw. */
  #inputError: unknown;
  #over = false;
  #exitTimer: NodeJS.Timeout | undefined;

  constructor(options: Options, bootMs: number) {
    this.#options = options;
    this.#whenOver = new Promise((resolve) => {
      this.#settleOver = resolve;
    });
    this.stream = new MessageStream({
      onWaiting: (waiting) => this.#line.connection.holdProgram(waiting),
      onFull: (full) => this.#line.connection.pause(full),
      onLeft: () => void this.close(),
    });
    this.#activity = new Activity(() => this.#endInputIfDone());
    this.#line = new Lifeline(options, bootMs, {
      onReady: () => {},
      onRecovered: () => {},
      onAsked: () => {},
      onMessage: (message, size) => this.#receive(message, size),
      onCorrupt: (error) => this.#line.connection.transport.log.error(error.message),
      onEnd: (error) => this.#ended(error),
    });
    const signals = [options.abortController?.signal, options.signal];
    this.#stopListening = onAbort(signals, (error) => void this.close(error));
  }

  get ready(): Promise<InitializePayload> {
    return this.#line.connection.ready;
  }

  /** Sends every message of the prompt; the input stays open until all prompts are through. */
  async feed(prompt: QueryPrompt): Promise<void> {
    this.#openInputs += 1;
    this.#hasPrompt = true;
    this.#isText = typeof prompt === "string";
    const verbatim = this.#options.verbatimPrompts === true;
    try {
      for await (const line of linesOf(prompt, verbatim, this.#whenOver)) {
        this.#unanswered = true;
        // Why it was not sent, the end of the process tells.
        await this.#line.prompt(line).catch(() => {});
      }
    } catch (error) {
      this.#inputError = error;
      await this.close();
    } finally {
      this.#openInputs -= 1;
      this.#endInputIfDone();
    }
  }

  /** The same request again; the CLI takes new ids for the same hooks. */
  async reinitialize(): Promise<InitializePayload> {
    await this.ready;
    const { initialize } = this.#line.connection.transport.invocation;
    return (await this.#line.request(initialize)) as InitializePayload;
  }

  async request(request: HostRequest, options?: RequestOptions): Promise<unknown> {
    try {
      return await this.#line.request(request, options);
    } catch (error) {
      throw unansweredBy(error);
    }
  }

  setServers(servers: Readonly<Record<string, McpServerConfig>>): void {
    this.#line.setServers(servers);
  }

  /** The reader hears no more of it; resolves when the process is gone. */
  async close(cause: HawserError = new HawserError("closed")): Promise<void> {
    this.#ending ??= cause;
    this.stream.end(this.#inputError ?? endingOf(this.#ending));
    const first = { first: controlRequest("close", { subtype: "interrupt" }) };
    await this.#line.connection.close(this.#activity.inTurn ? first : {});
  }

  async kill(): Promise<void> {
    this.#ending ??= new HawserError("closed");
    await this.#line.connection.kill();
  }

  #receive(message: Message, size: number): void {
    if (isMessage(message, "keep_alive")) return;
    this.#line.see(message);
    if (isResult(message)) {
      this.#lastResult = message;
      this.#unanswered = false;
    }
    if (!isForHostOnly(message)) this.stream.push(message, size);
    this.#activity.see(message);
    this.#endInputIfDone();
  }

  /**
   * As the official SDK does, but never while work in the background may still need an answer:
   * without an open input, every hook, permission and tool call of this side would fail.
   */
  #endInputIfDone(): void {
    if (!this.#hasPrompt || this.#openInputs > 0 || this.#over) return;
    if (!this.#inputEnded && this.#mayEndInput()) {
      this.#inputEnded = true;
      void this.#line.connection.endInput();
    }
    if (!this.#inputEnded || this.#unanswered || !this.#activity.quiet) return;
    // It has nothing left to do and exits by itself; one that does not is helped.
    this.#exitTimer ??= startTimer(EXIT_LIMIT_MS, () => void this.close());
  }

  #mayEndInput(): boolean {
    if (answersCli(this.#options)) return !this.#unanswered && this.#activity.quiet;
    return this.#isText ? !this.#unanswered : true;
  }

  #ended(error: unknown): void {
    this.#over = true;
    clearTimeout(this.#exitTimer);
    this.#stopListening();
    this.#settleOver();
    this.#activity.end();
    const why = this.#ending ?? (error && this.#line.enrich(error));
    this.stream.end(this.#inputError ?? endingOf(why, this.#lastResult));
  }
}

/** Seen: 40 ms. */
const EXIT_LIMIT_MS = 10_000;

function answersCli(options: Options): boolean {
  const { hooks, canUseTool, onElicitation, onUserDialog, rules, mcpServers } = options;
  const asked = [hooks, canUseTool, onElicitation, onUserDialog, rules];
  if (asked.some((each) => each !== undefined)) return true;
  const servers = typeof mcpServers === "object" ? Object.values(mcpServers) : [];
  return servers.some(({ type }) => type === "sdk");
}

function isForHostOnly(message: Message): boolean {
  return isSystem(message, "session_state_changed") && message.sdk_host_only === true;
}
