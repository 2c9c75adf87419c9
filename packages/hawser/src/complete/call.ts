import {
  type ErrorFacts,
  guardLogger,
  type HawserError,
  hostMask,
  isHawserError,
  onAbort,
} from "../base/index.js";
import type { Options } from "../options/index.js";
import {
  type CallEvent,
  CHANNELS,
  publish,
  resuming,
  sourceOf,
  startTimer,
  timeoutError,
  withoutSpent,
} from "../session/index.js";
import type { Prompt } from "../wire/index.js";
import { Attempt, type CallContext } from "./attempt.js";
import type { CallFeed } from "./call-feed.js";
import type { Completion } from "./completion.js";
import { type Plan, planCall } from "./plan.js";
import { retryPauseMs } from "./retry-policy.js";
import { prepareStructuredOutput } from "./structured-output.js";
import { Tally } from "./tally.js";

export interface CallRequest {
  /** Named in errors. */
  readonly caller: string;
  readonly prompt: Prompt;
  readonly options: Options;
  /** For those who watch it. */
  readonly parts?: CallFeed;
}

/** One call, from its prompt to its outcome: attempt after attempt, as far as they are wanted. */
export class Call {
  readonly outcome: Promise<Completion<unknown>>;
  readonly #parts: CallFeed | undefined;
  readonly #startedAt = performance.now();
  /** Rejects when this side ends it. */
  readonly #whenEnded: Promise<never>;
  #rejectWhenEnded: (why: HawserError) => void = () => {};
  #attempt: Attempt | undefined;
  #ending: HawserError | undefined;

  constructor(request: CallRequest) {
    this.#parts = request.parts;
    this.#whenEnded = new Promise((_, reject) => {
      this.#rejectWhenEnded = reject;
    });
    // Most calls are never ended, and nobody waits then.
    this.#whenEnded.catch(() => {});
    this.outcome = watched(request, this.#run(request));
    this.outcome.then(
      () => this.#parts?.close(),
      (error: unknown) => this.#parts?.close(error),
    );
  }

  /** Ends it, unless it has ended. */
  interrupt(why: HawserError): void {
    if (this.#ending !== undefined) return;
    this.#ending = why;
    this.#rejectWhenEnded(why);
    this.#attempt?.interrupt(why);
  }

  async #run({ caller, prompt, options }: CallRequest): Promise<Completion<unknown>> {
    const plan = planCall(caller, prompt, options);
    const source = sourceOf(options);
    const done = source.begin((why) => this.interrupt(why));
    const { totalMs, schema } = plan;
    const signals = [options.signal, options.abortController?.signal];
    const stopListening = onAbort(signals, (error) => this.interrupt(error));
    const timer = startTimer(totalMs, () => this.interrupt(timeoutError("total", totalMs)));
    const parts = this.#parts;
    try {
      return await this.#attempts({
        plan,
        source,
        output: schema && (await this.#unlessEnded(prepareStructuredOutput(schema))),
        tally: new Tally(),
        startedAt: this.#startedAt,
        onPart: parts && ((part) => parts.add(part)),
        unlessInterrupted: (promise) => this.#unlessEnded(promise),
        pause: (ms) => this.#pause(ms),
      });
    } finally {
      clearTimeout(timer);
      stopListening();
      done();
    }
  }

  async #attempts(job: CallContext): Promise<Completion<unknown>> {
    const { plan, output: value, tally } = job;
    const wanted = value === undefined ? plan.options : { ...plan.options, ...value.options };
    let options = wanted;
    let failure: HawserError | undefined;
    for (let retries = 0; ; retries += 1) {
      if (this.#ending !== undefined) throw withFactsOf(this.#ending, failure);
      const attempt = new Attempt(job, options);
      this.#attempt = attempt;
      try {
        return await attempt.run();
      } catch (error) {
        const pauseMs = this.#pauseAfter(error, job, retries, attempt);
        if (pauseMs === undefined || !isHawserError(error)) throw error;
        this.#tellRetry(plan, error, retries + 1, pauseMs);
        failure = error;
        await this.#pause(pauseMs).catch((why: HawserError) => {
          throw withFactsOf(why, error);
        });
        options = withoutSpent(goingOn(wanted, error), tally.knownUsd);
      }
    }
  }

  #pauseAfter(
    error: unknown,
    { plan, tally }: CallContext,
    retries: number,
    { changedSomething }: Attempt,
  ): number | undefined {
    if (!isHawserError(error) || this.#ending !== undefined) return undefined;
    const { maxBudgetUsd = Number.POSITIVE_INFINITY } = plan.options;
    if (tally.knownUsd >= maxBudgetUsd) return undefined;
    const elapsedMs = performance.now() - this.#startedAt;
    const textWasRead = this.#parts?.textWasRead === true;
    return retryPauseMs(error, plan.retry, { retries, elapsedMs, changedSomething, textWasRead });
  }

  #tellRetry(
    { retry, options }: Plan,
    error: HawserError,
    attempt: number,
    delay_ms: number,
  ): void {
    const { code, message } = error;
    const facts = { attempt, of: retry.attempts, delay_ms, code, reason: message };
    guardLogger(options.logger, hostMask()).warn("the call is made anew", facts);
    this.#parts?.startRetry({ type: "hawser", subtype: "retrying", ...facts });
  }

  #unlessEnded<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.#whenEnded]);
  }

  async #pause(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    try {
      await this.#unlessEnded(over);
    } finally {
      clearTimeout(timer);
    }
  }
}

let calls = 0;

/** Tells those who subscribe to it that a call has begun, and how it ended. */
function watched<T extends Completion<unknown>>(
  { caller, options }: CallRequest,
  outcome: Promise<T>,
): Promise<T> {
  if (!CHANNELS.callStart.hasSubscribers && !CHANNELS.callEnd.hasSubscribers) return outcome;
  calls += 1;
  const about = { call: calls, caller, tenant: options.tenant };
  const startedAt = performance.now();
  publish(CHANNELS.callStart, () => about);
  const end = (facts: Partial<CallEvent>) =>
    publish(CHANNELS.callEnd, () => ({ ...about, ...facts, ms: performance.now() - startedAt }));
  outcome.then(
    ({ costUsd }) => end({ outcome: "ok", costUsd }),
    (error: unknown) => end({ outcome: isHawserError(error) ? error.code : "unknown", error }),
  );
  return outcome;
}

/** A conversation that the caller chose goes on in itself: its id is taken by the failed attempt. */
function goingOn(options: Options, { sessionId, resumable }: HawserError): Options {
  const { resume, continue: goesOn, forkSession, sessionId: own } = options;
  const chosen = own !== undefined || ((resume !== undefined || goesOn) && forkSession !== true);
  return chosen && resumable === true && sessionId !== undefined
    ? resuming(options, sessionId)
    : options;
}

/** The reason why a call was ended between two attempts, with what the first of them had come to. */
function withFactsOf(why: HawserError, failure: HawserError | undefined): HawserError {
  if (failure === undefined) return why;
  const { cliPath, cliVersion, sessionId, resumable, partialText, stderrTail } = failure;
  const facts = { cliPath, cliVersion, sessionId, resumable, partialText, stderrTail };
  const known = Object.entries(facts).filter(([, fact]) => fact !== undefined);
  return why.with(Object.fromEntries(known) as ErrorFacts);
}
