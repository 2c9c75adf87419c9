import { type CutLimits, cutValue } from "./cut-value.js";
import type { ErrorShape, EventOf, NativeEvent, TokensShape } from "./event-shape.js";

/** What is going on at one moment. It is the sum of all events so far. */
export interface Snapshot {
  readonly sessions: readonly LiveSession[];
  readonly approvals: readonly EventOf<"approval.requested">[];
  readonly calls: readonly LiveCall[];
  /** The requests of clients of the gateway that run, and the newest that have ended. */
  readonly requests: readonly LiveRequest[];
  readonly pauses: readonly EventOf<"pause.start">[];
}

/** A session that runs, or one of the newest that have ended. */
export interface LiveSession {
  /** The API's id of the session. */
  readonly id: string;
  /** The CLI's id of the session. */
  readonly sessionId?: string | undefined;
  readonly tenant?: string | undefined;
  readonly purpose: string;
  /** The agent of the configuration, if the API opened the session. */
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  readonly call?: number | undefined;
  readonly status: "starting" | "ready" | "ended";
  readonly startedAt: number;
  readonly endedAt?: number | undefined;
  readonly pid?: number | undefined;
  readonly cliVersion?: string | undefined;
  /** `closed`, `detached` or the code of the failure; present when the session has ended. */
  readonly outcome?: string | undefined;
  readonly error?: ErrorShape | undefined;
  /** The known costs of its turns. */
  readonly costUsd: number;
  /** The turns that run or wait. */
  readonly turns: readonly LiveTurn[];
  /** The newest turns that have ended, the oldest first. */
  readonly endedTurns: readonly EndedTurn[];
}

export interface LiveTurn {
  readonly id: string;
  readonly startedAt: number;
  readonly prompt?: unknown;
  readonly model?: string | undefined;
  /** What the model has said so far, without text at the start that is too much. */
  readonly text: string;
  readonly thinking: string;
  /** How many characters are missing at the start of `text`. */
  readonly textCut: number;
  /** The tool calls of the turn. `parentToolUseId` makes a tree of the calls of sub-agents. */
  readonly tools: readonly LiveTool[];
  /** The latest repetition of a request to the API, until the model answers. */
  readonly retry?: { readonly attempt: number; readonly of: number; readonly reason?: string };
}

export interface LiveTool {
  readonly toolUseId: string;
  readonly tool: string;
  readonly parentToolUseId: string | null;
  readonly subagentType?: string | undefined;
  readonly startedAt: number;
  readonly status: "running" | "ok" | "error" | "denied" | "interrupted";
  readonly input?: unknown;
  readonly ms?: number | undefined;
}

export interface EndedTurn {
  readonly id: string;
  readonly endedAt: number;
  readonly outcome: string;
  readonly ms: number;
  readonly rounds: number;
  readonly costUsd?: number | undefined;
  readonly usage?: TokensShape | undefined;
  readonly prompt?: unknown;
  readonly text?: unknown;
  readonly error?: ErrorShape | undefined;
}

/** A `complete()` or `stream()` that runs. */
export interface LiveCall {
  readonly call: number;
  readonly tenant?: string | undefined;
  readonly caller: string;
  readonly startedAt: number;
}

/** A request of a client of the gateway. `status` and what follows are known when it has ended. */
export interface LiveRequest {
  readonly request: string;
  readonly tenant?: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly startedAt: number;
  readonly endedAt?: number | undefined;
  readonly status?: number | undefined;
  readonly ms?: number | undefined;
  readonly model?: string | undefined;
  readonly usage?: TokensShape | undefined;
  readonly costUsd?: number | undefined;
  readonly isAborted?: boolean | undefined;
  /** The code of the error. */
  readonly code?: string | undefined;
}

/**
 * Adds up events. A client can do the same: from a snapshot, and the events after it, follows the next snapshot.
 */
export class LiveState {
  readonly #sessions = new Map<string, LiveSession>();
  readonly #approvals = new Map<string, EventOf<"approval.requested">>();
  readonly #calls = new Map<number, LiveCall>();
  readonly #requests = new Map<string, LiveRequest>();
  readonly #pauses = new Map<string, EventOf<"pause.start">>();

  constructor(start?: Snapshot) {
    for (const session of start?.sessions ?? []) this.#sessions.set(session.id, session);
    for (const approval of start?.approvals ?? []) this.#approvals.set(approval.approval, approval);
    for (const call of start?.calls ?? []) this.#calls.set(call.call, call);
    for (const each of start?.requests ?? []) this.#requests.set(each.request, each);
    for (const pause of start?.pauses ?? []) this.#pauses.set(pauseKey(pause), pause);
  }

  session(id: string): LiveSession | undefined {
    return this.#sessions.get(id);
  }

  /** The sessions with this id of the CLI, the newest last. */
  sessionsOf(sessionId: string): readonly LiveSession[] {
    return [...this.#sessions.values()].filter((each) => each.sessionId === sessionId);
  }

  /** The objects never change; each event makes new ones. */
  snapshot(): Snapshot {
    return {
      sessions: [...this.#sessions.values()],
      approvals: [...this.#approvals.values()],
      calls: [...this.#calls.values()],
      requests: [...this.#requests.values()],
      pauses: [...this.#pauses.values()],
    };
  }

  apply(event: NativeEvent): void {
    switch (event.kind) {
      case "call.start": {
        const { call, tenant, caller, at } = event;
        if (call === undefined) return;
        this.#calls.set(call, { call, caller, startedAt: at, ...(tenant && { tenant }) });
        return;
      }
      case "call.end":
        if (event.call !== undefined) this.#calls.delete(event.call);
        return;
      case "request.start": {
        const { request, tenant, method, path, at: startedAt } = event;
        const begun = { request, ...(tenant && { tenant }), method, path, startedAt };
        this.#requests.set(request, begun);
        return;
      }
      case "request.end":
        this.#onRequestEnd(event);
        return;
      case "pause.start":
        this.#onPause(event);
        return;
      case "approval.requested":
        this.#approvals.set(event.approval, event);
        return;
      case "approval.answered":
        this.#approvals.delete(event.approval);
        return;
      default:
        if (event.session !== undefined) this.#onSession(event.session, event);
    }
  }

  /** Puts the request behind the running ones, and forgets the oldest of those that have ended. */
  #onRequestEnd(event: EventOf<"request.end">): void {
    const { request, at: endedAt, status, ms, model, usage, costUsd, isAborted, code } = event;
    const begun = this.#requests.get(request);
    if (begun === undefined) return;
    this.#requests.delete(request);
    this.#requests.set(request, {
      ...{ ...begun, endedAt, status, ms, isAborted },
      ...(model !== undefined && { model }),
      ...(usage !== undefined && { usage }),
      ...(costUsd !== undefined && { costUsd }),
      ...(code !== undefined && { code }),
    });
    const ended = [...this.#requests.values()].filter((each) => each.endedAt !== undefined);
    for (const { request: oldest } of ended.slice(0, -ENDED_REQUESTS))
      this.#requests.delete(oldest);
  }

  #onPause(event: EventOf<"pause.start">): void {
    for (const [key, { until }] of this.#pauses) {
      if (until < event.at) this.#pauses.delete(key);
    }
    this.#pauses.set(pauseKey(event), event);
  }

  #onSession(id: string, event: NativeEvent): void {
    const known = this.#sessions.get(id);
    if (known === undefined && event.kind !== "session.start") return;
    const session = known ?? startOf(id, event);
    const { sessionId } = event;
    const named = sessionId === undefined ? session : { ...session, sessionId };
    const next = withTurns({ ...named, ...changeOf(session, event) }, event);
    this.#sessions.set(id, next);
    if (next.status === "ended" && session.status !== "ended") this.#forgetEnded(id, next);
  }

  /** Puts the session behind the running ones, and forgets the oldest of those that have ended. */
  #forgetEnded(id: string, session: LiveSession): void {
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    let ended = 0;
    for (const { status } of this.#sessions.values()) if (status === "ended") ended += 1;
    for (const each of this.#sessions.values()) {
      if (ended <= ENDED_SESSIONS) return;
      if (each.status !== "ended") continue;
      this.#sessions.delete(each.id);
      ended -= 1;
    }
  }
}

const ENDED_SESSIONS = 50;
const ENDED_REQUESTS = 100;
const ENDED_TURNS = 20;
const TURN_TOOLS = 200;
const TURN_TEXT = 32_768;

function pauseKey({ pool, account }: EventOf<"pause.start">): string {
  return `${pool}/${account}`;
}

function startOf(id: string, event: NativeEvent): LiveSession {
  const { at, tenant, call } = event;
  const start = event.kind === "session.start" ? event : undefined;
  return {
    id,
    ...(tenant !== undefined && { tenant }),
    purpose: start?.purpose ?? "session",
    ...(start?.agent !== undefined && { agent: start.agent }),
    ...(start?.model !== undefined && { model: start.model }),
    ...(call !== undefined && { call }),
    status: "starting",
    startedAt: at,
    costUsd: 0,
    turns: [],
    endedTurns: [],
  };
}

function changeOf({ costUsd }: LiveSession, event: NativeEvent): Partial<LiveSession> {
  switch (event.kind) {
    case "session.ready": {
      const { pid, cliVersion } = event;
      return {
        status: "ready",
        ...(pid !== undefined && { pid }),
        ...(cliVersion !== undefined && { cliVersion }),
      };
    }
    case "session.recovered":
      return event.pid === undefined ? {} : { pid: event.pid };
    case "session.end": {
      const { outcome, at, error } = event;
      return {
        status: "ended",
        outcome,
        endedAt: at,
        turns: [],
        ...(error !== undefined && { error }),
      };
    }
    case "turn.start":
      // A session that is observed from a later turn on never says that it is ready.
      return { status: "ready" };
    case "turn.end":
      return { costUsd: costUsd + (event.costUsd ?? 0) };
    default:
      return {};
  }
}

function withTurns(session: LiveSession, event: NativeEvent): LiveSession {
  const { turn: id } = event;
  if (id === undefined || event.kind === "session.end") return session;
  if (event.kind === "turn.start") {
    const { prompt, at } = event;
    const begun = { text: "", thinking: "", textCut: 0, tools: [] };
    const turn: LiveTurn = {
      id,
      startedAt: at,
      ...(prompt !== undefined && { prompt }),
      ...begun,
    };
    return { ...session, turns: [...session.turns, turn] };
  }
  if (event.kind === "turn.end") {
    const prompt = session.turns.find((turn) => turn.id === id)?.prompt;
    const turns = session.turns.filter((turn) => turn.id !== id);
    const ended = { ...endOf(id, event), ...(prompt !== undefined && { prompt: short(prompt) }) };
    const endedTurns = [...session.endedTurns, ended].slice(-ENDED_TURNS);
    return { ...session, turns, endedTurns };
  }
  const turns = session.turns.map((turn) => (turn.id === id ? withEvent(turn, event) : turn));
  return { ...session, turns };
}

/** Enough to recognise a prompt. The state of many ended turns would otherwise be large. */
function short(prompt: unknown): unknown {
  return cutValue(prompt, "", (text) => text, PROMPT_LIMITS).value;
}

const PROMPT_LIMITS: CutLimits = { text: 500, total: 500, entries: 8, depth: 4 };

function endOf(id: string, event: EventOf<"turn.end">): EndedTurn {
  const { at: endedAt, outcome, ms, rounds, costUsd, usage, text, error } = event;
  return {
    id,
    endedAt,
    outcome,
    ms,
    rounds,
    ...(costUsd !== undefined && { costUsd }),
    ...(usage !== undefined && { usage }),
    ...(text !== undefined && { text }),
    ...(error !== undefined && { error }),
  };
}

function withEvent(turn: LiveTurn, event: NativeEvent): LiveTurn {
  switch (event.kind) {
    case "turn.text": {
      const text = turn.text + (event.text ?? "");
      const dropped = Math.max(text.length - TURN_TEXT, 0);
      const thinking = (turn.thinking + (event.thinking ?? "")).slice(-TURN_TEXT);
      return { ...turn, text: text.slice(dropped), textCut: turn.textCut + dropped, thinking };
    }
    case "round.start": {
      const { retry: _, ...answered } = turn;
      const isMain = event.parentToolUseId === null && event.model !== undefined;
      return isMain ? { ...answered, model: event.model } : answered;
    }
    case "api.retry": {
      const { attempt, of, reason } = event;
      return { ...turn, retry: { attempt, of, ...(reason !== undefined && { reason }) } };
    }
    case "tool.start":
      return { ...turn, tools: boundedTools([...turn.tools, toolOf(event)]) };
    case "tool.end": {
      const { toolUseId, outcome, ms } = event;
      const status = statusOf(outcome);
      const tools = turn.tools.map((tool) =>
        tool.toolUseId === toolUseId ? { ...tool, status, ms } : tool,
      );
      return { ...turn, tools };
    }
    default:
      return turn;
  }
}

function toolOf(event: EventOf<"tool.start">): LiveTool {
  const { toolUseId, tool, parentToolUseId, subagentType, at: startedAt, input } = event;
  return {
    toolUseId,
    tool,
    parentToolUseId,
    ...(subagentType !== undefined && { subagentType }),
    startedAt,
    status: "running",
    ...(input !== undefined && { input }),
  };
}

function boundedTools(tools: readonly LiveTool[]): readonly LiveTool[] {
  if (tools.length <= TURN_TOOLS) return tools;
  const oldest = tools.findIndex(({ status }) => status !== "running");
  return oldest < 0 ? tools : tools.toSpliced(oldest, 1);
}

function statusOf(outcome: string): LiveTool["status"] {
  return outcome === "ok" || outcome === "denied" || outcome === "interrupted" ? outcome : "error";
}
