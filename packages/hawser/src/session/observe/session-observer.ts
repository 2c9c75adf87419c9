import {
  CHANNELS,
  eventTime,
  isObject,
  type Logger,
  objectOf,
  type PermissionDecidedEvent,
  publish,
  type RequestedFacts,
  runTraced,
  type SessionIds,
  TRACING_CHANNELS,
  type TurnIds,
  textOf,
} from "../../base/index.js";
import {
  type AssistantMessage,
  isMessage,
  isResult,
  isSystem,
  type Message,
  type RecoveredNotice,
  type ResultMessage,
  type StreamEvent,
  type SystemApiRetry,
  type UserLine,
  type UserMessage,
} from "../../wire/index.js";
import { failureOf, stopOf } from "../result-outcome.js";
import type { SessionOrigin } from "../session-start.js";
import { spentOn } from "../turns/turn-costs.js";
import { type EventIds, tokenCounts } from "./event-ids.js";
import { RoundObserver, threadOf } from "./round-observer.js";
import { ToolObserver } from "./tool-observer.js";

/** The session as its observer sees it. The recoverable connection implements it. */
export interface ObservedSession {
  /** The CLI's id of the session. */
  readonly id: string | undefined;
  /** The uuid of the prompt that the CLI works on; undefined if it is not known to work on a prompt. */
  readonly activeTurn: string | undefined;
  readonly log: Logger;
}

/** The facts about a session that never change. */
export interface ObservedFacts extends SessionOrigin {
  readonly session: number;
  /** By `eventTime()`. */
  readonly startedAt: number;
  readonly requested: RequestedFacts;
}

/** A turn as the observer sees it. */
export interface SentTurn {
  readonly uuid: string;
  readonly prompt: { readonly message?: UserLine };
  readonly result: Promise<ResultMessage>;
}

/** How a turn ended. */
export interface TurnOutcome {
  readonly outcome: string;
  readonly costUsd: number | undefined;
  readonly result: ResultMessage | undefined;
  readonly merged: readonly string[];
  readonly error?: unknown;
}

/**
 * Publishes the events of one session or query, from the messages that its core hands on. It changes
 * nothing, and a fault of it is logged and has no other consequence.
 */
export class SessionObserver implements EventIds {
  readonly tools: ToolObserver;
  readonly #session: ObservedSession;
  readonly #facts: ObservedFacts;
  readonly #rounds: RoundObserver;
  /** When the turns began that are not settled, by their ids. */
  readonly #turns = new Map<string, number>();
  /** The running turn, if it has no prompt that is known: of a query, or begun by the CLI. */
  #ownTurn: string | undefined;
  #ownTurns = 0;
  /** When the CLI began a turn of which it is not known yet whether it belongs to a prompt. */
  #begunAt: number | undefined;
  /** Since when a process is awaited. */
  #bootingSince: number;
  #apiError: string | undefined;

  constructor(session: ObservedSession, facts: ObservedFacts) {
    this.#session = session;
    this.#facts = facts;
    this.#rounds = new RoundObserver(this);
    this.tools = new ToolObserver(this);
    this.#bootingSince = facts.startedAt;
    const { startedAt: at, purpose, requested } = facts;
    publish(CHANNELS.sessionStart, () => ({ at, ...this.sessionIds(), purpose, ...requested }));
  }

  sessionIds(): SessionIds {
    const { session, call } = this.#facts;
    return { session, sessionId: this.#session.id, call };
  }

  turnIds(): TurnIds {
    return { ...this.sessionIds(), turn: this.#session.activeTurn ?? this.#ownTurn };
  }

  onReady(pid: number | undefined, cliVersion: string | undefined): void {
    const at = eventTime();
    const ms = at - this.#bootingSince;
    publish(CHANNELS.sessionReady, () => ({ at, ...this.sessionIds(), pid, cliVersion, ms }));
  }

  onRecovered({ pid, resumed, reason }: RecoveredNotice): void {
    publish(CHANNELS.sessionRecovered, () => ({
      at: eventTime(),
      ...this.sessionIds(),
      pid,
      resumed,
      reason,
    }));
  }

  /** A prompt was given to the session. Sends it inside its tracing channel. */
  beginTurn({ uuid: turn, prompt: { message }, result }: SentTurn, send: () => void): void {
    const at = eventTime();
    const prompt = message?.message.content;
    this.#turns.set(turn, at);
    publish(CHANNELS.turnStart, () => ({ at, ...this.sessionIds(), turn, prompt }));
    const ids = () => ({ ...this.sessionIds(), turn });
    const traced = runTraced(TRACING_CHANNELS.turn, ids, () => {
      send();
      return result;
    });
    // The caller learns of a failure by the turn itself.
    traced.catch(() => {});
  }

  /** The turn of a prompt has its result, or never gets one. */
  onTurnSettled(turn: string, outcome: TurnOutcome): void {
    this.#safely(() => {
      const startedAt = this.#turns.get(turn);
      this.#turns.delete(turn);
      if (startedAt !== undefined) this.#endTurn(turn, startedAt, outcome);
    });
  }

  /** To be called with every message but stream events, before the turns get it. */
  onMessage(message: Message): void {
    this.#safely(() => {
      // The CLI may name the prompt of a turn only after it has begun.
      if (!isMessage(message, "command_lifecycle")) this.#resolveTurn();
      this.#publishMessages([message]);
      if (isMessage(message, "assistant")) this.#onAssistant(message);
      else if (isMessage(message, "user")) this.#onUser(message);
      else if (isResult(message)) this.#onResult(message);
      else if (isSystem(message, "init")) {
        this.#begunAt = eventTime();
        this.#rounds.expectRequest(null, this.#begunAt);
      } else if (isSystem(message, "status")) {
        if (message.status === "requesting") this.#rounds.onRequesting();
      } else if (isSystem(message, "api_retry")) this.#onApiRetry(message);
      else if (isSystem(message, "permission_denied")) {
        const { tool_use_id, tool_name, decision_reason_type, message: reason } = message;
        this.#onDenied(
          textOf(tool_use_id),
          textOf(tool_name),
          decision_reason_type,
          textOf(reason),
        );
      }
    });
  }

  /** Stream events that arrived together. */
  onEvents(events: readonly StreamEvent[]): void {
    this.#safely(() => {
      this.#resolveTurn();
      this.#publishMessages(events);
      this.#rounds.onEvents(events);
    });
  }

  /** The process is gone, and all its work with it. */
  onProcessEnd(error: unknown): void {
    this.#safely(() => {
      this.#bootingSince = eventTime();
      this.#begunAt = undefined;
      for (const toolUseId of this.tools.all) this.#endTool(toolUseId, "interrupted", undefined);
      this.#rounds.endAll();
      const code: unknown = objectOf(error)["code"];
      const outcome = typeof code === "string" ? code : "closed";
      this.#endOwnTurn({ outcome, costUsd: undefined, result: undefined, merged: [], error });
    });
  }

  onOver(outcome: string, error: unknown): void {
    this.onProcessEnd(error);
    const lost = { outcome, costUsd: undefined, result: undefined, merged: [], error };
    for (const turn of [...this.#turns.keys()]) this.onTurnSettled(turn, lost);
    const at = eventTime();
    const { startedAt, purpose } = this.#facts;
    publish(CHANNELS.sessionEnd, () => ({
      at,
      ...this.sessionIds(),
      purpose,
      outcome,
      ms: at - startedAt,
      ...(error === undefined ? {} : { error }),
    }));
  }

  #publishMessages(messages: readonly Message[]): void {
    publish(CHANNELS.sessionMessages, () => ({ at: eventTime(), ...this.turnIds(), messages }));
  }

  /** Decides, at the first message after the begin of a turn, whether the turn belongs to a prompt. */
  #resolveTurn(): void {
    const at = this.#begunAt;
    if (at === undefined) return;
    this.#begunAt = undefined;
    if (this.#session.activeTurn !== undefined || this.#ownTurn !== undefined) return;
    this.#ownTurns += 1;
    const turn = `hawser-${this.#facts.session}-${this.#ownTurns}`;
    this.#ownTurn = turn;
    this.#turns.set(turn, at);
    publish(CHANNELS.turnStart, () => ({ at, ...this.sessionIds(), turn, prompt: undefined }));
  }

  #onAssistant(message: AssistantMessage): void {
    const { error, message: body } = message;
    const thread = threadOf(message.parent_tool_use_id);
    if (error !== undefined) this.#apiError = error;
    // The CLI wrote this message itself.
    if (error !== undefined || body?.model === "<synthetic>" || !Array.isArray(body?.content)) {
      return;
    }
    const parent = thread === null ? undefined : this.tools.get(thread);
    if (parent !== undefined && this.#rounds.numberIn(thread) === undefined) {
      this.#rounds.expectRequest(thread, parent.at);
    }
    this.#rounds.onReply(message);
    for (const block of body.content) {
      if (isObject(block) && block["type"] === "tool_use") {
        this.tools.start(block, thread, this.#rounds.numberIn(thread));
      }
    }
  }

  #onUser({ message, parent_tool_use_id, tool_result_meta }: UserMessage): void {
    const thread = threadOf(parent_tool_use_id);
    this.#rounds.endWhole(thread);
    const content = Array.isArray(message?.content) ? message.content : [];
    for (const block of content) {
      const { type, tool_use_id, is_error, content: result } = objectOf(block);
      if (type !== "tool_result" || typeof tool_use_id !== "string") continue;
      const why = whyNotRun(tool_result_meta, tool_use_id);
      this.#endTool(tool_use_id, why ?? (is_error === true ? "error" : "ok"), result);
    }
    this.#rounds.expectRequest(thread, eventTime());
  }

  #onResult(result: ResultMessage): void {
    this.#rounds.settle(null, false);
    // A turn that belongs to a prompt is settled by `onTurnSettled`.
    if (this.#ownTurn === undefined || this.#session.activeTurn !== undefined) return;
    const isFailure = stopOf(result) === undefined;
    const around = { apiError: this.#apiError, rateLimit: undefined, retryAfterMs: undefined };
    const outcome = isFailure ? failureOf(result, around).code : "ok";
    this.#endOwnTurn({ outcome, costUsd: spentOn(result).costUsd, result, merged: [] });
  }

  #onApiRetry({ attempt, max_retries, retry_delay_ms, error_status, error }: SystemApiRetry): void {
    publish(CHANNELS.apiRetry, () => ({
      at: eventTime(),
      ...this.turnIds(),
      attempt,
      of: max_retries,
      delayMs: retry_delay_ms,
      status: error_status ?? undefined,
      reason: error,
    }));
  }

  /** The CLI denied a call. If a callback or a hook of this side did, that was published already. */
  #onDenied(toolUseId: string, tool: string, reasonType: unknown, reason: string): void {
    if (this.tools.wasDenied(toolUseId) || reasonType === "hook") return;
    this.tools.deny(toolUseId);
    const event = (): PermissionDecidedEvent => ({
      at: eventTime(),
      ...this.turnIds(),
      request: undefined,
      toolUseId,
      tool,
      parentToolUseId: this.tools.get(toolUseId)?.parentToolUseId ?? null,
      by: "cli",
      decision: "deny",
      ms: undefined,
      reason,
    });
    publish(CHANNELS.permissionDecided, event);
  }

  #endTool(toolUseId: string, outcome: ToolOutcome, result: unknown): void {
    this.#rounds.settle(toolUseId, outcome === "interrupted");
    this.#rounds.forget(toolUseId);
    this.tools.end(toolUseId, outcome, result);
  }

  #endOwnTurn(outcome: TurnOutcome): void {
    const turn = this.#ownTurn;
    this.#ownTurn = undefined;
    if (turn !== undefined) this.onTurnSettled(turn, outcome);
  }

  #endTurn(turn: string, startedAt: number, how: TurnOutcome): void {
    for (const toolUseId of this.tools.leftOf(turn)) {
      this.#endTool(toolUseId, "interrupted", undefined);
    }
    const rounds = this.#rounds.endTurn(turn, how.result === undefined);
    this.#apiError = undefined;
    const at = eventTime();
    const { outcome, costUsd, result, merged, error } = how;
    publish(CHANNELS.turnEnd, () => ({
      at,
      ...this.sessionIds(),
      turn,
      outcome,
      ms: at - startedAt,
      rounds,
      costUsd,
      usage: tokenCounts(result?.usage),
      merged,
      result,
      ...(error === undefined ? {} : { error }),
    }));
  }

  /** A message that cannot be observed must still reach its reader. */
  #safely(observe: () => void): void {
    try {
      observe();
    } catch (error) {
      this.#session.log.error("an event could not be published", { error: textOf(error) });
    }
  }
}

type ToolOutcome = Parameters<ToolObserver["end"]>[1];

/** Why a tool did not run, as newer CLIs report it. */
function whyNotRun(meta: unknown, toolUseId: string): "denied" | "interrupted" | undefined {
  const rows: readonly unknown[] = Array.isArray(meta) ? meta : [];
  const row = rows.map(objectOf).find(({ id }) => id === toolUseId);
  const kind = row?.["non_execution_kind"];
  if (kind === undefined) return undefined;
  return kind === "cancelled" ? "interrupted" : "denied";
}
