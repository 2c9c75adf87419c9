import { type HawserError, isHawserError } from "../errors/index.js";
import type { Options } from "../options/index.js";
import {
  enrichedBy,
  recordOf,
  type Session,
  type SessionLease,
  type SessionSource,
  stopOf,
  type Turn,
} from "../session/index.js";
import type { HostNotice, Prompt } from "../wire/index.js";
import { type Completion, completionOf, type Ended } from "./completion.js";
import type { Plan } from "./plan.js";
import { mayChange } from "./retry.js";
import type { Tally } from "./tally.js";
import { type OwedValue, stillOwed } from "./value.js";

/** What the attempts of one call have in common. */
export interface Job {
  readonly plan: Plan;
  readonly source: SessionSource;
  /** The value that is owed, if there is a schema. */
  readonly value: OwedValue | undefined;
  readonly tally: Tally;
  readonly startedAt: number;
  /** What is to be handed on to readers. */
  readonly onPart: (part: Turn | HostNotice) => void;
  /** Rejects if the call is ended meanwhile. */
  readonly pause: (ms: number) => Promise<void>;
}

type Step = { readonly prompt: Prompt } | { readonly value: unknown; readonly ended: Ended };

/** One attempt at a call: a session, its turns, and what they come to. */
export class Attempt {
  readonly #job: Job;
  readonly #options: Options;
  readonly #abort = new AbortController();
  readonly #ended: Ended[] = [];
  /** What was said before each time it went on, and at last. */
  readonly #texts: string[] = [];
  #session: Session | undefined;
  #ending: HawserError | undefined;
  #changedSomething = false;
  #resumes = 0;
  #repairs = 0;

  constructor(job: Job, options: Options) {
    this.#job = job;
    this.#options = { ...options, signal: this.#abort.signal };
  }

  /** Whether a tool was called that may have changed something. */
  get changedSomething(): boolean {
    return this.#changedSomething;
  }

  async run(): Promise<Completion<unknown>> {
    const { plan, source } = this.#job;
    const { timeouts, showsEvents } = plan;
    const lease = await source.acquire({ options: this.#options, timeouts, showsEvents });
    try {
      const completion = await this.#converse(lease);
      // Who gets the id of a session that is kept can go on with it at once.
      if (this.#options.persistSession !== false) await lease.release();
      else setImmediate(() => void lease.release());
      return completion;
    } catch (error) {
      await lease.release();
      throw this.#whole(lease.session, error);
    }
  }

  /** Interrupts what runs; `run()` then rejects with this reason, unless the answer was first. */
  end(why: HawserError): void {
    this.#ending = why;
    void this.#session?.close(why);
    this.#abort.abort(why.reason ?? why);
  }

  async #converse({ session, queuedMs }: SessionLease): Promise<Completion<unknown>> {
    const { plan, tally, startedAt } = this.#job;
    this.#session = session;
    if (this.#ending !== undefined) await session.close(this.#ending);
    const boot: { info?: unknown; readyAt?: number } = {};
    session.initializationResult().then(
      (info) => Object.assign(boot, { info, readyAt: performance.now() }),
      // A start that failed ends the turn, which tells why.
      () => {},
    );
    let step: Step = { prompt: plan.prompt };
    while ("prompt" in step) step = await this.#take(session, step.prompt);
    const { info, readyAt } = boot;
    const resumes = this.#resumes;
    const around = { startedAt, readyAt, queuedMs, info, resumes, tally };
    const { ended, value } = step;
    return { ...completionOf(this.#ended, ended, this.#texts, around), value };
  }

  /** One turn, and what follows from it. */
  async #take(session: Session, prompt: Prompt): Promise<Step> {
    const turn = session.send(prompt);
    this.#job.onPart(turn);
    const ended = await this.#settled(turn).catch((error: unknown) => {
      if (!this.#isSurvivable(error)) throw error;
      this.#texts.push(error.partialText ?? "");
    });
    if (ended === undefined) return this.#goOn();
    if (ended.stop === "max_turns" && this.#mayGoOn()) {
      this.#texts.push(ended.text);
      return this.#goOn();
    }
    return this.#judge(session, ended);
  }

  async #settled(turn: Turn): Promise<Ended> {
    const { tally } = this.#job;
    try {
      const result = await turn.result.catch((error: unknown) => {
        tally.addLost(turn);
        throw error;
      });
      tally.add(result);
      const text = await turn.text();
      const ended = { turn, result, text, stop: stopOf(result) ?? "completed" };
      this.#ended.push(ended);
      return ended;
    } finally {
      this.#changedSomething ||= mayChange(recordOf(turn).toolsCalled);
    }
  }

  /** A process that died while it went on is replaced by one that resumes. */
  #isSurvivable(error: unknown): error is HawserError {
    if (!isHawserError(error, "process_exited") || this.#resumes === 0) return false;
    return error.result === undefined && error.resumable === true && this.#mayGoOn();
  }

  /** A pause that does not fit before the deadline would lose what there is. */
  #mayGoOn(): boolean {
    const { plan, startedAt } = this.#job;
    const { times, waitMs } = plan.autoResume;
    const inTime = performance.now() - startedAt + waitMs < plan.totalMs;
    return this.#resumes < times && inTime && this.#ending === undefined;
  }

  async #goOn(): Promise<Step> {
    const { times, waitMs, prompt } = this.#job.plan.autoResume;
    this.#resumes += 1;
    const facts = { resumes: this.#resumes, of: times, delay_ms: waitMs };
    this.#job.onPart({ type: "hawser", subtype: "continuing", ...facts });
    await this.#job.pause(waitMs);
    return { prompt };
  }

  /** Whether the answer is what was asked for. */
  async #judge(session: Session, ended: Ended): Promise<Step> {
    const { value, plan } = this.#job;
    if (value === undefined) return this.#answered(ended, undefined);
    if (ended.stop === "max_turns" || ended.stop === "max_budget") {
      throw enrichedBy(session, stillOwed(ended.stop, ended.result), ended.turn);
    }
    const found = await value.of(ended);
    if (found.issues === undefined) return this.#answered(ended, found.value);
    if (this.#repairs >= plan.maxRepairs || ended.stop === "hook_stopped") {
      throw enrichedBy(session, value.failure(ended, found.issues), ended.turn);
    }
    this.#repairs += 1;
    const facts = { repairs: this.#repairs, of: plan.maxRepairs, issues: found.issues };
    this.#job.onPart({ type: "hawser", subtype: "repairing", ...facts });
    return { prompt: value.repairPrompt(found.issues) };
  }

  #answered(ended: Ended, value: unknown): Step {
    this.#texts.push(ended.text);
    return { ended, value };
  }

  /** The error with the texts of all runs before it. */
  #whole(session: Session, error: unknown): unknown {
    if (this.#texts.length === 0 || !isHawserError(error)) return error;
    const texts = [...this.#texts, error.partialText ?? ""].filter((text) => text !== "");
    return enrichedBy(session, error.but({ partialText: texts.join("\n\n") }));
  }
}
