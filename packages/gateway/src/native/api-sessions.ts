import {
  type Approvals,
  isHawserError,
  type LiveQuery,
  liveSession,
  type Options,
  openSession,
  type Pool,
  type Prompt,
  type Session,
  type SessionOptions,
  type Turn,
  type Usage,
} from "hawser";
import { type AgentNotes, agentCliOptions } from "../agents/agent-cli-options.js";
import { agentOptionsOf } from "../agents/agent-options-of.js";
import { RequestError } from "../errors/request-error.js";
import type { Used } from "../tenants/tenant.js";
import { clientModel } from "./client-model.js";
import type { EventFeed } from "./event-feed.js";
import type { LiveSession } from "./live-state.js";
import type { NativeAccess } from "./native-access.js";
import type { Opening } from "./session-owners.js";
import { stopSession } from "./stop-session.js";
import type { TurnMeter } from "./turn-meters.js";

/** An agent whose sessions the API can open: options of `hawser`. */
export type NativeAgent = Options & AgentNotes;

export interface ApiSessionsOptions {
  readonly pool: Pool | undefined;
  /** Answers the questions of the sessions that the API opens. */
  readonly approvals: Approvals | undefined;
  readonly agents: () => Readonly<Record<string, NativeAgent>>;
  /** Whether the requests to an agent are runs of the fleet. */
  readonly runsOnFleet: (agent: NativeAgent) => boolean;
  /** Names of models for clients, and the models that they stand for. */
  readonly models: () => Readonly<Record<string, string>>;
  /** Whether clients may control every session of the program. */
  readonly controlsProgram: boolean;
  /** How many sessions of one tenant may be open. */
  readonly maxSessions: number;
  /** A session without a turn for this time is closed. */
  readonly idleMs: number;
}

/** What a client asks for. Everything else comes from the configuration. */
export interface OpenRequest {
  readonly agent: string;
  readonly model: string | undefined;
  /** The CLI's id of an earlier session. */
  readonly resume: string | undefined;
  /** The folder of that session. An admin's session is resumed there, unless the options name a folder. */
  readonly cwd?: string | undefined;
}

/** How a turn ended, for a client that waits. */
export interface TurnOutcome {
  readonly turn: string;
  readonly outcome: string;
  readonly text?: string;
  readonly costUsd?: number;
}

/**
 * The sessions that the API may control: those that it has opened, and those that the program has registered.
 */
export class ApiSessions {
  readonly #feed: EventFeed;
  readonly #options: ApiSessionsOptions;
  /** By Hawser's number. */
  readonly #opened = new Map<number, Held>();
  readonly #registered = new Set<Session>();
  /** The sessions that are being opened. */
  readonly #opening = new Set<Place>();
  /** How many turns of each session run or wait. */
  readonly #turns = new WeakMap<Session, number>();
  #runningTurns = 0;

  constructor(feed: EventFeed, options: ApiSessionsOptions) {
    this.#feed = feed;
    this.#options = options;
  }

  /** How many turns that clients have sent run or wait. */
  get runningTurns(): number {
    return this.#runningTurns;
  }

  /** Opens a session with the agent's options and those of the tenant. Resolves to the API's id. */
  async open(access: NativeAccess, request: OpenRequest): Promise<string> {
    const options = this.#optionsOf(access, request);
    const pool = access.pool ?? this.#options.pool;
    const place: Place = { tenant: access.name, pool };
    this.#refuseTooMany(place);
    const { agent, model } = request;
    const opening: Opening = {
      tenant: access.name,
      agent,
      model,
      isOpening: true,
      session: undefined,
    };
    this.#opening.add(place);
    let session: Session;
    try {
      session = await this.#feed.owners.open(opening, () =>
        pool === undefined ? openSession(options) : pool.openSession(options),
      );
    } finally {
      opening.isOpening = false;
      this.#opening.delete(place);
    }
    const { session: number } = opening;
    if (number === undefined) {
      await session.close();
      throw new RequestError("internal", "The session was opened, but its events did not arrive.");
    }
    const held: Held = { ...place, session, timer: undefined, running: 0 };
    this.#opened.set(number, held);
    this.#restartTimer(number, held);
    return this.#feed.idOfSession(number);
  }

  /** Lets clients control a session of the program. Returns a function that takes this back. */
  register(session: Session): () => void {
    this.#registered.add(session);
    return () => this.#registered.delete(session);
  }

  /** Sends a prompt. */
  send(live: LiveSession, prompt: Prompt, access: NativeAccess): Turn {
    const session = this.sessionOf(live);
    if (!takesPrompts(session)) {
      throw new RequestError(
        "conflict",
        "This session is a query() of the program, which takes its prompts from the program only.",
      );
    }
    const waiting = this.#turns.get(session) ?? 0;
    if (waiting >= MOST_TURNS) {
      const message = `${waiting} turns of the session run or wait, which is the limit. Wait until one has ended.`;
      throw new RequestError("rate_limit_exceeded", message);
    }
    const admission = access.admit?.();
    let turn: Turn;
    try {
      turn = session.send(prompt);
    } catch (error) {
      admission?.settle();
      throw error;
    }
    const meter = this.#feed.meters.start(turn.uuid);
    const number = this.#feed.numberOfSession(live.id);
    const held = number === undefined ? undefined : this.#opened.get(number);
    this.#countTurn(session, 1);
    if (held !== undefined) {
      held.running += 1;
      clearTimeout(held.timer);
    }
    const over = turn.result.then(
      ({ usage }) => admission?.settle(usedBy(turn, usage, meter, prompt)),
      () => admission?.settle(meter.used(prompt)),
    );
    void over.then(() => {
      this.#feed.meters.end(turn.uuid);
      this.#countTurn(session, -1);
      if (held === undefined || number === undefined) return;
      held.running -= 1;
      this.#restartTimer(number, held);
    });
    return turn;
  }

  /**
   * Ends the running turns and drops the prompts that wait. A process that does not obey in time is killed, and so
   * are the processes of its tools.
   */
  async interrupt(live: LiveSession): Promise<void> {
    await stopSession(this.sessionOf(live), live.id, this.#feed);
  }

  async close(live: LiveSession): Promise<void> {
    const session = this.sessionOf(live);
    this.#forget(live.id);
    await session.close();
  }

  /** Whether `interrupt()`, `close()` and `send()` work for the session. */
  canControl(live: LiveSession): boolean {
    return live.status !== "ended" && this.#find(live) !== undefined;
  }

  /** Throws `conflict` for a session that belongs to the program, or has ended. */
  sessionOf(live: LiveSession): Session | LiveQuery {
    if (live.status === "ended") {
      throw new RequestError("conflict", "The session has ended. Open a new one, with `resume`.");
    }
    const session = this.#find(live);
    if (session !== undefined) return session;
    throw new RequestError(
      "conflict",
      "This session belongs to the program and was not opened by this API. The program can allow this with `register(session)` of the native API.",
    );
  }

  /** Closes the sessions that the API has opened. */
  async closeAll(): Promise<void> {
    const held = [...this.#opened.values()];
    for (const { timer } of held) clearTimeout(timer);
    this.#opened.clear();
    await Promise.all(held.map(({ session }) => session.close()));
  }

  #find(live: LiveSession): Session | LiveQuery | undefined {
    const number = this.#feed.numberOfSession(live.id);
    const held = number === undefined ? undefined : this.#opened.get(number);
    if (held !== undefined) return held.session;
    const session = number === undefined ? undefined : liveSession(number);
    if (session === undefined) return undefined;
    const isRegistered = this.#registered.has(session as Session);
    return this.#options.controlsProgram || isRegistered ? session : undefined;
  }

  #optionsOf(access: NativeAccess, request: OpenRequest): SessionOptions {
    const { agent, model, resume, cwd } = request;
    const agents = this.#options.agents();
    const profile = Object.hasOwn(agents, agent) ? agents[agent] : undefined;
    if (profile === undefined || access.mayUse?.(`agent:${agent}`) === false) {
      throw new RequestError("not_found", `There is no agent ${JSON.stringify(agent)}.`, {
        param: "agent",
      });
    }
    if (this.#options.runsOnFleet(profile)) {
      const message = `agent: ${JSON.stringify(agent)} runs on the fleet, where sessions have no process of their own. Send it a prompt with POST /hawser/v1/runs.`;
      throw new RequestError("invalid_request", message, { param: "agent" });
    }
    const models = this.#options.models();
    const cliModel = model === undefined ? undefined : clientModel(access, model, models);
    const options = agentCliOptions(profile);
    const { canUseTool, onElicitation } = this.#options.approvals ?? {};
    return {
      // The CLI finds a session only in its own folder.
      ...(access.isAdmin && cwd !== undefined && { cwd }),
      ...(canUseTool !== undefined && { canUseTool }),
      ...(onElicitation !== undefined && { onElicitation }),
      ...agentOptionsOf(access.options ?? {}, options),
      ...(cliModel !== undefined && { model: cliModel }),
      ...(resume !== undefined && { resume }),
      // Only a pool takes a tenant.
      ...((access.pool ?? this.#options.pool) !== undefined && { tenant: access.name }),
    };
  }

  #refuseTooMany({ tenant, pool }: Place): void {
    const live = [...this.#opened].filter(([number]) => !this.#isOver(number));
    const places: Place[] = [...this.#opening, ...live.map(([, held]) => held)];
    const own = places.filter((each) => each.tenant === tenant).length;
    if (own >= this.#options.maxSessions) {
      const message = `You have ${own} open sessions, which is the limit. Close one of them.`;
      throw new RequestError("rate_limit_exceeded", message);
    }
    if (pool === undefined) return;
    // A session keeps its place in the pool while it is idle. One place is left for the requests of all tenants.
    const inPool = places.filter((each) => each.pool === pool).length;
    if (inPool < Math.max(1, pool.stats().calls.limit - 1)) return;
    const message = `The server has ${inPool} open sessions, and has no room for another. Try again when one is closed.`;
    throw new RequestError("rate_limit_exceeded", message);
  }

  #countTurn(session: Session, change: 1 | -1): void {
    this.#runningTurns += change;
    this.#turns.set(session, (this.#turns.get(session) ?? 0) + change);
  }

  #restartTimer(number: number, held: Held): void {
    clearTimeout(held.timer);
    if (this.#isOver(number)) this.#opened.delete(number);
    if (held.running > 0 || !this.#opened.has(number)) return;
    held.timer = setTimeout(() => {
      this.#forget(this.#feed.idOfSession(number));
      // A failure to close is an event of the session, and the process is gone in any case.
      held.session.close().catch(() => {});
    }, this.#options.idleMs).unref();
  }

  /** The state forgets sessions that have ended long ago. */
  #isOver(number: number): boolean {
    const live = this.#feed.state.session(this.#feed.idOfSession(number));
    return live === undefined || live.status === "ended";
  }

  #forget(id: string): void {
    const number = this.#feed.numberOfSession(id);
    if (number === undefined) return;
    clearTimeout(this.#opened.get(number)?.timer);
    this.#opened.delete(number);
  }
}

function takesPrompts(session: Session | LiveQuery): session is Session {
  return "send" in session;
}

/** A prompt that waits is kept in memory. */
const MOST_TURNS = 100;

/** Whose session it is, and which pool it takes a place of. */
interface Place {
  readonly tenant: string;
  readonly pool: Pool | undefined;
}

/** A session that the API has opened. */
interface Held extends Place {
  readonly session: Session;
  timer: NodeJS.Timeout | undefined;
  /** How many of its turns run or wait. */
  running: number;
}

/**
 * What a turn with a result has used. The CLI does not count a request that was cut off by an interrupt, so this
 * turn is measured. If several prompts were answered together, one of the turns has the cost and the tokens.
 */
function usedBy(turn: Turn, usage: Usage, meter: TurnMeter, prompt: Prompt): Used | undefined {
  const { costUsd, merged } = turn;
  if (costUsd === undefined) return meter.used(prompt);
  return costUsd === 0 && merged.length > 0 ? undefined : { usage, costUsd };
}

/** Waits for a turn. A turn that failed has an outcome too. */
export async function outcomeOf(turn: Turn): Promise<TurnOutcome> {
  const { uuid } = turn;
  try {
    const text = await turn.text();
    const { costUsd } = turn;
    return { turn: uuid, outcome: "ok", text, ...(costUsd !== undefined && { costUsd }) };
  } catch (error) {
    if (!isHawserError(error)) throw error;
    return { turn: uuid, outcome: error.code, text: error.partialText ?? "" };
  }
}
