import { abortedBy, HawserError, isHawserError, onAbort } from "../base/index.js";
import type { RequestOptions } from "../control/index.js";
import type { Options } from "../options/index.js";
import type { CliProcess } from "../process/index.js";
import {
  controlRequest,
  type HostRequest,
  isMessage,
  isResult,
  type Message,
  type ResultMessage,
} from "../wire/index.js";
import { RecoverableConnection } from "./connection/recoverable-connection.js";
import { IdleTracker } from "./idle/idle-tracker.js";
import { PendingWork } from "./idle/pending-work.js";
import { Readers } from "./readers.js";
import { failureOf, stopOf } from "./result-outcome.js";
import { sessionClosed, unlessClosed } from "./session-error.js";
import { type CoreOptions, type SessionWatcher, usesHostCallbacks } from "./session-start.js";
import type { StreamEvents } from "./turns/message-stream.js";
import { Stopper } from "./turns/stopper.js";
import { LiveTurn, type PromptLine, type TurnOwner } from "./turns/turn.js";
import { TurnClock } from "./turns/turn-clock.js";
import type { TurnRecord } from "./turns/turn-record.js";
import { Turns } from "./turns/turns.js";

/**
 * What is behind a session: its turns over its process. It never points back at the session, so
 * that a forgotten one can be garbage-collected.
 */
export class SessionCore implements TurnOwner {
  readonly showsEvents: boolean;

  readonly #options: Options;
  readonly #timeouts: CoreOptions["timeouts"];
  readonly #line: RecoverableConnection;
  readonly #turns: Turns;
  readonly #stopper: Stopper;
  readonly #activity: PendingWork;
  readonly #readers: Readers;
  readonly #rest: IdleTracker;
  readonly #stopListening: () => void;
  /** A message that was lost while a turn ran: it may have been the result. */
  #lost: HawserError | undefined;
  /** Why the process was ended, or left to end, though the session was not closed. */
  #givenUp: HawserError | undefined;
  /** Why this side ends it. */
  #ending: HawserError | undefined;
  #over: HawserError | undefined;
  #closing: Promise<void> | undefined;

  readonly #watcher: SessionWatcher | undefined;

  constructor({ options, timeouts, showsEvents, warm, watcher }: CoreOptions) {
    this.#watcher = watcher;
    this.#options = options;
    this.#timeouts = timeouts;
    this.showsEvents = showsEvents;
    this.#readers = new Readers(
      showsEvents,
      () => this.#rest.recheck(),
      (behind) => this.#line.current.pause(behind),
    );
    this.#turns = new Turns({
      onDue: (turn) => {
        const sent = this.#line.prompt(turn.prompt);
        turn.sent = sent.then(
          () => {
            turn.delivered = true;
          },
          (error: unknown) => this.#unsent(turn, error),
        );
      },
      missing: ({ record }) => {
        const why = this.#lost ?? new HawserError("protocol_error", NO_RESULT);
        return this.#line.enrich(why, record);
      },
    });
    this.#stopper = new Stopper(this.#turns, {
      request: (request) => this.request(request),
      giveUp: (why) => this.#giveUp(why),
      graceMs: options.closeGraceMs ?? INTERRUPT_GRACE_MS,
    });
    this.#activity = new PendingWork(() => this.#rest.recheck());
    const start = { bootMs: timeouts.bootMs, warm };
    this.#rest = new IdleTracker({
      turns: this.#turns,
      activity: this.#activity,
      readers: this.#readers,
      connection: () => this.#line.current,
    });
    this.#line = new RecoverableConnection(options, start, {
      onReady: () => this.#rest.recheck(),
      onMessage: (message, size) => this.#receive(message, size),
      onCorrupt: (error) => this.#lose(error),
      onAsked: (pending) => this.#rest.setHostRequests(pending),
      onRecovered: (notice) => {
        this.#turns.notify(notice);
        this.#readers.push(notice, 0);
      },
      onEnd: (error) => this.#ended(error),
    });
    const signals = [options.signal, options.abortController?.signal];
    this.#stopListening = onAbort(signals, (error) => void this.close(error));
  }

  get line(): RecoverableConnection {
    return this.#line;
  }

  get turns(): Turns {
    return this.#turns;
  }

  /** Why it is over, once it is. */
  get failure(): HawserError | undefined {
    return this.#over;
  }

  get streamEvents(): StreamEvents {
    return this.#readers.events;
  }

  send(prompt: PromptLine, session: object, signal?: AbortSignal): LiveTurn {
    const turn = new LiveTurn(prompt, this, session);
    const refusal = this.#refusal() ?? (signal?.aborted ? abortedBy(signal) : undefined);
    if (refusal !== undefined) turn.settle(refusal);
    else {
      turn.clock = new TurnClock(this.#timeouts, (error) => this.interruptFor(turn, error));
      this.#line.reconnect();
      this.#turns.add(turn);
      this.#rest.recheck();
    }
    return turn;
  }

  async request(request: HostRequest, options?: RequestOptions): Promise<unknown> {
    const refusal = this.#refusal();
    if (refusal !== undefined) throw refusal;
    this.#line.reconnect();
    return this.#line.request(request, options);
  }

  /** Everything that comes from now on; for one reader. */
  read(session: object): AsyncIterableIterator<Message> {
    const messages = this.#readers.read(session);
    if (this.#over !== undefined) this.#readers.end(unlessClosed(this.#over));
    return messages;
  }

  /** Resolves when nothing is left to do, background work included. */
  idle(session: object): Promise<void> {
    const error = this.#over && unlessClosed(this.#over);
    if (error !== undefined) return Promise.reject(error);
    return this.#rest.wait(session);
  }

  async interrupt(turn: LiveTurn): Promise<void> {
    await this.#stopper.interrupt(turn);
    this.#rest.recheck();
  }

  /** Stops a turn, so that the session stays whole; a process that does not obey is ended. */
  interruptFor(turn: LiveTurn, why: HawserError): void {
    const told = this.#line.enrich(why, turn.record);
    void this.#stopper.interruptFor(turn, told).then(() => this.#rest.recheck());
  }

  failureOf(result: ResultMessage, record: TurnRecord): HawserError | undefined {
    if (stopOf(result) !== undefined) return undefined;
    return this.#line.enrich(failureOf(result, record, this.#line.current.mask), record);
  }

  /** Interrupts what runs and ends the process in good order; `cause` is what turns are told. */
  close(cause: HawserError = sessionClosed()): Promise<void> {
    this.#ending ??= cause;
    for (const turn of this.#turns.all) {
      turn.interruptedBy ??= this.#line.enrich(this.#ending, turn.record);
    }
    this.#closing ??= this.#end();
    if (this.#line.isDown) this.#finish(this.#ending);
    return this.#closing;
  }

  async kill(): Promise<void> {
    this.#ending ??= sessionClosed();
    await this.#line.current.kill();
    if (this.#line.isDown) this.#finish(this.#ending);
  }

  /** Gives the process away, if all is at rest and it is the first one; then this is closed. */
  detach(): CliProcess | undefined {
    if (this.#refusal() !== undefined || !this.#rest.isQuiet) return undefined;
    const process = this.#line.current.detach();
    if (process !== undefined) this.#finish(HANDED_OVER);
    return process;
  }

  #end(): Promise<void> {
    const { current: connection } = this.#line;
    // Without an input, work in the background would go on unguarded until its process is ended.
    if (this.#activity.inBackground && usesHostCallbacks(this.#options)) return connection.kill();
    const busy = this.#turns.size > 0 || this.#activity.inTurn;
    return connection.close(busy ? { first: STOP_ALL } : {});
  }

  #refusal(): HawserError | undefined {
    const reason = this.#over ?? this.#ending;
    return reason && this.#line.enrich(reason);
  }

  /** The end of the process tells the turn why; one that lives but no longer reads is ended. */
  #unsent(turn: LiveTurn, error: unknown): void {
    const known = turn.settled || this.#ending !== undefined || this.#lost !== undefined;
    if (known || !isHawserError(error, "closed")) return;
    turn.interruptedBy ??= this.#line.enrich(error, turn.record);
    this.#giveUp(turn.interruptedBy);
  }

  #receive(message: Message, size: number): void {
    if (isMessage(message, "keep_alive")) return;
    // There are many of these, and they change nothing but their turn.
    if (isMessage(message, "stream_event")) {
      this.#turns.receive(message, size);
      this.#rest.updateClocks();
      this.#readers.push(message, size);
      return;
    }
    this.#line.observe(message);
    this.#turns.route(message, size);
    if (isResult(message)) {
      this.#lost = undefined;
      this.#watcher?.onResult(message);
    }
    this.#readers.push(message, size);
    this.#activity.observe(message);
    this.#rest.updateClocks();
    this.#rest.recheck();
  }

  /**
   * Without uuids, nothing but its exit can tell that the turn has ended whose result was lost. Its
   * input must not end in a turn that this side guards: an older CLI would go on without asking.
   */
  #lose(error: HawserError): void {
    this.#turns.lose();
    if (this.#turns.size === 0) return;
    this.#lost = error;
    if (this.#turns.tellsUuids) return;
    if (usesHostCallbacks(this.#options))
      for (const turn of this.#turns.all) this.interruptFor(turn, error);
    else {
      this.#givenUp ??= error;
      void this.#line.current.endInput();
    }
  }

  #giveUp(why: HawserError): void {
    this.#givenUp ??= why;
    void this.#line.current.kill();
  }

  #ended(error: unknown): void {
    if (this.#over === HANDED_OVER) return;
    const known = this.#ending ?? this.#givenUp ?? this.#lost ?? error;
    const reason = known ?? new HawserError("process_exited", NO_RESULT);
    const goesOn = this.#ending === undefined && this.#line.canRecover;
    this.#lost = undefined;
    this.#givenUp = undefined;
    this.#turns.settleAll(
      (turn) => turn.interruptedBy ?? this.#line.enrich(reason, turn.record),
      !goesOn,
    );
    this.#activity.clear();
    if (goesOn) this.#line.markDown(this.#line.enrich(reason));
    else this.#finish(this.#line.enrich(reason));
    if (this.#turns.size > 0 && this.#line.reconnect()) this.#turns.flush();
    this.#rest.recheck();
  }

  #finish(reason: HawserError): void {
    if (this.#over !== undefined) return;
    this.#over = reason;
    this.#stopListening();
    const error = unlessClosed(reason);
    this.#readers.end(error);
    this.#rest.settle(error);
    this.#watcher?.onOver();
  }
}

const STOP_ALL = controlRequest("close", { subtype: "interrupt", cancel_queued: true });
/** One for all: there are many of these, and an error is dear to make. */
const HANDED_OVER = sessionClosed();
const NO_RESULT = "The CLI ended without a result.";
const INTERRUPT_GRACE_MS = 2_000;
