import { callerStack, HawserError, isHawserError, withCaller } from "../base/index.js";
import type { RequestOptions } from "../control/index.js";
import type { Options } from "../options/index.js";
import type { CliProcess } from "../process/index.js";
import {
  type HostRequest,
  isMessage,
  isResult,
  type Message,
  type RecoveredNotice,
  type ResultMessage,
  type StreamEvent,
} from "../wire/index.js";
import {
  RecoverableConnection,
  type RecoverableConnectionListener,
} from "./connection/recoverable-connection.js";
import { IdleTracker } from "./idle/idle-tracker.js";
import { PendingWork, type WorkListener } from "./idle/pending-work.js";
import type { SessionObserver } from "./observe/session-observer.js";
import { failureOf, stopOf } from "./result-outcome.js";
import { sessionClosed, unlessClosed } from "./session-error.js";
import {
  isResumed,
  type SessionStart,
  type SessionWatcher,
  usesHostCallbacks,
} from "./session-start.js";
import { type ClosableWork, INTERRUPT_GRACE_MS, Shutdown } from "./shutdown.js";
import { MessageStream, type StreamListener } from "./turns/message-stream.js";
import { Stopper, type StopperOwner } from "./turns/stopper.js";
import type { LiveTurn } from "./turns/turn.js";
import type { TurnRecord } from "./turns/turn-record.js";
import { Turns, type TurnsOwner } from "./turns/turns.js";

/**
 * The internals of a session: its turns over its process. It holds no reference to the session, so that a
 * session that the program has dropped can be garbage-collected.
 */
export class SessionCore
  implements TurnsOwner, StopperOwner, RecoverableConnectionListener, WorkListener, ClosableWork
{
  readonly options: Options;
  readonly showsEvents: boolean;
  readonly connection: RecoverableConnection;
  readonly turns: Turns;

  readonly #watcher: SessionWatcher | undefined;
  readonly #work: PendingWork;
  readonly #idle: IdleTracker;
  readonly #stopper: Stopper;
  readonly #shutdown: Shutdown;
  /** The messages for the one reader of the whole session. */
  #stream: MessageStream | undefined;
  /** The stack of the reader of the session, for errors. */
  #reader: string | undefined;
  /** Why the session is over. */
  #failure: HawserError | undefined;

  constructor(start: SessionStart) {
    const { options, timeouts, showsEvents, warm, watcher, purpose, call } = start;
    this.options = options;
    this.#watcher = watcher;
    this.showsEvents = showsEvents;
    // The connection calls its listener only later, when all the parts below exist.
    const origin = purpose && { purpose, call };
    const { bootMs } = timeouts;
    this.connection = new RecoverableConnection(options, { bootMs, warm, origin }, this);
    this.turns = new Turns(this.connection, this, timeouts, { isResumed: isResumed(options) });
    this.#work = new PendingWork(this);
    this.#idle = new IdleTracker(this.turns, this.#work, this.connection);
    const graceMs = options.closeGraceMs ?? INTERRUPT_GRACE_MS;
    this.#stopper = new Stopper(this.turns, this, graceMs);
    this.#shutdown = new Shutdown(this.connection, this);
    this.#shutdown.closeOnAbort([options.signal, options.abortController?.signal], this);
  }

  /** Why the session is over, once it is. */
  get failure(): HawserError | undefined {
    return this.#failure;
  }

  /** The state in one word, for `console.log()`. */
  get state(): "starting" | "idle" | "busy" | "closing" | "closed" {
    if (this.#failure !== undefined) return "closed";
    if (this.#shutdown.cause !== undefined) return "closing";
    if (!this.#idle.isQuiet) return "busy";
    return this.connection.current.wasReady || this.connection.isDown ? "idle" : "starting";
  }

  get activeTurn(): string | undefined {
    const [turn] = this.turns.active;
    return turn?.uuid;
  }

  get readers(): StreamListener {
    return this.#idle;
  }

  get isGuarded(): boolean {
    return usesHostCallbacks(this.options);
  }

  get needsInterrupt(): boolean {
    return this.turns.size > 0 || this.#work.inTurn;
  }

  get outlivesInput(): boolean {
    return this.#work.inBackground;
  }

  async request(request: HostRequest, options?: RequestOptions): Promise<unknown> {
    const refusal = this.refusal();
    if (refusal !== undefined) throw refusal;
    this.connection.reconnect();
    return this.connection.request(request, options);
  }

  /** All messages from now on, for one reader. */
  read(session: object): AsyncIterableIterator<Message> {
    if (this.#stream !== undefined) throw new HawserError("already_consumed");
    this.#stream = new MessageStream(this.#idle);
    this.#reader = callerStack();
    const messages = this.#stream.read(session);
    if (this.#failure !== undefined) this.#endStream(unlessClosed(this.#failure));
    return messages;
  }

  /** Resolves when nothing is left to do, background work included. */
  idle(session: object): Promise<void> {
    const error = this.#failure && unlessClosed(this.#failure);
    if (error !== undefined) return Promise.reject(error);
    return this.#idle.wait(session);
  }

  async interrupt(turn: LiveTurn): Promise<void> {
    await this.#stopper.interrupt(turn);
    this.#idle.recheck();
  }

  /** Interrupts a turn, so that the session stays usable; a process that does not obey is killed. */
  interruptFor(turn: LiveTurn, why: HawserError): void {
    const enriched = this.connection.enrich(why, turn.record);
    void this.#stopper.interruptFor(turn, enriched).then(() => this.#idle.recheck());
  }

  /** Interrupts the running turn and closes the process. Unsettled turns reject with `cause`. */
  close(cause?: HawserError): Promise<void> {
    const reason = this.#shutdown.begin(
      cause ?? (this.turns.size > 0 ? sessionClosed() : closedWithoutTurns()),
    );
    for (const turn of this.turns.all) {
      turn.interruptedBy ??= this.connection.enrich(reason, turn.record);
    }
    const closed = this.#shutdown.closeProcess();
    if (this.connection.isDown) this.#settle(reason);
    return closed;
  }

  async kill(): Promise<void> {
    const reason = this.#shutdown.begin(sessionClosed());
    await this.#shutdown.killProcess();
    if (this.connection.isDown) this.#settle(reason);
  }

  /** Kills the process, though the session was not closed: it may recover. */
  killFor(why: HawserError): void {
    this.#shutdown.killFor(why);
  }

  /** Detaches the process, if the session is idle and was never recovered. The session is closed then. */
  detach(): CliProcess | undefined {
    if (this.refusal() !== undefined || !this.#idle.isQuiet) return undefined;
    const process = this.connection.current.detach();
    if (process !== undefined) this.#settle(closedWithoutTurns(), "detached");
    return process;
  }

  refusal(): HawserError | undefined {
    const reason = this.#failure ?? this.#shutdown.cause;
    return reason && this.connection.enrich(reason);
  }

  failureOf(result: ResultMessage, record: TurnRecord): HawserError | undefined {
    if (stopOf(result) !== undefined) return undefined;
    return this.connection.enrich(failureOf(result, record, this.connection.current.mask), record);
  }

  missingResult({ record }: LiveTurn): HawserError {
    const why = this.#shutdown.lost ?? new HawserError("protocol_error", NO_RESULT);
    return this.connection.enrich(why, record);
  }

  /** If the process has exited, `onEnd` reports why; a process that lives but reads no more is killed. */
  onPromptNotSent(turn: LiveTurn, error: unknown): void {
    const { cause, lost } = this.#shutdown;
    const isKnown = turn.settled || cause !== undefined || lost !== undefined;
    if (isKnown || !isHawserError(error, "closed")) return;
    turn.interruptedBy ??= this.connection.enrich(error, turn.record);
    this.killFor(turn.interruptedBy);
  }

  beginTurn(turn: LiveTurn, send: () => void): void {
    this.connection.observation.attachIfWatched();
    if (this.#observer === undefined) send();
    else this.#observer.beginTurn(turn, send);
  }

  onTurnSettled(turn: LiveTurn, result?: ResultMessage): void {
    const { uuid, costUsd, merged, endsAtToolCalls } = turn;
    const failure = endsAtToolCalls && result !== undefined ? undefined : turn.failure;
    const outcome = failure?.code ?? (endsAtToolCalls ? "tool_calls" : "ok");
    this.#observer?.onTurnSettled(uuid, { outcome, costUsd, merged, result, error: failure });
  }

  onWorkChanged(): void {
    this.#idle.recheck();
  }

  onReady(): void {
    this.#idle.recheck();
  }

  onHostRequests(pending: number): void {
    this.#work.hostRequests = pending;
    this.#idle.updateClocks();
  }

  onToolCall(toolUseId: string): void {
    this.turns.onToolCall(toolUseId);
  }

  onRecovered(notice: RecoveredNotice): void {
    this.turns.notify(notice);
    this.#push(notice, 0);
  }

  /** There are many stream events, and they change nothing but their turn. */
  onEvents(events: readonly StreamEvent[], size: number): void {
    this.#observer?.onEvents(events);
    this.turns.receiveEvents(events, size);
    this.#idle.updateClocks();
    if (this.showsEvents) this.#stream?.pushEvents(events, size);
  }

  onMessage(message: Message, size: number): void {
    if (isMessage(message, "keep_alive")) return;
    this.connection.observe(message);
    this.#observer?.onMessage(message);
    this.turns.route(message, size);
    if (isResult(message)) {
      this.#shutdown.lost = undefined;
      this.#watcher?.onResult(message);
    }
    this.#push(message, size);
    this.#work.observe(message);
    this.#idle.updateClocks();
    this.#idle.recheck();
  }

  /**
   * A message was lost, which may have been a result. A CLI that names no uuids gives no other sign of the
   * turn's end than its exit, so its input is ended. The input must not end during a turn that this side
   * guards, because an older CLI would go on without asking: such a turn is interrupted.
   */
  onCorrupt(error: HawserError): void {
    this.turns.onMessageLost();
    if (this.turns.size === 0) return;
    this.#shutdown.lost = error;
    if (this.turns.tellsUuids) return;
    if (this.isGuarded) for (const turn of this.turns.all) this.interruptFor(turn, error);
    else {
      this.#shutdown.killedFor ??= error;
      void this.connection.current.endInput();
    }
  }

  /** The process has ended: the session recovers, or is over. */
  onEnd(error: unknown): void {
    const shutdown = this.#shutdown;
    if (shutdown.state === "detached") return;
    const known = shutdown.reasonFor(error);
    const reason = known ?? new HawserError("process_exited", NO_RESULT);
    const recovers = shutdown.cause === undefined && this.connection.canRecover;
    shutdown.lost = undefined;
    shutdown.killedFor = undefined;
    const errorOf = (turn: LiveTurn) =>
      turn.interruptedBy ?? this.connection.enrich(reason, turn.record);
    this.#observer?.onProcessEnd(reason);
    this.turns.settleAll(errorOf, !recovers);
    this.#work.clear();
    if (recovers) this.connection.markDown(this.connection.enrich(reason));
    else this.#settle((reason === closed ? closed : undefined) ?? this.connection.enrich(reason));
    if (this.turns.size > 0 && this.connection.reconnect()) this.turns.flush();
    this.#idle.recheck();
  }

  get #observer(): SessionObserver | undefined {
    return this.connection.observation.observer;
  }

  #push(message: Message, size: number): void {
    this.#stream?.push(message, size);
  }

  #settle(reason: HawserError, state: "detached" | "over" = "over"): void {
    if (!this.#shutdown.settle(state)) return;
    this.#failure = reason;
    const error = unlessClosed(reason);
    this.connection.observation.end(state === "over" ? reason.code : state, error);
    this.#endStream(error);
    this.#idle.settle(error);
    this.#watcher?.onOver();
  }

  #endStream(error: HawserError | undefined): void {
    this.#stream?.end(withCaller(error, this.#reader));
  }
}

/** One error for all sessions that end without an unsettled turn, because an error is expensive to make. */
function closedWithoutTurns(): HawserError {
  closed ??= sessionClosed();
  return closed;
}

let closed: HawserError | undefined;

const NO_RESULT = "The CLI ended without a result.";
