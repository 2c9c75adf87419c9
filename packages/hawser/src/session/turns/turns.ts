import { HawserError } from "../../base/index.js";
import {
  type CommandLifecycle,
  isMessage,
  isResult,
  isSystem,
  type Message,
  type ResultMessage,
} from "../../wire/index.js";
import type { LiveTurn } from "./turn.js";

export interface TurnsEvents {
  /** The line of this turn's prompt is to be sent now. */
  readonly onDue: (turn: LiveTurn) => void;
  /** What to say of a turn that the CLI ended without a result. */
  readonly missing: (turn: LiveTurn) => HawserError;
}

/**
 * Which message and which result belong to which prompt. The CLI says so itself, by the prompts'
 * uuids. One that does not gets a prompt at a time: until it has said so once, and for ever if it
 * is an older one.
 */
export class Turns {
  readonly #events: TurnsEvents;
  /** Not sent yet. */
  readonly #queue: LiveTurn[] = [];
  /** Sent, and without an end. */
  readonly #open = new Map<string, LiveTurn>();
  /** Those of them that the CLI works on. */
  readonly #active = new Set<LiveTurn>();
  /** Those of them that are done, but as part of a turn that has no result yet. */
  readonly #joined = new Set<LiveTurn>();
  #tellsUuids = false;
  /** Sent, and the CLI has not said what it does with it. */
  #unheard: LiveTurn | undefined;
  #ownTurnRuns = false;
  /** Whether any turn has begun that has no result. */
  #runs = false;
  #lastResult: ResultMessage | undefined;
  #strays = 0;

  constructor(events: TurnsEvents) {
    this.#events = events;
  }

  /** Prompts without an end. */
  get all(): readonly LiveTurn[] {
    return [...this.#queue, ...this.#open.values()];
  }

  get size(): number {
    return this.#queue.length + this.#open.size;
  }

  /** Whether the CLI says what it does with which prompt. */
  get tellsUuids(): boolean {
    return this.#tellsUuids;
  }

  /** The prompt that the CLI works on, or the one that it should begin with. */
  get next(): LiveTurn | undefined {
    const [turn] = this.#active.size > 0 ? this.#active : this.#open.values();
    return turn;
  }

  /** How much was said that no prompt had asked for. */
  get strays(): number {
    return this.#strays;
  }

  get active(): ReadonlySet<LiveTurn> {
    return this.#active;
  }

  get queued(): readonly LiveTurn[] {
    return this.#queue;
  }

  has(uuid: string): boolean {
    return this.#open.has(uuid) || this.#queue.some((turn) => turn.uuid === uuid);
  }

  add(turn: LiveTurn): void {
    this.#queue.push(turn);
    this.flush();
  }

  /** Sends what may be sent. */
  flush(): void {
    while (this.#queue.length > 0 && this.#mayFollow()) {
      const turn = this.#queue.shift();
      if (turn === undefined) return;
      this.#open.set(turn.uuid, turn);
      turn.timesSent += 1;
      if (!this.#tellsUuids) this.#unheard = turn;
      this.#events.onDue(turn);
    }
  }

  /** Everything that comes, in order. */
  route(message: Message, size: number): void {
    if (isMessage(message, "command_lifecycle")) this.#progress(message, size);
    else if (isResult(message)) this.#finish(message, size);
    else {
      if (isSystem(message, "init")) {
        this.#runs = true;
        if (!this.#tellsUuids) this.#begun();
      }
      this.receive(message, size);
    }
  }

  /** Hands a message to what the CLI works on. */
  receive(message: Message, size: number): void {
    if (this.#active.size === 0 && SPOKEN.has(message.type)) this.#strays += 1;
    for (const turn of this.#active) turn.receive(message, size);
  }

  /** Gives one turn an end. */
  settle(
    turn: LiveTurn,
    outcome: ResultMessage | HawserError,
    merged: readonly string[] = [],
  ): void {
    const queued = this.#queue.indexOf(turn);
    if (queued >= 0) this.#queue.splice(queued, 1);
    this.#open.delete(turn.uuid);
    this.#active.delete(turn);
    this.#joined.delete(turn);
    if (this.#unheard === turn) this.#unheard = undefined;
    turn.settle(outcome, merged);
  }

  /** Takes back a prompt that was not begun with. */
  cancel(turn: LiveTurn): void {
    const message = "The prompt was withdrawn before the CLI began with it.";
    this.settle(turn, turn.interruptedBy ?? new HawserError("aborted", message));
    this.flush();
  }

  /** Takes back all that was not sent yet; gives the uuids. */
  cancelQueued(): readonly string[] {
    const queued = [...this.#queue];
    for (const turn of queued) this.cancel(turn);
    return queued.map(({ uuid }) => uuid);
  }

  /** A message was lost. If it was a result, there is none to wait for. */
  lose(): void {
    this.#runs = false;
  }

  /** Something that concerns every prompt that has been sent. */
  notify(notice: Message): void {
    for (const turn of this.#open.values()) turn.receive(notice, 0);
  }

  /** The process is gone: what it was sent has no end but this; what it was not, waits on or goes. */
  settleAll(error: (turn: LiveTurn) => HawserError, andQueued: boolean): void {
    const untaken = andQueued ? [] : [...this.#open.values()].filter((turn) => turn.maySendAgain);
    for (const turn of untaken) this.#open.delete(turn.uuid);
    this.#queue.unshift(...untaken);
    this.#unheard = undefined;
    this.#ownTurnRuns = false;
    this.#runs = false;
    this.#tellsUuids = false;
    this.#lastResult = undefined;
    for (const turn of [...this.#open.values()]) this.settle(turn, error(turn));
    if (andQueued) for (const turn of [...this.#queue]) this.settle(turn, error(turn));
  }

  #mayFollow(): boolean {
    return this.#tellsUuids || (this.#open.size === 0 && !this.#ownTurnRuns);
  }

  #progress(message: CommandLifecycle, size: number): void {
    this.#tellsUuids = true;
    this.#unheard = undefined;
    const turn = this.#open.get(message.command_uuid);
    if (turn !== undefined) {
      turn.take();
      if (message.state === "started") this.#start(turn);
      turn.receive(message, size);
      if (message.state === "completed") this.#complete(turn);
      if (message.state === "cancelled") this.#drop(turn);
    }
    this.flush();
  }

  /** What joined a running tool round is called complete before the result of the whole. */
  #complete(turn: LiveTurn): void {
    if (this.#runs) this.#joined.add(turn);
    else {
      for (const each of [turn, ...this.#joined]) {
        this.settle(each, this.#lastResult ?? this.#events.missing(each));
      }
    }
  }

  /** What was begun with has a part in the result of the turn that was stopped. */
  #drop(turn: LiveTurn): void {
    if (this.#runs && this.#active.has(turn)) this.#joined.add(turn);
    else this.cancel(turn);
  }

  /** Without uuids, a turn that begins is the waiting prompt's, or else one of the CLI's own. */
  #begun(): void {
    if (this.#unheard === undefined) this.#ownTurnRuns = this.#active.size === 0;
    else this.#start(this.#unheard);
    this.#unheard = undefined;
  }

  #start(turn: LiveTurn): void {
    if (this.#active.has(turn)) return;
    this.#lastResult = undefined;
    this.#active.add(turn);
    turn.take();
    turn.clock?.start();
    turn.onBegun?.();
  }

  #finish(result: ResultMessage, size: number): void {
    this.#lastResult = result;
    this.#runs = false;
    const named: unknown = result.user_message_uuids;
    const uuids: readonly string[] = Array.isArray(named) ? named : [];
    const answered = uuids.length > 0 ? this.#named(uuids) : this.#unnamed(result);
    const turns = [...new Set([...answered, ...this.#joined])];
    for (const turn of turns) {
      turn.receive(result, size);
      const others = uuids.filter((uuid) => uuid !== turn.uuid);
      // What came in time after all is better than the reason why it might not have.
      this.settle(turn, result.is_error ? (turn.interruptedBy ?? result) : result, others);
    }
    if (turns.length === 0) {
      this.#ownTurnRuns = false;
      this.#strays += 1;
    }
    this.flush();
  }

  #named(uuids: readonly string[]): LiveTurn[] {
    return uuids.flatMap((uuid) => this.#open.get(uuid) ?? []);
  }

  /** An older CLI's result, or that of a turn which the CLI began by itself. */
  #unnamed({ origin }: ResultMessage): LiveTurn[] {
    if (this.#tellsUuids || origin !== undefined) return [];
    return [...this.#open.values()];
  }
}

const SPOKEN: ReadonlySet<unknown> = new Set(["assistant", "stream_event", "user"]);
