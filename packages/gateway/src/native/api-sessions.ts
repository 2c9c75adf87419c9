import {
  type Approvals,
  isHawserError,
  type Options,
  openSession,
  type Pool,
  type Prompt,
  type Session,
  type SessionOptions,
  type Turn,
  type Usage,
} from "hawser";
import { agentOptionsOf } from "../agents/agent-options-of.js";
import { modelNotFound, resolveModel } from "../answer/resolve-model.js";
import { RequestError } from "../errors/request-error.js";
import type { Used } from "../tenants/tenant.js";
import type { EventFeed } from "./event-feed.js";
import type { LiveSession } from "./live-state.js";
import type { NativeAccess } from "./native-access.js";
import type { Opening } from "./session-owners.js";
import type { TurnMeter } from "./turn-meters.js";

/** An agent whose sessions the API can open: options of `hawser`. */
export type NativeAgent = Options & { readonly description?: string | undefined };

export interface ApiSessionsOptions {
  readonly pool: Pool | undefined;
  /** Answers the questions of the sessions that the API opens. */
  readonly approvals: Approvals | undefined;
  readonly agents: () => Readonly<Record<string, NativeAgent>>;
  /** Names of models for clients, and the models that they stand for. */
  readonly models: () => Readonly<Record<string, string>>;
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
  /** How many sessions each tenant is opening. */
  readonly #opening = new Map<string, number>();
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
    this.#refuseTooMany(access);
    const { agent, model } = request;
    const opening: Opening = {
      tenant: access.name,
      agent,
      model,
      isOpening: true,
      session: undefined,
    };
    const pool = access.pool ?? this.#options.pool;
    this.#count(access.name, 1);
    let session: Session;
    try {
      session = await this.#feed.owners.open(opening, () =>
        pool === undefined ? openSession(options) : pool.openSession(options),
      );
    } finally {
      opening.isOpening = false;
      this.#count(access.name, -1);
    }
    const { session: number } = opening;
    if (number === undefined) {
      await session.close();
      throw new RequestError("internal", "The session was opened, but its events did not arrive.");
    }
    const held: Held = { session, tenant: access.name, timer: undefined, running: 0 };
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
    this.#runningTurns += 1;
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
      this.#runningTurns -= 1;
      if (held === undefined || number === undefined) return;
      held.running -= 1;
      this.#restartTimer(number, held);
    });
    return turn;
  }

  async interrupt(live: LiveSession): Promise<void> {
    await this.sessionOf(live).interrupt({ cancelQueued: true });
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
  sessionOf(live: LiveSession): Session {
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

  #find(live: LiveSession): Session | undefined {
    const number = this.#feed.numberOfSession(live.id);
    const held = number === undefined ? undefined : this.#opened.get(number);
    if (held !== undefined) return held.session;
    // A session of the program has no number for other packages.
    for (const session of this.#registered) {
      const isSameProcess = live.pid !== undefined && session.pid === live.pid;
      if (isSameProcess || (live.sessionId !== undefined && session.id === live.sessionId)) {
        return session;
      }
    }
    return undefined;
  }

  #optionsOf(access: NativeAccess, { agent, model, resume }: OpenRequest): SessionOptions {
    const agents = this.#options.agents();
    const profile = Object.hasOwn(agents, agent) ? agents[agent] : undefined;
    if (profile === undefined || access.mayUse?.(`agent:${agent}`) === false) {
      throw new RequestError("not_found", `There is no agent ${JSON.stringify(agent)}.`, {
        param: "agent",
      });
    }
    const cliModel = model === undefined ? undefined : this.#modelOf(access, model);
    const { description: _, ...options } = profile;
    const { canUseTool, onElicitation } = this.#options.approvals ?? {};
    return {
      ...(canUseTool !== undefined && { canUseTool }),
      ...(onElicitation !== undefined && { onElicitation }),
      ...agentOptionsOf(access.options ?? {}, options),
      ...(cliModel !== undefined && { model: cliModel }),
      ...(resume !== undefined && { resume }),
      // Only a pool takes a tenant.
      ...((access.pool ?? this.#options.pool) !== undefined && { tenant: access.name }),
    };
  }

  /** The model that a name of a client stands for. An agent has its own field in the request. */
  #modelOf(access: NativeAccess, name: string): string {
    if (access.mayUse?.(name) === false) throw modelNotFound(name);
    const target = resolveModel(name, { models: this.#options.models(), agents: [] });
    if (target.kind === "completion") return target.model;
    throw modelNotFound(name);
  }

  #refuseTooMany({ name }: NativeAccess): void {
    const { maxSessions } = this.#options;
    let open = this.#opening.get(name) ?? 0;
    for (const [number, { tenant }] of this.#opened) {
      if (tenant === name && !this.#isOver(number)) open += 1;
    }
    if (open < maxSessions) return;
    throw new RequestError(
      "rate_limit_exceeded",
      `You have ${open} open sessions, which is the limit. Close one of them.`,
    );
  }

  #count(tenant: string, change: number): void {
    const count = (this.#opening.get(tenant) ?? 0) + change;
    if (count > 0) this.#opening.set(tenant, count);
    else this.#opening.delete(tenant);
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

/** A session that the API has opened. */
interface Held {
  readonly session: Session;
  readonly tenant: string;
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
