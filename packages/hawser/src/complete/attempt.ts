import { guardLogger, type HawserError, hostMask, isHawserError } from "../base/index.js";
import type { Options } from "../options/index.js";
import {
  appendValidated,
  dropMessages,
  enrichError,
  interruptTurn,
  isDelivered,
  recordOf,
  type Session,
  type SessionLease,
  type SessionSource,
  sendingOf,
  sendValidated,
  stopOf,
  type Turn,
  whenStarted,
} from "../session/index.js";
import type { ContentBlock, Prompt } from "../wire/index.js";
import type { CallFeed } from "./call-feed.js";
import { buildCompletion, type Completion, type EndedTurn, joinTexts } from "./completion.js";
import type { Plan } from "./plan.js";
import { mayHaveChangedSomething } from "./retry-policy.js";
import {
  cliRejectedOutput,
  type StructuredOutput,
  stoppedWithoutOutput,
} from "./structured-output.js";
import type { Tally } from "./tally.js";
import { ToolCallCut } from "./tool-call-cut.js";

/** Everything that the attempts of one call share. */
export interface CallContext {
  /** The number of the call, for events; undefined for a rehearsal. */
  readonly number: number | undefined;
  readonly plan: Plan;
  readonly source: SessionSource;
  /** Absent for a call without a schema. */
  readonly output: StructuredOutput | undefined;
  readonly tally: Tally;
  readonly startedAt: number;
  /** For the readers of a stream; absent for `complete()`. */
  readonly feed: CallFeed | undefined;
  readonly call: InterruptibleCall;
}

/** The call as its attempts see it. `Call` implements it. */
export interface InterruptibleCall {
  /** Settles like the promise, but rejects with the reason as soon as the call is interrupted. */
  unlessInterrupted<T>(promise: Promise<T>): Promise<T>;
  /** Resolves after the time; rejects with the reason as soon as the call is interrupted. */
  sleep(ms: number): Promise<void>;
  /** The prompt was written to a process that is still starting. */
  onPromptAhead(): void;
}

const MAX_REPLACED_LEASES = 3;

/** Log messages for a call that continues by itself. */
const TURNS_REACHED = "maxTurns was reached, so the call continues";
const PROCESS_DIED = "the process died after a resume, so the call continues in a new process";

/** What follows a turn: another prompt, or the end of the attempt. */
type Step = { readonly prompt: Prompt } | { readonly value: unknown; readonly ended: EndedTurn };

/** One attempt at a call: leases a session, runs its turns, and builds the completion. */
export class Attempt {
  readonly #context: CallContext;
  readonly #options: Options;
  readonly #abort = new AbortController();
  /** The text of each run that has ended; `autoResume` makes several runs. */
  readonly #texts: string[] = [];
  #lease: SessionLease | undefined;
  #turn: Turn | undefined;
  #interruption: HawserError | undefined;
  #firstTokenAt: number | undefined;
  #changedSomething = false;
  /** Whether a prompt has left this program. */
  #delivered = false;
  #resumes = 0;
  #repairs = 0;

  constructor(context: CallContext, options: Options) {
    this.#context = context;
    this.#options = { ...options, signal: this.#abort.signal };
  }

  /** Whether a tool was called that may have changed something. */
  get changedSomething(): boolean {
    return this.#changedSomething;
  }

  async run(): Promise<Completion<unknown>> {
    for (let replaced = 0; ; replaced += 1) {
      const lease = await this.#acquire();
      try {
        const completion = await this.#runTurns(lease);
        // Wait for the release of a session on disk, so that the caller can resume it at once.
        if (this.#options.persistSession !== false) await lease.release();
        // Release a process of a pool at once, because the next call may want it.
        else if (lease.isHandedOn) void lease.release();
        else setImmediate(() => void lease.release());
        return completion;
      } catch (error) {
        const failure = this.#addContext(lease.session, error);
        await lease.release(failure);
        this.#lease = undefined;
        this.#turn = undefined;
        if (replaced >= MAX_REPLACED_LEASES || !this.#mayReplaceLease(lease, failure))
          throw failure;
      }
    }
  }

  /** Interrupts the running turn. `run()` then rejects with this reason, unless the answer came first. */
  interrupt(why: HawserError): void {
    this.#interruption = why;
    if (this.#lease?.isHandedOn) {
      if (this.#turn !== undefined) interruptTurn(this.#turn, why);
      return;
    }
    void this.#lease?.session.close(why);
    this.#abort.abort(why.reason ?? why);
  }

  /** Another process may take over if this one died before the prompt reached it. */
  #mayReplaceLease({ isReplaceable }: SessionLease, { code }: HawserError): boolean {
    const neverSent = isReplaceable && !this.#delivered && this.#interruption === undefined;
    return neverSent && (code === "process_exited" || code === "closed");
  }

  async #acquire(): Promise<SessionLease> {
    const { number, plan, source, startedAt, call } = this.#context;
    const { timeouts, showsEvents, totalMs } = plan;
    const acquired = source.acquire({
      purpose: "call",
      call: number,
      options: this.#options,
      timeouts,
      showsEvents,
      deadlineAt: startedAt + totalMs,
    });
    try {
      return await call.unlessInterrupted(acquired);
    } catch (error) {
      // Release a lease that arrives after the interruption.
      acquired.then(
        (lease) => lease.release(isHawserError(error) ? error : undefined),
        () => {},
      );
      throw error;
    }
  }

  async #runTurns(lease: SessionLease): Promise<Completion<unknown>> {
    const { plan, tally, startedAt } = this.#context;
    const { session, queuedMs, bootMs } = lease;
    this.#lease = lease;
    // A process of a pool is ready before its prompt is sent.
    const leasedAt = bootMs === undefined ? undefined : performance.now();
    const boot: { info: unknown; readyAt: number | undefined } = { info: {}, readyAt: leasedAt };
    session.initializationResult().then(
      (info) => {
        Object.assign(boot, { info, readyAt: leasedAt ?? performance.now() });
      },
      // A failed start also fails the turn, which reports the reason.
      () => {},
    );
    // First the process, because all else of a call costs a new program a millisecond or more.
    if (bootMs === undefined) await whenStarted(session);
    if (plan.history.length > 0) await this.#sendHistory(session);
    let step: Step = { prompt: plan.prompt };
    while ("prompt" in step) step = await this.#runTurn(session, step.prompt);
    return buildCompletion(step.ended, tally, {
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

  /** Nothing of it belongs to the turns of the call. The process may still be replaced afterwards. */
  async #sendHistory(session: Session): Promise<void> {
    const { plan, call } = this.#context;
    const interruption = () => this.#interruption;
    await call.unlessInterrupted(appendValidated(session, plan.history, interruption));
  }

  /** Runs one turn and decides what follows. */
  async #runTurn(session: Session, prompt: Prompt): Promise<Step> {
    if (this.#interruption !== undefined) throw this.#interruption;
    const turn = sendValidated(session, prompt);
    this.#turn = turn;
    // Undefined for a process that is still starting: it finds the prompt in its input.
    if (this.#lease?.bootMs === undefined) {
      void sendingOf(turn)?.then(() => this.#context.call.onPromptAhead());
    }
    if (this.#context.feed === undefined) dropMessages(turn);
    else this.#context.feed.add(turn);
    const ended = await this.#awaitResult(turn).catch((error: unknown) => {
      if (!this.#isSurvivable(error)) throw error;
      this.#texts.push(error.partialText ?? "");
    });
    if (ended === undefined) return this.#resume(PROCESS_DIED);
    if (ended.stop === "max_turns" && this.#mayResume()) {
      this.#texts.push(ended.text);
      return this.#resume(TURNS_REACHED);
    }
    try {
      return await this.#checkAnswer(ended);
    } catch (error) {
      throw enrichError(session, error, turn);
    }
  }

  async #awaitResult(turn: Turn): Promise<EndedTurn> {
    const { plan, tally, output } = this.#context;
    const record = recordOf(turn);
    const { clientTools = [] } = plan.options;
    const names = new Set(clientTools.map(({ name }) => name));
    const cut = plan.endsAtToolCalls ? new ToolCallCut(turn, names) : undefined;
    try {
      const result = await turn.result.catch((error: unknown) => {
        if (cut?.result !== undefined) return cut.result;
        tally.addLost(turn);
        throw error;
      });
      if (cut?.result !== undefined) {
        tally.add(result, 1);
        const { model, givenOutput, text } = record;
        const { calls: toolCalls, content } = cut;
        const stop = "tool_calls";
        return { result, model, givenOutput, text: text.text, toolCalls, content, stop };
      }
      tally.add(result);
      const gaveUp = output !== undefined && cliRejectedOutput(result);
      const text = gaveUp ? record.text.text : await turn.text();
      const { model, givenOutput } = record;
      const stop = stopOf(result) ?? "completed";
      const content = record.whole.newestContent;
      return { result, text, stop, model, givenOutput, toolCalls: [], content };
    } finally {
      cut?.stop();
      this.#delivered ||= isDelivered(turn);
      this.#firstTokenAt ??= record.firstTokenAt;
      // The caller runs the client tools, so a call that failed has not run them.
      this.#changedSomething ||= !cut && mayHaveChangedSomething(record.toolsCalled);
    }
  }

  /** Whether a new process may resume the work of a process that died after an earlier resume. */
  #isSurvivable(error: unknown): error is HawserError {
    if (!isHawserError(error, "process_exited") || this.#resumes === 0) return false;
    return error.result === undefined && error.resumable === true && this.#mayResume();
  }

  /**
   * Whether another run may follow. If the pause before it outlasted the deadline, the text so far would be
   * lost.
   */
  #mayResume(): boolean {
    const { plan, startedAt } = this.#context;
    const { times, waitMs } = plan.autoResume;
    const endsInTime = performance.now() - startedAt + waitMs < plan.totalMs;
    return this.#resumes < times && endsInTime && this.#interruption === undefined;
  }

  async #resume(why: string): Promise<Step> {
    const { autoResume, options } = this.#context.plan;
    const { times, waitMs, prompt } = autoResume;
    this.#resumes += 1;
    const facts = { resumes: this.#resumes, of: times, delay_ms: waitMs };
    guardLogger(options.logger, hostMask()).warn(why, facts);
    this.#context.feed?.add({ type: "hawser", subtype: "continuing", ...facts });
    await this.#context.call.sleep(waitMs);
    return { prompt };
  }

  /** Ends the attempt if the answer fits the schema; otherwise asks the model to repair it. */
  async #checkAnswer(ended: EndedTurn): Promise<Step> {
    const { output, plan, call } = this.#context;
    if (output === undefined) return this.#answered(ended, undefined);
    const { stop, result } = ended;
    // The model gives the value later, when it has the results of the tools.
    if (stop === "tool_calls" || stop === "tool_deferred") return this.#answered(ended, undefined);
    if (stop === "max_turns" || stop === "max_budget") throw stoppedWithoutOutput(stop, result);
    const parsed = await call.unlessInterrupted(output.parse(ended));
    if (parsed.issues === undefined) return this.#given(ended, parsed.value);
    if (this.#repairs >= plan.maxRepairs || stop === "hook_stopped") {
      throw output.failure(ended, parsed.issues);
    }
    this.#repairs += 1;
    const facts = { repairs: this.#repairs, of: plan.maxRepairs, issues: parsed.issues };
    this.#context.feed?.add({ type: "hawser", subtype: "repairing", ...facts });
    return { prompt: output.repairPrompt(parsed.issues) };
  }

  /** A value that fits the schema: the answer, or the tool call that it stands for. */
  #given(ended: EndedTurn, value: unknown): Step {
    const { forcedCall } = this.#context.plan;
    if (forcedCall === undefined) return this.#answered(ended, value);
    const call = forcedCall.callOf(value);
    const content: ContentBlock[] = [{ type: "tool_use", ...call }];
    const made = { text: "", stop: "tool_calls", toolCalls: [call], content } as const;
    return this.#answered({ ...ended, ...made }, undefined);
  }

  #answered(ended: EndedTurn, value: unknown): Step {
    this.#texts.push(ended.text);
    return { ended, value };
  }

  /** Adds the facts of the session, and the texts of all earlier runs, to an error. */
  #addContext(session: Session, error: unknown): HawserError {
    const known = enrichError(session, error);
    if (this.#texts.length === 0) return known;
    const partialText = joinTexts([...this.#texts, known.partialText ?? ""]);
    return enrichError(session, known.withFacts({ partialText }));
  }
}
