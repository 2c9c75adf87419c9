import { describeCall, HawserError, type SessionStoreEntry } from "hawser";
import type { Claim, SegmentEnd } from "../../runs/claims.js";
import type { ToolIntent } from "../../runs/run.js";
import { readLastFailure, readUncertain } from "../../runs/uncertain-tools.js";
import { LEASE_MARGIN_MS, type Moment } from "../../sessions/lease-clock.js";
import type { WorkerSettings } from "../worker-settings.js";
import { type Beginning, planBeginning } from "./beginning.js";
import { type PreparedSession, prepareSession, type StartedBeginning } from "./prepare-session.js";
import { createSegmentContext, expiryOf, type SegmentContext } from "./segment-context.js";
import {
  costOf,
  type Ending,
  endOfAnswered,
  endOfError,
  endOfTimeout,
  endOfTurn,
  endOfUncertain,
  failureOf,
  type TurnResult,
} from "./segment-end.js";
import { SegmentTurn } from "./segment-turn.js";
import { resultsIn, Transcript } from "./transcript.js";
import { letsGoOn, uncertainQuestion } from "./uncertain-question.js";
import { untilAborted } from "./until-aborted.js";
import { disposeWorkspace } from "./workspace.js";

/** Why this host ends a segment before its turn has ended. The first reason counts. */
type Stop =
  | { readonly type: "cancelled" }
  | { readonly type: "timeout" }
  | { readonly type: "returned"; readonly reason: string };

/**
 * One claimed run on this host: from the start of a CLI to its end, and the record of it. Whatever happens, the
 * process is gone before the segment is settled.
 */
export class Segment {
  readonly claim: Claim;
  readonly #context: SegmentContext;
  readonly #turn: SegmentTurn;
  readonly #stopping = new AbortController();
  #stop: Stop | undefined;
  #giveBackTimer: NodeJS.Timeout | undefined;
  #preparing: Promise<PreparedSession> | undefined;
  #prepared: PreparedSession | undefined;
  #result: TurnResult | undefined;
  #isHostFault = false;
  #allowedCall: string | undefined;

  constructor(settings: WorkerSettings, claim: Claim) {
    this.claim = claim;
    this.#context = createSegmentContext(settings, claim);
    this.#turn = new SegmentTurn(this.#context);
    this.#context.lease.lost.addEventListener("abort", () => this.#turn.kill());
  }

  /** Whether the segment has ended because no CLI can be started for the run on this host. */
  get isHostFault(): boolean {
    return this.#isHostFault;
  }

  /** A heartbeat that was sent at this moment has found the claim. */
  renewed(sentAt: Moment): void {
    this.#context.lease.renewed(sentAt);
    // The watchdog counts from now. It would end the process too late if the answer took long.
    if (performance.now() - sentAt.monotonicMs < LONGEST_ANSWER_MS) this.#turn.renew();
  }

  /** The claim is gone. Kills the process. */
  lose(): void {
    this.#context.lease.lose();
  }

  /** Somebody wants the run to end. */
  cancel(): void {
    this.#endEarly({ type: "cancelled" });
  }

  /** A call that waits for a person is parked now; everything else goes on. */
  parkQuestions(): void {
    this.#context.hurry.abort();
  }

  /** Gives the run back, so that another host goes on with it. A question to a person stays open if it can be parked. */
  giveBack(reason: string): void {
    this.parkQuestions();
    const stop = () => this.#endEarly({ type: "returned", reason });
    const mayPark = this.#prepared?.questions.mayPark ?? this.#context.time.isWaiting;
    if (!mayPark) stop();
    else this.#giveBackTimer ??= setTimeout(stop, PARK_LIMIT_MS);
  }

  /** Works until the segment is settled, or lost. Never rejects. */
  async run(): Promise<void> {
    this.#limitTime();
    const { run, segment, how } = this.claim;
    const facts = { run: run.id, segment, tenant: run.tenant };
    const { logger } = this.#context.settings;
    logger?.info("segment begins", { ...facts, profile: run.profile, how });
    let ending: Ending;
    try {
      ending = await this.#work();
    } catch (error) {
      const hasBegun = this.#turn.turn !== undefined;
      ending = this.#parked() ?? this.#stopped() ?? endOfError(error, hasBegun);
    }
    this.#isHostFault = ending.type === "crashed" && ending.isHostFault === true;
    this.#context.time.stop();
    clearTimeout(this.#giveBackTimer);
    await this.#turn.close();
    await this.#context.events.close();
    if (this.#isHostFault) await this.#forgetCall();
    const isSettled = await this.#settle(ending);
    const { code, message: reason } = "error" in ending ? ending.error : {};
    const end = isSettled ? { end: ending.type, code, reason } : { end: "lost" };
    if (ending.type === "crashed") logger?.warn("segment ends", { ...facts, ...end });
    else logger?.info("segment ends", { ...facts, ...end });
    this.#context.lease.release();
    const isOver = ENDS_THE_RUN.has(ending.type) || (isSettled && (await this.#hasEnded()));
    await this.#leaveWorkspace(isSettled && isOver);
  }

  /** Whether the run has ended with this segment: after its last attempt, or because it was cancelled. */
  async #hasEnded(): Promise<boolean> {
    const { database } = this.#context.settings.parts;
    try {
      const { rows } = await database.query(
        `select 1 from ${database.schema}.run where id = $1 and ended_at is not null`,
        [this.claim.run.id],
      );
      return rows.length > 0;
    } catch {
      return false; // The folder is removed when the worker sweeps.
    }
  }

  async #work(): Promise<Ending> {
    const { transcript, uncertain } = await this.#readTranscript();
    if (uncertain.length > 0) {
      const ending = await this.#judgeUncertain(uncertain);
      if (ending !== undefined) return ending;
    }
    const beginning = await this.#plan(transcript, uncertain);
    if (beginning.type === "answered") return endOfAnswered(beginning.text);
    if (beginning.type === "waiting") return await this.#waitAgain(beginning);
    this.#throwIfStopped();
    this.#prepared = await this.#prepare(beginning);
    await this.#complete(beginning);
    this.#throwIfStopped();
    this.#result = await this.#turn.run(beginning, this.#prepared.options);
    return await this.#endOfResult(this.#result);
  }

  async #readTranscript(): Promise<{ transcript: Transcript; uncertain: readonly ToolIntent[] }> {
    const { lease, store, calls } = this.#context;
    const entries = await lease.whileHeld(() => store.load(this.#key));
    const transcript = new Transcript(entries ?? []);
    const ended = transcript.endedCalls;
    await calls.endEarlier(ended);
    const begun = await this.#begunCalls(entries ?? []);
    const uncertain = begun.filter(({ toolUseId }) => !ended.has(toolUseId));
    return { transcript, uncertain };
  }

  /** The calls that may have taken effect. After a death, also those that ended and of which the model cannot know. */
  async #begunCalls(entries: readonly SessionStoreEntry[]): Promise<readonly ToolIntent[]> {
    const { run, segment, how, uncertain } = this.claim;
    if (how === "answered" || how === "returned" || segment === 1) return uncertain;
    const { calls, lease, settings } = this.#context;
    const { parts } = settings;
    const ofAgents = await lease.whileHeld(() => this.#loadSubAgents());
    await calls.reopenLost(new Set([...entries, ...ofAgents].flatMap(resultsIn)));
    return await lease.whileHeld(() => readUncertain(parts, parts.database, run.id, segment));
  }

  /** Sub-agents read the results of their own calls in transcripts of their own. */
  async #loadSubAgents(): Promise<readonly SessionStoreEntry[]> {
    const { store } = this.#context;
    const subpaths = await store.listSubkeys(this.#key);
    const loaded = subpaths.map((subpath) => store.load({ ...this.#key, subpath }));
    return (await Promise.all(loaded)).flatMap((entries) => entries ?? []);
  }

  /** Undefined if the run goes on although nobody knows what some of its calls did. */
  async #judgeUncertain(uncertain: readonly ToolIntent[]): Promise<Ending | undefined> {
    const { settings, lease, time, hurry } = this.#context;
    const { onUncertain, holdMs, parts } = settings;
    if (onUncertain === "tell") return undefined;
    // Somebody has retried the run since, and knew about the calls before.
    const failed = await lease.whileHeld(() => readLastFailure(parts, this.claim.run.id));
    const doubtful = uncertain.filter(({ segment }) => segment > failed);
    if (doubtful.length === 0) return undefined;
    if (onUncertain === "fail") return endOfUncertain(doubtful);
    const question = uncertainQuestion(this.claim, doubtful);
    const open = await lease.whileHeld(() =>
      parts.desk.open(this.claim, question, expiryOf(settings)),
    );
    const ended = AbortSignal.any([this.#ended, hurry.signal]);
    const waitMs = hurry.signal.aborted ? 0 : holdMs;
    const decision = await time.exclude(open.wait(waitMs, ended));
    if (decision === undefined) {
      this.#throwIfStopped();
      return { type: "parked", approval: open.id };
    }
    return letsGoOn(decision) ? undefined : endOfUncertain(doubtful);
  }

  async #plan(transcript: Transcript, uncertain: readonly ToolIntent[]): Promise<Beginning> {
    const { claim } = this;
    const { lease, settings } = this.#context;
    const { database, desk, rebuild } = settings.parts;
    const { onRecover } = settings;
    const beginning = await lease.whileHeld(() =>
      planBeginning({ database, desk, claim, transcript, uncertain, onRecover, rebuild }),
    );
    // The question that the plan waits for stays open. All others are of processes that are gone.
    if (beginning.type === "waiting") return beginning;
    if (claim.segment > 1) await lease.whileHeld(() => desk.beginSegment(claim));
    return beginning;
  }

  /** The functions of the worker are not waited for when the segment must end, because they may never return. */
  async #prepare(beginning: StartedBeginning): Promise<PreparedSession> {
    this.#preparing = prepareSession(this.#context, beginning);
    const prepared = await untilAborted(this.#preparing, this.#ended);
    if (prepared === undefined) throw new HawserError("aborted");
    return prepared;
  }

  /** The host that asked is gone. Nothing has to run for the question to be answered. */
  async #waitAgain({ question }: Extract<Beginning, { type: "waiting" }>): Promise<Ending> {
    const { lease, settings } = this.#context;
    const { id } = await lease.whileHeld(() => settings.parts.desk.open(this.claim, question, {}));
    return { type: "parked", approval: id };
  }

  /** Completes the transcript, and writes down the call with which the CLI begins: its hooks may come too late. */
  async #complete(beginning: StartedBeginning): Promise<void> {
    const { store, calls, lease, settings } = this.#context;
    if (beginning.type === "prompt" && beginning.clears === true) await store.clear();
    await store.append(this.#key, [...beginning.entries]);
    if (beginning.type !== "resumed") return;
    const { allowed, granted } = beginning;
    // This segment has the answer now, so that the desk does not give it to a second call.
    if (granted !== undefined) {
      await lease.whileHeld(() => settings.parts.desk.open(this.claim, granted.question, {}));
    }
    if (allowed === undefined) return;
    const { question } = allowed;
    if (question.kind === "elicitation") return;
    this.#allowedCall = question.toolUseId;
    await calls.begin(question);
  }

  /** The call with which the CLI should have begun was written down, and has not begun. */
  async #forgetCall(): Promise<void> {
    const { calls, fault } = this.#context;
    const toolUseId = this.#allowedCall;
    if (toolUseId === undefined) return;
    await calls
      .suspend(toolUseId)
      .catch((error: unknown) => fault("A call could not be taken back.", error));
  }

  async #endOfResult(result: TurnResult): Promise<Ending> {
    const { turn } = this.#turn;
    if (turn === undefined) throw new HawserError("closed");
    const ending = this.#parked() ?? (await this.#deferred(result));
    if (ending !== undefined) return ending;
    const end = await endOfTurn(turn, result, this.claim.run.options.schema !== undefined);
    // A result that arrives despite a pending stop wins over the stop, unless it is an error.
    return end.type === "done" ? end : (this.#stopped() ?? end);
  }

  #parked(): Ending | undefined {
    const approval = this.#prepared?.questions.parked;
    return approval === undefined ? undefined : { type: "parked", approval };
  }

  /** A hook of the profile has deferred a call, so that a person decides about it. */
  async #deferred({ terminal_reason, deferred_tool_use }: TurnResult): Promise<Ending | undefined> {
    if (terminal_reason !== "tool_deferred" || deferred_tool_use === undefined) return undefined;
    const { lease, calls, settings } = this.#context;
    const { id, name, input } = deferred_tool_use;
    const { sessionId } = this.claim.run;
    const asked = { toolUseID: id, requestId: id, signal: lease.lost, sessionId };
    const question = describeCall(name, input, asked, { id, askedAt: new Date().toISOString() });
    await calls.suspend(id);
    const open = await lease.whileHeld(() =>
      settings.parts.desk.open(this.claim, question, expiryOf(settings)),
    );
    return { type: "parked", approval: open.id };
  }

  #stopped(): Ending | undefined {
    switch (this.#stop?.type) {
      case "cancelled":
        return { type: "cancelled", error: failureOf(new HawserError("run_cancelled")) };
      case "timeout":
        return endOfTimeout(this.claim.run);
      case "returned":
        return { type: "returned", reason: this.#stop.reason };
      default:
        return undefined;
    }
  }

  #endEarly(stop: Stop): void {
    if (this.#stop !== undefined) return;
    this.#stop = stop;
    this.#stopping.abort();
    this.#turn.interrupt();
  }

  /** Aborted when the segment must end. */
  get #ended(): AbortSignal {
    return AbortSignal.any([this.#stopping.signal, this.#context.lease.lost]);
  }

  #throwIfStopped(): void {
    if (this.#stop !== undefined) throw new HawserError("aborted");
    this.#context.lease.lost.throwIfAborted();
  }

  #limitTime(): void {
    const { timeoutMs, workedMs } = this.claim.run;
    if (timeoutMs === undefined) return;
    this.#context.time.limit(timeoutMs - workedMs, () => this.#endEarly({ type: "timeout" }));
  }

  /** False if the segment is not ours any more: then the host that has it records what comes of it. */
  async #settle(ending: Ending): Promise<boolean> {
    const { lease, settings, fault } = this.#context;
    if (lease.lost.aborted) return false;
    const { claims, tenants } = settings.parts;
    const end = { ...ending, ...this.#totals() } as SegmentEnd;
    try {
      if (ending.type === "returned" && ending.startAfterMs !== undefined) {
        const until = ending.resetsAt ?? ending.startAfterMs;
        const { account } = this.claim;
        await lease.whileHeld(() => tenants.pauseAccount(account, until, ending.reason));
      }
      await lease.whileHeld(() => claims.settle(this.claim, end));
      return true;
    } catch (error) {
      fault("The end of a segment could not be recorded.", error);
      return false;
    }
  }

  #totals(): Pick<SegmentEnd, "costUsd" | "usage" | "workedMs"> {
    const { turn, usage } = this.#turn;
    const workedMs = Math.round(this.#context.time.workedMs);
    // Nothing was spent before the CLI was asked.
    if (turn === undefined) return { costUsd: 0, usage: undefined, workedMs };
    const costUsd = this.#result === undefined ? undefined : costOf(turn, this.#result);
    return { costUsd, usage, workedMs };
  }

  /** A workspace that is not there yet is disposed of when it comes. */
  async #leaveWorkspace(isSettled: boolean): Promise<void> {
    const left = this.#preparing?.then(
      ({ workspace }) => disposeWorkspace(workspace, isSettled),
      () => {}, // The segment has ended with this error.
    );
    const done = left?.catch((error: unknown) =>
      this.#context.fault("A workspace could not be disposed of.", error),
    );
    if (this.#prepared !== undefined) await done;
  }

  /** The store finds a session by its id. */
  get #key(): { projectKey: string; sessionId: string } {
    return { projectKey: "", sessionId: this.claim.run.sessionId };
  }
}

const ENDS_THE_RUN: ReadonlySet<Ending["type"]> = new Set(["done", "failed", "cancelled"]);

/** As long as the store may take for the call. It is usually there already. */
const PARK_LIMIT_MS = 5_000;

/** Less than the margin of a lease. */
const LONGEST_ANSWER_MS = LEASE_MARGIN_MS - 500;
