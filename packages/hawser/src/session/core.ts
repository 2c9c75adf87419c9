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
import { Activity } from "./activity.js";
import type { CoreOptions, SessionWatcher } from "./core-options.js";
import { failureOf } from "./failure.js";
import { isAsked } from "./is-asked.js";
import { Lifeline } from "./lifeline.js";
import { sessionClosed, stopOf, unlessClosed } from "./outcome.js";
import { Readers } from "./readers.js";
import { Rest } from "./rest.js";
import { Stopper } from "./stopper.js";
import type { StreamEvents } from "./stream.js";
import { LiveTurn, type PromptLine, type TurnOwner } from "./turn.js";
import { TurnClock } from "./turn-clock.js";
import type { TurnRecord } from "./turn-record.js";
import { Turns } from "./turns.js";

/**
 * What is behind a session: its turns over its process. It never points back at the session, so
 * that a forgotten one can be garbage-collected.
 */
export class SessionCore implements TurnOwner {
  readonly showsEvents: boolean;

  readonly #options: Options;
  readonly #timeouts: CoreOptions["timeouts"];
  readonly #line: Lifeline;
  readonly #turns: Turns;
  readonly #stopper: Stopper;
  readonly #activity: Activity;
  readonly #readers: Readers;
  readonly #rest: Rest;
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
      () => this.#rest.changed(),
      (behind) => this.#line.connection.pause(behind),
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
    this.#activity = new Activity(() => this.#rest.changed());
    const start = { bootMs: timeouts.bootMs, warm };
    this.#rest = new Rest({
      turns: this.#turns,
      activity: this.#activity,
      readers: this.#readers,
      connection: () => this.#line.connection,
    });
    this.#line = new Lifeline(options, start, {
      onReady: () => this.#rest.changed(),
      onMessage: (message, size) => this.#receive(message, size),
      onCorrupt: (error) => this.#lose(error),
      onAsked: (pending) => this.#rest.asked(pending),
      onRecovered: (notice) => {
        this.#turns.tell(notice);
        this.#readers.push(notice, 0);
      },
      onEnd: (error) => this.#ended(error),
    });
    const signals = [options.signal, options.abortController?.signal];
    this.#stopListening = onAbort(signals, (error) => void this.close(error));
  }

  get line(): Lifeline {
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
      turn.clock = new TurnClock(this.#timeouts, (error) => this.stopFor(turn, error));
      this.#line.revive();
      this.#turns.add(turn);
      this.#rest.changed();
    }
    return turn;
  }

  async request(request: HostRequest, options?: RequestOptions): Promise<unknown> {
    const refusal = this.#refusal();
    if (refusal !== undefined) throw refusal;
    this.#line.revive();
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

  async stop(turn: LiveTurn): Promise<void> {
    await this.#stopper.stop(turn);
    this.#rest.changed();
  }

  /** Stops a turn, so that the session stays whole; a process that does not obey is ended. */
  stopFor(turn: LiveTurn, why: HawserError): void {
    const told = this.#line.enrich(why, turn.record);
    void this.#stopper.stopFor(turn, told).then(() => this.#rest.changed());
  }

  failureOf(result: ResultMessage, record: TurnRecord): HawserError | undefined {
    if (stopOf(result) !== undefined) return undefined;
    return this.#line.enrich(failureOf(result, record, this.#line.connection.mask), record);
  }

  /** Interrupts what runs and ends the process in good order; `cause` is what turns are told. */
  close(cause: HawserError = sessionClosed()): Promise<void> {
    this.#ending ??= cause;
    for (const turn of this.#turns.all) {
      turn.stopped ??= this.#line.enrich(this.#ending, turn.record);
    }
    this.#closing ??= this.#end();
    if (this.#line.isDown) this.#finish(this.#ending);
    return this.#closing;
  }

  async kill(): Promise<void> {
    this.#ending ??= sessionClosed();
    await this.#line.connection.kill();
    if (this.#line.isDown) this.#finish(this.#ending);
  }

  /** Gives the process away, if all is at rest and it is the first one; then this is closed. */
  detach(): CliProcess | undefined {
    if (this.#refusal() !== undefined || !this.#rest.isQuiet) return undefined;
    const process = this.#line.connection.detach();
    if (process !== undefined) this.#finish(HANDED_OVER);
    return process;
  }

  #end(): Promise<void> {
    const { connection } = this.#line;
    // Without an input, work in the background would go on unguarded until its process is ended.
    if (this.#activity.inBackground && isAsked(this.#options)) return connection.kill();
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
    turn.stopped ??= this.#line.enrich(error, turn.record);
    this.#giveUp(turn.stopped);
  }

  #receive(message: Message, size: number): void {
    if (isMessage(message, "keep_alive")) return;
    // There are many of these, and they change nothing but their turn.
    if (isMessage(message, "stream_event")) {
      this.#turns.receive(message, size);
      this.#rest.wind();
      this.#readers.push(message, size);
      return;
    }
    this.#line.see(message);
    this.#turns.route(message, size);
    if (isResult(message)) {
      this.#lost = undefined;
      this.#watcher?.onResult(message);
    }
    this.#readers.push(message, size);
    this.#activity.see(message);
    this.#rest.wind();
    this.#rest.changed();
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
    if (isAsked(this.#options)) for (const turn of this.#turns.all) this.stopFor(turn, error);
    else {
      this.#givenUp ??= error;
      void this.#line.connection.endInput();
    }
  }

  #giveUp(why: HawserError): void {
    this.#givenUp ??= why;
    void this.#line.connection.kill();
  }

  #ended(error: unknown): void {
    if (this.#over === HANDED_OVER) return;
    const known = this.#ending ?? this.#givenUp ?? this.#lost ?? error;
    const reason = known ?? new HawserError("process_exited", NO_RESULT);
    const goesOn = this.#ending === undefined && this.#line.canRecover;
    this.#lost = undefined;
    this.#givenUp = undefined;
    this.#turns.fail((turn) => turn.stopped ?? this.#line.enrich(reason, turn.record), !goesOn);
    this.#activity.end();
    if (goesOn) this.#line.goDown(this.#line.enrich(reason));
    else this.#finish(this.#line.enrich(reason));
    if (this.#turns.size > 0 && this.#line.revive()) this.#turns.flush();
    this.#rest.changed();
  }

  #finish(reason: HawserError): void {
    if (this.#over !== undefined) return;
    this.#over = reason;
    this.#stopListening();
    const error = unlessClosed(reason);
    this.#readers.end(error);
    this.#rest.end(error);
    this.#watcher?.onOver();
  }
}

const STOP_ALL = controlRequest("close", { subtype: "interrupt", cancel_queued: true });
/** One for all: there are many of these, and an error is dear to make. */
const HANDED_OVER = sessionClosed();
const NO_RESULT = "The CLI ended without a result.";
const INTERRUPT_GRACE_MS = 2_000;
