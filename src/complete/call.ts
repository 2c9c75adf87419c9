import { guardLogger, type HawserError, hostMask, isHawserError } from "../errors/index.js";
import type { Options } from "../options/index.js";
import {
  onAbort,
  resuming,
  type SessionSource,
  startTimer,
  timeoutError,
  withId,
  withoutSpent,
} from "../session/index.js";
import type { Prompt } from "../wire/index.js";
import { Attempt, type Job } from "./attempt.js";
import type { Completion } from "./completion.js";
import { Parts } from "./parts.js";
import { type Plan, planOf } from "./plan.js";
import { pauseAfter } from "./retry.js";
import { Tally } from "./tally.js";
import { owedValue } from "./value.js";

/** One call, from its prompt to its outcome: attempt after attempt, as far as they are wanted. */
export class Call {
  readonly parts: Parts = new Parts();
  readonly outcome: Promise<Completion<unknown>>;
  /** Set by who reads the text: a new attempt could not take it back. */
  textWasRead = false;
  readonly #startedAt = performance.now();
  #attempt: Attempt | undefined;
  /** Why this side ends it. */
  #ending: HawserError | undefined;
  #endPause: (() => void) | undefined;

  constructor(caller: string, prompt: Prompt, options: Options, source: SessionSource) {
    this.outcome = this.#run(caller, prompt, options, source);
    this.outcome.then(
      () => this.parts.end(),
      (error: unknown) => this.parts.end(error),
    );
  }

  /** Ends it, unless it has ended. */
  end(why: HawserError): void {
    if (this.#ending !== undefined) return;
    this.#ending = why;
    this.#attempt?.end(why);
    this.#endPause?.();
  }

  async #run(
    caller: string,
    prompt: Prompt,
    options: Options,
    source: SessionSource,
  ): Promise<Completion<unknown>> {
    const plan = planOf(caller, prompt, options);
    const { totalMs } = plan;
    const signals = [options.signal, options.abortController?.signal];
    const stopListening = onAbort(signals, (error) => this.end(error));
    const timer = startTimer(totalMs, () => this.end(timeoutError("total", totalMs)));
    try {
      const value = await owedValue(plan.schema);
      return await this.#attempts({
        plan,
        source,
        value,
        tally: new Tally(),
        startedAt: this.#startedAt,
        onPart: (part) => this.parts.add(part),
        pause: (ms) => this.#pause(ms),
      });
    } finally {
      clearTimeout(timer);
      stopListening();
    }
  }

  async #attempts(job: Job): Promise<Completion<unknown>> {
    const { plan, value } = job;
    const wanted = value === undefined ? plan.options : { ...plan.options, ...value.options };
    let options = wanted;
    for (let retries = 0; ; retries += 1) {
      if (this.#ending !== undefined) throw this.#ending;
      const attempt = new Attempt(job, withId(options));
      this.#attempt = attempt;
      try {
        return await attempt.run();
      } catch (error) {
        const pauseMs = this.#pauseAfter(error, job, retries, attempt);
        if (pauseMs === undefined || !isHawserError(error)) throw error;
        this.#tellRetry(plan, error, retries + 1, pauseMs);
        await this.#pause(pauseMs);
        options = again(wanted, error, job.tally.costUsd);
      }
    }
  }

  #pauseAfter(
    error: unknown,
    { plan, tally }: Job,
    retries: number,
    attempt: Attempt,
  ): number | undefined {
    if (!isHawserError(error) || this.#ending !== undefined) return undefined;
    const { maxBudgetUsd = Number.POSITIVE_INFINITY } = plan.options;
    if ((tally.costUsd ?? 0) >= maxBudgetUsd) return undefined;
    const elapsedMs = performance.now() - this.#startedAt;
    const { changedSomething } = attempt;
    const { textWasRead } = this;
    return pauseAfter(error, plan.retry, { retries, elapsedMs, changedSomething, textWasRead });
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
    this.parts.add({ type: "hawser", subtype: "retrying", ...facts });
  }

  async #pause(ms: number): Promise<void> {
    if (ms > 0 && this.#ending === undefined) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#endPause = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    if (this.#ending !== undefined) throw this.#ending;
  }
}

/**
 * The options of a new attempt. A conversation that the caller chose goes on in itself: its id is
 * taken, and what the attempt before has said is part of it. What is spent is spent.
 */
function again(wanted: Options, failure: HawserError, spentUsd: number | undefined): Options {
  const options = withoutSpent(wanted, spentUsd ?? 0);
  const { sessionId, resumable } = failure;
  const { resume, continue: goesOn, forkSession, sessionId: own } = options;
  const chosen = own !== undefined || ((resume !== undefined || goesOn) && forkSession !== true);
  return chosen && resumable === true && sessionId !== undefined
    ? resuming(options, sessionId)
    : options;
}
