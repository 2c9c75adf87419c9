import { callerStack, inspectable, isHawserError, onAbort } from "../base/index.js";
import type { ValueOf } from "../complete/index.js";
import type { StandardSchema } from "../schema/index.js";
import { checkOptions } from "./check-options.js";
import type { CouncilEvent } from "./council-event.js";
import type { CouncilOptions } from "./council-options.js";
import type { CouncilReport } from "./council-report.js";
import { EventList } from "./event-list.js";
import { makeReport } from "./make-report.js";
import { joinRounds, type Outcome, votesIn } from "./outcome.js";
import { reviewPrompt, secondPrompt } from "./prompts.js";
import { review } from "./review.js";
import type { Reviewer } from "./reviewer.js";
import type { Vote } from "./vote.js";
import { voteSchema } from "./vote-schema.js";

/**
 * A council at work: iterate over what happens, and await the `report`. Every reader gets all events from the first one
 * on. A reader that stops does not end the council; the `signal` of its options does.
 */
export interface Council<Details = undefined> extends AsyncIterable<CouncilEvent<Details>> {
  /**
   * The verdict, the votes and the findings. A reviewer that fails is an absence, never a rejection of this promise;
   * only wrong options reject it, with `invalid_options`. A `rule` that throws, or returns no ruling, is one of them.
   */
  readonly report: Promise<CouncilReport<Details>>;
}

/**
 * The options of a council: `CouncilOptions`. TypeScript infers `O` from the options as they are written, and `ValueOf`
 * reads the type of the details from it.
 */
// With `O` itself as the type, every name would be allowed.
export type CouncilCall<O> = [O] extends [never] ? O : CouncilOptions;

/**
 * Lets several reviewers judge the same subject, at the same time and each alone, and makes one verdict of their votes.
 * A reviewer that fails, or takes too long, does not hold up the others. With fewer votes than the quorum there is no
 * verdict. The subject is fenced: it is judged, and never obeyed.
 *
 * @example
 * ```ts
 * import { council, DEFAULT_REVIEWERS } from "hawser/council";
 *
 * const subject = "+ const port = Number(process.env.PORT);";
 * const { report } = council({ reviewers: DEFAULT_REVIEWERS, subject, rule: "veto" });
 * const { verdict, label, findings } = await report;
 * console.log(verdict, label, findings.length);
 * ```
 *
 * @example Votes with a value of your own
 * ```ts
 * import { council, DEFAULT_REVIEWERS } from "hawser/council";
 * import { z } from "zod";
 *
 * const schema = z.object({ risk: z.number() });
 * const { report } = council({ reviewers: DEFAULT_REVIEWERS, subject: "A plan.", schema });
 * for (const { reviewer, details } of (await report).votes) console.log(reviewer, details.risk);
 * ```
 */
export function council<O = object>(options: CouncilCall<O>): Council<ValueOf<O>>;
export function council(options: CouncilOptions): Council<unknown> {
  return new CouncilAtWork(options, callerStack());
}

class CouncilAtWork implements Council<unknown> {
  readonly report: Promise<CouncilReport<unknown>>;
  readonly #options: CouncilOptions;
  readonly #stack: string;
  readonly #events = new EventList<CouncilEvent<unknown>>();
  readonly #startedAt = performance.now();
  /** Ends all reviews. */
  readonly #abort = new AbortController();

  static {
    inspectable(CouncilAtWork, "Council", (council) => ({
      reviewers: council.#options.reviewers.map(({ name }) => name),
      events: council.#events.length,
    }));
  }

  constructor(options: CouncilOptions, stack: string) {
    this.#options = options;
    this.#stack = stack;
    this.report = this.#work();
    // A reader of the events learns of a failure there, so `report` may have no handler of its own.
    this.report.then(
      () => this.#events.end(),
      (error: unknown) => this.#events.fail(error),
    );
  }

  [Symbol.asyncIterator](): AsyncIterator<CouncilEvent<unknown>> {
    return this.#events[Symbol.asyncIterator]();
  }

  async #work(): Promise<CouncilReport<unknown>> {
    checkOptions(this.#options);
    const { signal } = this.#options;
    const stopListening = onAbort([signal], () => this.#abort.abort(signal?.reason));
    try {
      const outcomes = await this.#rounds(await voteSchema(this.#options.schema));
      const ms = Math.round(performance.now() - this.#startedAt);
      const report = makeReport(this.#options, outcomes, ms);
      this.#events.add({ type: "verdict", report });
      return report;
    } finally {
      stopListening();
    }
  }

  async #rounds(schema: StandardSchema<Vote<unknown>>): Promise<readonly Outcome[]> {
    const { subject, task = TASK, rounds = 1 } = this.#options;
    const prompt = reviewPrompt(subject, task);
    const first = await this.#round(1, schema, () => prompt);
    const votes = votesIn(first);
    if (rounds === 1 || votes.length < 2 || this.#abort.signal.aborted) return first;
    const second = await this.#round(2, schema, ({ name }) => {
      const own = votes.find(({ reviewer }) => reviewer === name);
      const others = votes.filter((vote) => vote !== own);
      return secondPrompt(prompt, own, others);
    });
    return second.map((outcome, seat) => joinRounds(first[seat] ?? outcome, outcome));
  }

  /** Waits for every reviewer, so that none works on after the report. Wrong options of one reviewer end all. */
  async #round(
    round: number,
    schema: StandardSchema<Vote<unknown>>,
    promptFor: (reviewer: Reviewer) => string,
  ): Promise<readonly Outcome[]> {
    const reviews = this.#options.reviewers.map((reviewer) =>
      this.#seat(round, reviewer, schema, promptFor(reviewer)),
    );
    const settled = await Promise.allSettled(reviews);
    const wrong = settled.find((each) => each.status === "rejected");
    if (wrong !== undefined) throw wrong.reason;
    return settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  }

  async #seat(
    round: number,
    reviewer: Reviewer,
    schema: StandardSchema<Vote<unknown>>,
    prompt: string,
  ): Promise<Outcome> {
    const { name } = reviewer;
    this.#events.add({ type: "review", reviewer: name, round });
    try {
      const outcome = await review({
        reviewer,
        prompt,
        schema,
        options: this.#options,
        signal: this.#abort.signal,
        stack: this.#stack,
        onTool: (tool) => this.#events.add({ type: "tool", reviewer: name, round, tool }),
      });
      this.#events.add(
        "vote" in outcome
          ? { type: "vote", round, vote: outcome.vote }
          : { type: "absent", round, absence: outcome.absence },
      );
      return outcome;
    } catch (error) {
      this.#abort.abort(error);
      throw isHawserError(error)
        ? error.withFacts({ hint: `Correct the options of the reviewer ${JSON.stringify(name)}.` })
        : error;
    }
  }
}

const TASK = "Judge whether this should be accepted.";
