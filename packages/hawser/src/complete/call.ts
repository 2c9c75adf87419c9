import {
  CHANNELS,
  type ErrorFacts,
  eventTime,
  guardLogger,
  type HawserError,
  hostMask,
  isHawserError,
  omitUndefined,
  onAbort,
  publish,
  startTimer,
  withCaller,
} from "../base/index.js";
import type { Options } from "../options/index.js";
import { reduceBudget, resumeOptions, sourceOf, timeoutError } from "../session/index.js";
import type { Prompt } from "../wire/index.js";
import { Attempt, type CallContext, type InterruptibleCall } from "./attempt.js";
import type { CallFeed } from "./call-feed.js";
import type { Completion } from "./completion.js";
import { observeCall } from "./observe-call.js";
import { type Plan, planCall } from "./plan.js";
import { rehearseOnce } from "./rehearse-once.js";
import { retryPauseMs } from "./retry-policy.js";
import { prepareStructuredOutput } from "./structured-output.js";
import { Tally } from "./tally.js";

export interface CallRequest {
  /** The public function, for errors. */
  readonly caller: string;
  /** The stack of that function's caller, for errors. */
  readonly stack: () => string;
  /** Undefined if the history ends with the message to answer. */
  readonly prompt: Prompt | undefined;
  readonly options: Options;
  /** Whether a value of the schema may be a part of the answer's text; true unless given. */
  readonly textCounts?: boolean;
  /** Gets the turns and notices of the call, for the readers of a stream. */
  readonly feed?: CallFeed;
}

/** One call, from its prompt to its outcome. Makes attempts until one is answered or none may follow. */
export class Call implements InterruptibleCall {
  readonly outcome: Promise<Completion<unknown>>;
  /** The number of the call, for events. */
  readonly #number = ++calls;
  readonly #feed: CallFeed | undefined;
  readonly #startedAt = performance.now();
  /** Rejects with the reason when this side interrupts the call. */
  readonly #whenInterrupted: Promise<never>;
  #rejectWhenInterrupted: (why: HawserError) => void = () => {};
  #attempt: Attempt | undefined;
  #interruption: HawserError | undefined;

  constructor(request: CallRequest) {
    this.#feed = request.feed;
    this.#whenInterrupted = new Promise((_, reject) => {
      this.#rejectWhenInterrupted = reject;
    });
    // This promise may have no listener. Without a handler Node would report an unhandled rejection.
    this.#whenInterrupted.catch(() => {});
    const { caller, prompt, options } = request;
    const observed = { call: this.#number, caller, tenant: options?.tenant, prompt, options };
    this.outcome = observeCall(observed, () => this.#run(request));
    this.outcome.then(
      () => this.#feed?.close(),
      (error: unknown) => this.#feed?.close(error),
    );
  }

  async #run(request: CallRequest): Promise<Completion<unknown>> {
    try {
      return await this.#runPlanned(request);
    } catch (error) {
      throw withCaller(error, request.stack());
    }
  }

  async #runPlanned(request: CallRequest): Promise<Completion<unknown>> {
    const { caller, prompt, options, textCounts } = request;
    const plan = planCall(caller, prompt, options);
    const source = sourceOf(options);
    const done = source.begin((why) => this.interrupt(why));
    const { totalMs, schema } = plan;
    const signals = [options.signal, options.abortController?.signal];
    const stopListening = onAbort(signals, (error) => this.interrupt(error));
    const timer = startTimer(totalMs, () => this.interrupt(timeoutError("total", totalMs)));
    try {
      return await this.#runAttempts({
        number: this.#number,
        plan,
        source,
        output:
          schema && (await this.unlessInterrupted(prepareStructuredOutput(schema, textCounts))),
        tally: new Tally(),
        startedAt: this.#startedAt,
        feed: this.#feed,
        call: this,
      });
    } finally {
      clearTimeout(timer);
      stopListening();
      done();
    }
  }

  async #runAttempts(context: CallContext): Promise<Completion<unknown>> {
    const { plan, output, tally } = context;
    const wanted = output === undefined ? plan.options : { ...plan.options, ...output.options };
    let options = wanted;
    let failure: HawserError | undefined;
    for (let retries = 0; ; retries += 1) {
      if (this.#interruption !== undefined) throw withFactsOf(this.#interruption, failure);
      const attempt = new Attempt(context, options);
      this.#attempt = attempt;
      try {
        return await attempt.run();
      } catch (error) {
        const pauseMs = this.#pauseAfter(error, context, retries, attempt);
        if (pauseMs === undefined || !isHawserError(error)) throw error;
        this.#reportRetry(plan, error, retries + 1, pauseMs);
        failure = error;
        await this.sleep(pauseMs).catch((why: HawserError) => {
          throw withFactsOf(why, error);
        });
        options = reduceBudget(resumingChosenSession(wanted, error), tally.knownUsd);
      }
    }
  }

  /** The pause before the next attempt; undefined if the error ends the call. */
  #pauseAfter(
    error: unknown,
    { plan, tally }: CallContext,
    retries: number,
    { changedSomething }: Attempt,
  ): number | undefined {
    if (!isHawserError(error) || this.#interruption !== undefined) return undefined;
    const { maxBudgetUsd = Number.POSITIVE_INFINITY } = plan.options;
    if (tally.knownUsd >= maxBudgetUsd) return undefined;
    const elapsedMs = performance.now() - this.#startedAt;
    const textWasRead = this.#feed?.textWasRead === true;
    return retryPauseMs(error, plan.retry, { retries, elapsedMs, changedSomething, textWasRead });
  }

  #reportRetry(
    { retry, options }: Plan,
    error: HawserError,
    attempt: number,
    delay_ms: number,
  ): void {
    const { code, message } = error;
    const facts = { attempt, of: retry.attempts, delay_ms, code, reason: message };
    guardLogger(options.logger, hostMask()).warn("the call failed and is retried", facts);
    publish(CHANNELS.callRetry, () => ({
      at: eventTime(),
      call: this.#number,
      attempt,
      of: retry.attempts,
      delayMs: delay_ms,
      code,
      error,
    }));
    this.#feed?.startRetry({ type: "hawser", subtype: "retrying", ...facts });
  }

  /** The call then rejects with this reason, unless its answer came first. The first reason wins. */
  interrupt(why: HawserError): void {
    if (this.#interruption !== undefined) return;
    this.#interruption = why;
    this.#rejectWhenInterrupted(why);
    this.#attempt?.interrupt(why);
  }

  unlessInterrupted<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.#whenInterrupted]);
  }

  onPromptAhead(): void {
    // Until the CLI has started, the host has nothing else to do.
    rehearseOnce();
  }

  async sleep(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    try {
      await this.unlessInterrupted(over);
    } finally {
      clearTimeout(timer);
    }
  }
}

let calls = 0;

/**
 * If the caller chose the session, the next attempt resumes it, because the failed attempt has already
 * taken its id.
 */
function resumingChosenSession(options: Options, { sessionId, resumable }: HawserError): Options {
  const { resume, continue: goesOn, forkSession, sessionId: own } = options;
  const chosen = own !== undefined || ((resume !== undefined || goesOn) && forkSession !== true);
  return chosen && resumable === true && sessionId !== undefined
    ? resumeOptions(options, sessionId)
    : options;
}

/** The reason of an interruption between two attempts, with the facts of the failed attempt. */
function withFactsOf(why: HawserError, failure: HawserError | undefined): HawserError {
  if (failure === undefined) return why;
  const { cliPath, cliVersion, sessionId, resumable, partialText, stderrTail } = failure;
  const facts = { cliPath, cliVersion, sessionId, resumable, partialText, stderrTail };
  return why.withMissing(omitUndefined(facts) as ErrorFacts);
}
