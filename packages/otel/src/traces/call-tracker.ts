import { type Context, context, trace } from "@opentelemetry/api";
import {
  type AdmissionEndEvent,
  type ApiRetryEvent,
  type CallEndEvent,
  type CallRetryEvent,
  type CallStartEvent,
  type Completion,
  isHawserError,
  type PermissionDecidedEvent,
  type ProcessEvent,
  type RoundEndEvent,
  type RoundStartEvent,
  type SessionEndEvent,
  type SessionReadyEvent,
  type SessionRecoveredEvent,
  type SessionStartEvent,
  type ToolEndEvent,
  type ToolStartEvent,
  type TracedCallback,
  type TurnEndEvent,
  type TurnStartEvent,
} from "hawser";
import { EVENTS, KEYS } from "../conventions.js";
import { AgentRun, errorTypeOf, given } from "./agent-run.js";
import type { Instrumentation } from "./instrumentation.js";
import { SessionSpans } from "./session-spans.js";
import { tokensOfUsage } from "./token-attributes.js";

/** Makes spans and metrics from the events of calls and sessions. It finds the parent of each span by the ids. */
export class CallTracker {
  readonly #shared: Instrumentation;
  readonly #limit: number;
  readonly #calls = new Map<number, AgentRun>();
  readonly #sessions = new Map<number, SessionSpans>();

  /** At most `limit` calls and `limit` sessions are remembered, so that memory stays bounded. */
  constructor(shared: Instrumentation, limit: number) {
    this.#shared = shared;
    this.#limit = limit;
  }

  /** How many calls and sessions have not ended. */
  get size(): number {
    return this.#calls.size + this.#sessions.size;
  }

  onCallStart({ at, call, caller, tenant, prompt, ...requested }: CallStartEvent): void {
    // The event is published inside the call of the user, so the active span is the user's.
    const parent = context.active();
    const run = new AgentRun(this.#shared, { at, parent, caller, tenant, prompt, requested });
    this.#calls.set(call, run);
    if (this.#calls.size > this.#limit) this.#forgetCall();
  }

  onCallRetry({ at, call, attempt, delayMs, code }: CallRetryEvent): void {
    const run = this.#calls.get(call);
    if (run === undefined) return;
    run.retries = attempt;
    run.open.addEvent(EVENTS.callRetry.name, at, {
      [KEYS.attempt]: attempt,
      [KEYS.delayMs]: delayMs,
      ...given(this.#shared.conventions.keys.errorType, errorTypeOf(code)),
    });
  }

  onCallEnd({ at, call, outcome, costUsd, completion, error }: CallEndEvent): void {
    const run = this.#calls.get(call);
    if (run === undefined) return;
    this.#calls.delete(call);
    const done = completion as Completion<unknown> | undefined;
    run.end({
      at,
      outcome,
      conversation: done?.sessionId ?? sessionIdOf(error),
      model: done?.model,
      tokens: tokensOfUsage(done?.usage),
      costUsd,
      rounds: done?.turns,
      stop: done?.stop,
      bootMs: done?.timing.bootMs,
      answer: done?.content,
    });
  }

  onSessionStart(event: SessionStartEvent): void {
    const callRun = event.call === undefined ? undefined : this.#calls.get(event.call);
    const session = new SessionSpans(this.#shared, event, context.active(), callRun);
    this.#sessions.set(event.session, session);
    if (this.#sessions.size > this.#limit) this.#forgetSession();
  }

  onSessionReady({ session, ms }: SessionReadyEvent): void {
    const known = this.#sessions.get(session);
    if (known !== undefined) known.bootMs = ms;
  }

  onSessionRecovered({ at, session, resumed }: SessionRecoveredEvent): void {
    const attributes = { [KEYS.resumed]: resumed };
    this.#sessions.get(session)?.addRunEvent(undefined, EVENTS.recovered.name, at, attributes);
  }

  onSessionEnd({ session }: SessionEndEvent): void {
    this.#sessions.get(session)?.end();
    this.#sessions.delete(session);
  }

  onTurnStart(event: TurnStartEvent): void {
    if (!this.#sessions.has(event.session) && event.call === undefined) this.#adopt(event);
    this.#sessions.get(event.session)?.onTurnStart(event, context.active());
  }

  onTurnEnd(event: TurnEndEvent): void {
    this.#sessions.get(event.session)?.onTurnEnd(event);
  }

  onRoundStart(event: RoundStartEvent): void {
    this.#sessions.get(event.session)?.onRoundStart(event);
  }

  onRoundEnd(event: RoundEndEvent): void {
    this.#sessions.get(event.session)?.onRoundEnd(event);
  }

  onToolStart(event: ToolStartEvent): void {
    this.#sessions.get(event.session)?.onToolStart(event);
  }

  onToolEnd(event: ToolEndEvent): void {
    this.#sessions.get(event.session)?.onToolEnd(event);
  }

  onDecided(event: PermissionDecidedEvent): void {
    this.#sessions.get(event.session)?.onDecided(event);
  }

  onApiRetry({ at, session, turn, attempt, delayMs, status }: ApiRetryEvent): void {
    const attributes = {
      [KEYS.attempt]: attempt,
      [KEYS.delayMs]: delayMs,
      ...given(this.#shared.conventions.keys.httpStatus, status),
    };
    this.#sessions.get(session)?.addRunEvent(turn, EVENTS.apiRetry.name, at, attributes);
  }

  onAssigned({ call, session, how }: ProcessEvent): void {
    const run = call === undefined ? undefined : this.#calls.get(call);
    if (run !== undefined) run.poolHow = how;
    const known = session === undefined ? undefined : this.#sessions.get(session);
    if (known !== undefined) known.poolHow = how;
  }

  onAdmitted({ call, ms }: AdmissionEndEvent): void {
    const run = call === undefined ? undefined : this.#calls.get(call);
    if (run !== undefined) run.queuedMs = (run.queuedMs ?? 0) + ms;
  }

  /** The context in which a function of the user runs: inside the span of its tool call, or of its turn. */
  contextOf({ session, turn, toolUseId }: TracedCallback): Context | undefined {
    const open = this.#sessions.get(session)?.spanFor(turn, toolUseId);
    // The rest of the active context stays, for example baggage.
    return open && trace.setSpan(context.active(), open.span);
  }

  /** Forgets everything. The open spans end elsewhere. */
  clear(): void {
    this.#calls.clear();
    this.#sessions.clear();
  }

  /** A session that another subscriber saw begin, before this instrumentation. Its options are not known. */
  #adopt({ at, session, sessionId, call, prompt }: TurnStartEvent): void {
    const purpose = prompt === undefined ? "query" : "session";
    const requested = { model: undefined, agent: undefined, systemPrompt: undefined } as const;
    this.onSessionStart({ at, session, sessionId, call, purpose, ...requested, output: "text" });
  }

  #forgetCall(): void {
    const [oldest] = this.#calls;
    if (oldest === undefined) return;
    const [number, run] = oldest;
    this.#calls.delete(number);
    this.#shared.spans.lose(run.open);
  }

  #forgetSession(): void {
    const [oldest] = this.#sessions;
    if (oldest === undefined) return;
    const [number, session] = oldest;
    this.#sessions.delete(number);
    session.end();
  }
}

function sessionIdOf(error: unknown): string | undefined {
  return isHawserError(error) ? error.sessionId : undefined;
}
