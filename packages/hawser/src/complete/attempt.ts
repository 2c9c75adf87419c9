import { guardLogger, type HawserError, hostMask, isHawserError } from "../base/index.js";
import type { Options } from "../options/index.js";
import {
  enrichedBy,
  forgetMessages,
  isDelivered,
  recordOf,
  type Session,
  type SessionLease,
  type SessionSource,
  sendValidated,
  stopOf,
  stopTurn,
  type Turn,
} from "../session/index.js";
import type { HostNotice, Prompt } from "../wire/index.js";
import { type Completion, completionOf, type Ended, joinRuns } from "./completion.js";
import type { Plan } from "./plan.js";
import { mayChange } from "./retry.js";
import type { Tally } from "./tally.js";
import { isRefusedOutput, type OwedValue, stillOwed } from "./value.js";

/** What the attempts of one call have in common. */
export interface Job {
  readonly plan: Plan;
  readonly source: SessionSource;
  /** The value that is owed, if there is a schema. */
  readonly value: OwedValue | undefined;
  readonly tally: Tally;
  readonly startedAt: number;
  /** What is to be handed on to readers; absent if there can be none. */
  readonly onPart: ((part: Turn | HostNotice) => void) | undefined;
  /** The same, unless the call is ended before: then it rejects with the reason. */
  readonly unlessEnded: <T>(promise: Promise<T>) => Promise<T>;
  readonly pause: (ms: number) => Promise<void>;
}

const MOST_MOVES = 3;

/** Why a call goes on by itself, for the log. */
const LIMITED = "the limit of turns was reached, so the call goes on";
const DIED = "the process died while the call went on, so the call goes on in a new one";

type Step = { readonly prompt: Prompt } | { readonly value: unknown; readonly ended: Ended };

/** One attempt at a call: a session, its turns, and what they come to. */
export class Attempt {
  readonly #job: Job;
  readonly #options: Options;
  readonly #abort = new AbortController();
  /** The text of each run that has ended. */
  readonly #texts: string[] = [];
  #lease: SessionLease | undefined;
  #turn: Turn | undefined;
  #ending: HawserError | undefined;
  #firstTokenAt: number | undefined;
  #changedSomething = false;
  /** Whether a prompt has left this program. */
  #delivered = false;
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
    for (let moves = 0; ; moves += 1) {
      const lease = await this.#acquire();
      try {
        const completion = await this.#converse(lease);
        // Who gets the id of a session that is kept can go on with it at once.
        if (this.#options.persistSession !== false) await lease.release();
        // The next call may want the same process.
        else if (lease.isHandedOn) void lease.release();
        else setImmediate(() => void lease.release());
        return completion;
      } catch (error) {
        const whole = this.#whole(lease.session, error);
        await lease.release(whole);
        this.#lease = undefined;
        this.#turn = undefined;
        if (moves >= MOST_MOVES || !this.#mayMove(lease, whole)) throw whole;
      }
    }
  }

  /** Interrupts what runs; `run()` then rejects with this reason, unless the answer was first. */
  end(why: HawserError): void {
    this.#ending = why;
    if (this.#lease?.isHandedOn) {
      if (this.#turn !== undefined) stopTurn(this.#turn, why);
      return;
    }
    void this.#lease?.session.close(why);
    this.#abort.abort(why.reason ?? why);
  }

  /** A process that died before the prompt had reached it is not this call's failure. */
  #mayMove({ isReplaceable }: SessionLease, { code }: HawserError): boolean {
    const neverSent = isReplaceable && !this.#delivered && this.#ending === undefined;
    return neverSent && (code === "process_exited" || code === "closed");
  }

  async #acquire(): Promise<SessionLease> {
    const { plan, source, startedAt, unlessEnded } = this.#job;
    const { timeouts, showsEvents, totalMs } = plan;
    const acquired = source.acquire({
      purpose: "call",
      options: this.#options,
      timeouts,
      showsEvents,
      deadlineAt: startedAt + totalMs,
    });
    try {
      return await unlessEnded(acquired);
    } catch (error) {
      // One that comes all the same is of no use any more.
      acquired.then(
        (lease) => lease.release(isHawserError(error) ? error : undefined),
        () => {},
      );
      throw error;
    }
  }

  async #converse(lease: SessionLease): Promise<Completion<unknown>> {
    const { plan, tally, startedAt } = this.#job;
    const { session, queuedMs, bootMs } = lease;
    this.#lease = lease;
    // One that a pool has started is ready by now, before its prompt is sent.
    const leasedAt = bootMs === undefined ? undefined : performance.now();
    const boot: { info: unknown; readyAt: number | undefined } = { info: {}, readyAt: leasedAt };
    session.initializationResult().then(
      (info) => Object.assign(boot, { info, readyAt: leasedAt ?? performance.now() }),
      // A start that failed ends the turn, which tells why.
      () => {},
    );
    let step: Step = { prompt: plan.prompt };
    while ("prompt" in step) step = await this.#take(session, step.prompt);
    return completionOf(step.ended, tally, {
      ...boot,
      startedAt,
      queuedMs,
      bootMs,
      firstTokenAt: this.#firstTokenAt,
      texts: this.#texts,
      resumes: this.#resumes,
      value: step.value,
    });
  }

  /** One turn, and what follows from it. */
  async #take(session: Session, prompt: Prompt): Promise<Step> {
    if (this.#ending !== undefined) throw this.#ending;
    const turn = sendValidated(session, prompt);
    this.#turn = turn;
    if (this.#job.onPart === undefined) forgetMessages(turn);
    else this.#job.onPart(turn);
    const ended = await this.#settled(turn).catch((error: unknown) => {
      if (!this.#isSurvivable(error)) throw error;
      this.#texts.push(error.partialText ?? "");
    });
    if (ended === undefined) return this.#goOn(DIED);
    if (ended.stop === "max_turns" && this.#mayGoOn()) {
      this.#texts.push(ended.text);
      return this.#goOn(LIMITED);
    }
    try {
      return await this.#judge(ended);
    } catch (error) {
      throw enrichedBy(session, error, turn);
    }
  }

  async #settled(turn: Turn): Promise<Ended> {
    const { tally, value } = this.#job;
    const record = recordOf(turn);
    try {
      const result = await turn.result.catch((error: unknown) => {
        tally.addLost(turn);
        throw error;
      });
      tally.add(result);
      const gaveUp = value !== undefined && isRefusedOutput(result);
      const text = gaveUp ? record.text.text : await turn.text();
      const { model, givenOutput } = record;
      return { result, text, stop: stopOf(result) ?? "completed", model, givenOutput };
    } finally {
      this.#delivered ||= isDelivered(turn);
      this.#firstTokenAt ??= record.firstTokenAt;
      this.#changedSomething ||= mayChange(record.toolsCalled);
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

  async #goOn(why: string): Promise<Step> {
    const { autoResume, options } = this.#job.plan;
    const { times, waitMs, prompt } = autoResume;
    this.#resumes += 1;
    const facts = { resumes: this.#resumes, of: times, delay_ms: waitMs };
    guardLogger(options.logger, hostMask()).warn(why, facts);
    this.#job.onPart?.({ type: "hawser", subtype: "continuing", ...facts });
    await this.#job.pause(waitMs);
    return { prompt };
  }

  /** Whether the answer is what was asked for. */
  async #judge(ended: Ended): Promise<Step> {
    const { value, plan, unlessEnded } = this.#job;
    if (value === undefined) return this.#answered(ended, undefined);
    const { stop, result } = ended;
    if (stop === "max_turns" || stop === "max_budget") throw stillOwed(stop, result);
    const found = await unlessEnded(value.of(ended));
    if (found.issues === undefined) return this.#answered(ended, found.value);
    if (this.#repairs >= plan.maxRepairs || stop === "hook_stopped") {
      throw value.failure(ended, found.issues);
    }
    this.#repairs += 1;
    const facts = { repairs: this.#repairs, of: plan.maxRepairs, issues: found.issues };
    this.#job.onPart?.({ type: "hawser", subtype: "repairing", ...facts });
    return { prompt: value.repairPrompt(found.issues) };
  }

  #answered(ended: Ended, value: unknown): Step {
    this.#texts.push(ended.text);
    return { ended, value };
  }

  /** The error with what is known of the session, and the texts of all runs before it. */
  #whole(session: Session, error: unknown): HawserError {
    const known = enrichedBy(session, error);
    if (this.#texts.length === 0) return known;
    const partialText = joinRuns([...this.#texts, known.partialText ?? ""]);
    return enrichedBy(session, known.but({ partialText }));
  }
}
