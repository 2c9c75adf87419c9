import { abortedBy, HawserError, onAbort } from "../../base/index.js";
import {
  type CommandLifecycle,
  isMessage,
  isResult,
  isSystem,
  type Message,
  type ResultMessage,
  type StreamEvent,
  type UserLine,
} from "../../wire/index.js";
import type { Timeouts } from "../timeouts.js";
import { hasToolResult, isOfTurn, ResumedTurn } from "./resumed-turn.js";
import { LiveTurn, type PromptLine, type TurnOwner } from "./turn.js";
import { TurnClock } from "./turn-clock.js";
import { turnOutcome } from "./turn-outcome.js";

/** Where prompts are sent. The recoverable connection implements it. */
export interface PromptSink {
  /** Starts a new process if the last one is gone; returns whether it did. */
  reconnect(): boolean;
  /** Resolves when the prompt has been written. `encoded` is the message as a line, if it exists. */
  sendPrompt(message: UserLine, encoded?: string): Promise<void>;
}

/** The session of the turns. The session core implements it. */
export interface TurnsOwner extends TurnOwner {
  /** Why the session refuses prompts; undefined as long as it accepts them. */
  refusal(): HawserError | undefined;
  /** A prompt was accepted. Calls `send`, which sends the prompt as soon as the CLI may get it. */
  beginTurn(turn: LiveTurn, send: () => void): void;
  /** A prompt was added to the work of the session. */
  onWorkChanged(): void;
  /** A prompt could not be written. */
  onPromptNotSent(turn: LiveTurn, error: unknown): void;
  /** The error of a turn that the CLI ended without a result. */
  missingResult(turn: LiveTurn): HawserError;
}

/**
 * Sends prompts, and decides which message and which result belong to which prompt. The CLI says so
 * itself, by the uuids of the prompts. A CLI that has not done so yet gets one prompt at a time; an older
 * CLI never does.
 */
export class Turns {
  readonly #sink: PromptSink;
  readonly #owner: TurnsOwner;
  readonly #timeouts: Timeouts;
  /** Not sent yet. */
  readonly #queue: LiveTurn[] = [];
  /** Sent, and not settled. */
  readonly #open = new Map<string, LiveTurn>();
  /** The open turns that the CLI works on. */
  readonly #active = new Set<LiveTurn>();
  /** Open turns that joined a running turn. They are settled with its result. */
  readonly #joined = new Set<LiveTurn>();
  #tellsUuids = false;
  /** The turn whose prompt was sent, and of which the CLI has not said anything yet. */
  #unheard: LiveTurn | undefined;
  #ownTurnRuns = false;
  /** Whether any turn has begun that has no result. */
  #runs = false;
  #lastResult: ResultMessage | undefined;
  #strays = 0;
  #total = 0;
  /** Whether a history is being appended, so that prompts have to wait. */
  #isHeld = false;
  readonly #resumed: ResumedTurn;

  constructor(
    sink: PromptSink,
    owner: TurnsOwner,
    timeouts: Timeouts,
    { isResumed }: { readonly isResumed: boolean },
  ) {
    this.#sink = sink;
    this.#owner = owner;
    this.#timeouts = timeouts;
    this.#resumed = new ResumedTurn(isResumed);
  }

  /** Turns that are not settled. */
  get all(): readonly LiveTurn[] {
    return [...this.#queue, ...this.#open.values()];
  }

  /** How many prompts were sent so far, settled or not. */
  get total(): number {
    return this.#total;
  }

  get size(): number {
    return this.#queue.length + this.#open.size;
  }

  /** Whether the CLI names the prompts that its messages belong to. */
  get tellsUuids(): boolean {
    return this.#tellsUuids;
  }

  /** The turn that the CLI works on, or the turn that it should begin with. */
  get next(): LiveTurn | undefined {
    const [turn] = this.#active.size > 0 ? this.#active : this.#open.values();
    return turn;
  }

  /** How many messages of the model belong to no prompt. */
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

  /**
   * Sends a prompt as soon as the CLI may get it. `session` is not garbage-collected while a reader of
   * the turn waits.
   */
  send(prompt: PromptLine, session: object, signal?: AbortSignal): LiveTurn {
    const turn = new LiveTurn(prompt, this.#owner, session);
    const refusal = this.#owner.refusal() ?? (signal?.aborted ? abortedBy(signal) : undefined);
    if (refusal !== undefined) {
      turn.settle(refusal);
      return turn;
    }
    if (prompt.isHistory !== true) {
      this.#total += 1;
      this.#resumed.onPrompt();
    }
    turn.clock = new TurnClock(this.#timeouts, turn);
    const begin = () => {
      this.#sink.reconnect();
      if (prompt.isHistory === true) this.#dispatch(turn);
      else this.#queue.push(turn);
      this.flush();
      this.#owner.onWorkChanged();
    };
    if (prompt.isHistory === true) begin();
    else this.#owner.beginTurn(turn, begin);
    if (signal !== undefined && !turn.settled) {
      const stopListening = onAbort([signal], (error) => this.#owner.interruptFor(turn, error));
      turn.result.then(stopListening, stopListening);
    }
    return turn;
  }

  /** The turn that the CLI begins by itself after a resume. Prompts wait for its end. */
  resume(session: object, caller: string | undefined): LiveTurn {
    const turn = this.#resumed.claimed(this.#total) ?? this.#beginResumed();
    turn.claim(session, caller);
    const refusal = this.#owner.refusal();
    if (refusal !== undefined) this.settle(turn, refusal);
    else if (!turn.settled) turn.clock ??= new TurnClock(this.#timeouts, turn);
    this.#owner.onWorkChanged();
    return turn;
  }

  /** The CLI asks about a tool call of its main thread, or tells that it runs one. */
  onToolCall(toolUseId: string): void {
    this.#beginIfResumed();
    this.#resumed.onToolCall(toolUseId);
  }

  #beginIfResumed(): void {
    const isFirst = this.#total === 0 && this.#open.size === 0;
    if (isFirst && this.#resumed.mayBegin) this.#beginResumed();
  }

  #beginResumed(): LiveTurn {
    const turn = this.#resumed.begin(this.#owner);
    this.#open.set(turn.uuid, turn);
    this.#active.add(turn);
    this.#owner.beginTurn(turn, () => {});
    return turn;
  }

  /** Keeps prompts back until the returned function is called, so that no prompt comes between messages. */
  hold(): () => void {
    this.#isHeld = true;
    return () => {
      this.#isHeld = false;
      this.flush();
    };
  }

  /** Sends the queued prompts that the CLI may get now. */
  flush(): void {
    while (this.#queue.length > 0 && this.#mayFollow()) {
      const turn = this.#queue.shift();
      if (turn === undefined) return;
      this.#dispatch(turn);
    }
  }

  #dispatch(turn: LiveTurn): void {
    this.#open.set(turn.uuid, turn);
    turn.timesSent += 1;
    if (!this.#tellsUuids) this.#unheard = turn;
    this.#write(turn);
  }

  #write(turn: LiveTurn): void {
    const { prompt } = turn;
    if (prompt.message === undefined) return;
    turn.sent = this.#sink.sendPrompt(prompt.message, prompt.encoded).then(
      () => {
        turn.delivered = true;
        prompt.encoded = undefined;
      },
      (error: unknown) => this.#owner.onPromptNotSent(turn, error),
    );
  }

  /** Handles every message of the CLI but stream events, in order. */
  route(message: Message, size: number): void {
    if (isOfTurn(message)) this.#beginIfResumed();
    if (isMessage(message, "command_lifecycle")) this.#progress(message, size);
    else if (isResult(message)) this.#finish(message, size);
    else {
      if (isSystem(message, "init")) {
        this.#runs = true;
        if (!this.#tellsUuids) this.#begun();
      } else if (isSystem(message, "task_started") && message.is_backgrounded !== true) {
        if (message.tool_use_id !== undefined) this.onToolCall(message.tool_use_id);
      } else if (this.#resumed.isResumed && this.#active.size === 0 && hasToolResult(message)) {
        // The call is of an earlier process: the prompt that was sent waits for the end of this turn.
        this.#ownTurnRuns = true;
      }
      this.#receive(message, size);
    }
  }

  #receive(message: Message, size: number): void {
    if (this.#active.size === 0 && SPOKEN.has(message.type)) this.#strays += 1;
    for (const turn of this.#active) turn.receive(message, size);
  }

  /** Hands stream events that arrived together to the turns that the CLI works on. */
  receiveEvents(events: readonly StreamEvent[], size: number): void {
    this.#beginIfResumed();
    if (this.#active.size === 0) this.#strays += events.length;
    for (const turn of this.#active) turn.receiveEvents(events, size);
  }

  /** Settles one turn. */
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

  /** Settles a turn that the CLI has not begun with. */
  cancel(turn: LiveTurn): void {
    const message = "The prompt was withdrawn before the CLI began with it.";
    this.settle(turn, turn.interruptedBy ?? new HawserError("aborted", message));
    this.flush();
  }

  /** Withdraws all prompts that were not sent yet, and returns their uuids. */
  cancelQueued(): readonly string[] {
    const queued = [...this.#queue];
    for (const turn of queued) this.cancel(turn);
    return queued.map(({ uuid }) => uuid);
  }

  /** A message was lost. If it was a result, no other will come for the running turn. */
  onMessageLost(): void {
    this.#runs = false;
  }

  /** Hands a notice to every turn whose prompt has been sent. */
  notify(notice: Message): void {
    for (const turn of this.#open.values()) turn.receive(notice, 0);
  }

  /**
   * The process is gone. Settles every turn that it was sent, unless the prompt may be sent again; keeps
   * the unsent prompts queued, or settles their turns too if `andQueued`.
   */
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
    if (this.#isHeld || this.#resumed.holdsPrompts) return false;
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
      if (message.state === "cancelled") this.#drop(turn, size);
    }
    this.flush();
  }

  /** A prompt that joined a running turn is reported as completed before the result of that turn. */
  #complete(turn: LiveTurn): void {
    if (this.#runs) this.#joined.add(turn);
    else {
      for (const each of [turn, ...this.#joined]) {
        this.settle(each, this.#lastResult ?? this.#owner.missingResult(each));
      }
    }
  }

  /** The CLI cancelled a prompt. A prompt that it had begun with gets the result of the interrupted turn. */
  #drop(turn: LiveTurn, size: number): void {
    const hasBegun = this.#active.has(turn);
    if (this.#runs && hasBegun) this.#joined.add(turn);
    // A CLI whose results name no prompts reports this after the result of the turn (observed: 2.1.250).
    else if (hasBegun && this.#lastResult) {
      turn.receive(this.#lastResult, size);
      this.settle(turn, turnOutcome(turn, this.#lastResult));
    } else this.cancel(turn);
  }

  /** Without uuids, a turn that begins belongs to the waiting prompt, or the CLI began it by itself. */
  #begun(): void {
    if (this.#ownTurnRuns) return;
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
    // The CLI has one turn at a time, and the resumed turn is its first.
    const first = this.#resumed.open;
    const turns = [...new Set([...(first ? [first] : []), ...answered, ...this.#joined])];
    for (const turn of turns) {
      turn.receive(result, size);
      const others = uuids.filter((uuid) => uuid !== turn.uuid);
      this.settle(turn, turnOutcome(turn, result), others);
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

  /** The turns of a result that names no uuid: of an older CLI, or of a turn that the CLI began. */
  #unnamed({ origin }: ResultMessage): LiveTurn[] {
    if (this.#tellsUuids || origin !== undefined || this.#ownTurnRuns) return [];
    return [...this.#open.values()];
  }
}

const SPOKEN: ReadonlySet<unknown> = new Set(["assistant", "user"]);
