import { AsyncLocalStorage } from "node:async_hooks";

/** What the API knows about a session that it is opening. */
export interface Opening {
  readonly tenant: string;
  readonly agent: string;
  readonly model: string | undefined;
  /** False as soon as the session is open. */
  isOpening: boolean;
  /** Hawser's number of the session. A pool may need a second session for one request. */
  session: number | undefined;
}

/** The tenant of a session. */
export interface Owner {
  /** Undefined for a session of the program itself. */
  readonly tenant: string | undefined;
  /** Whether the session serves a single call. Only an admin sees it. */
  readonly isInternal: boolean;
  readonly opening?: Opening | undefined;
}

/**
 * Knows which tenant a session belongs to. Sessions of the API are recognised by the async context in which they
 * begin, and sessions of calls by the tenant of the call.
 */
export class SessionOwners {
  readonly #opening = new AsyncLocalStorage<Opening>();
  readonly #calls = new Map<number, string | undefined>();
  readonly #owners = new Map<number, Owner>();
  /** By the CLI's id. It outlasts the session, for its transcript and its audit records. */
  readonly #tenants = new Map<string, string>();
  /** The ids in `#tenants` of each tenant, the oldest first. */
  readonly #ids = new Map<string, Set<string>>();

  readonly #mostIds: number;

  /** `mostIds` is how many ids of the CLI are remembered. */
  constructor(mostIds: number = MOST_IDS) {
    this.#mostIds = mostIds;
  }

  /** Opens a session for a tenant. */
  open<T>(opening: Opening, work: () => Promise<T>): Promise<T> {
    return this.#opening.run(opening, work);
  }

  onCallStart(call: number, tenant: string | undefined): void {
    this.#calls.set(call, tenant);
  }

  onCallEnd(call: number): void {
    this.#calls.delete(call);
  }

  tenantOfCall(call: number | undefined): string | undefined {
    return call === undefined ? undefined : this.#calls.get(call);
  }

  /** To be called in the context in which the session begins. */
  onSessionStart(session: number, call: number | undefined): Owner {
    const opening = this.#opening.getStore();
    const isInternal = call !== undefined;
    const isOpened = opening?.isOpening === true && !isInternal;
    if (isOpened) opening.session = session;
    const owner: Owner = {
      tenant: this.tenantOfCall(call) ?? (opening?.isOpening ? opening.tenant : undefined),
      isInternal,
      opening: isOpened ? opening : undefined,
    };
    this.#owners.set(session, owner);
    return owner;
  }

  onSessionEnd(session: number): void {
    this.#owners.delete(session);
  }

  ownerOf(session: number): Owner | undefined {
    return this.#owners.get(session);
  }

  /** Gives a session of the program to a tenant. Earlier events of the session stay hidden from the tenant. */
  assign(session: number, tenant: string): void {
    const owner = this.#owners.get(session);
    this.#owners.set(session, { isInternal: owner?.isInternal ?? false, tenant });
  }

  /** The CLI has named the session. */
  onSessionId(sessionId: string, tenant: string | undefined): void {
    if (tenant === undefined || this.#tenants.get(sessionId) === tenant) return;
    this.#forgetId(sessionId);
    this.#tenants.set(sessionId, tenant);
    this.#ids.set(tenant, (this.#ids.get(tenant) ?? new Set()).add(sessionId));
    if (this.#tenants.size <= this.#mostIds) return;
    // The tenant with the most ids makes room, so that no tenant loses its own to the many calls of another.
    const [most] = [...this.#ids.values()].sort((a, b) => b.size - a.size);
    const [oldest] = most ?? [];
    if (oldest !== undefined) this.#forgetId(oldest);
  }

  #forgetId(sessionId: string): void {
    const tenant = this.#tenants.get(sessionId);
    if (tenant === undefined) return;
    this.#tenants.delete(sessionId);
    const ids = this.#ids.get(tenant);
    ids?.delete(sessionId);
    if (ids?.size === 0) this.#ids.delete(tenant);
  }

  /** The tenant whose session had this id of the CLI in this run of the server. */
  tenantOfId(sessionId: string | undefined): string | undefined {
    return sessionId === undefined ? undefined : this.#tenants.get(sessionId);
  }
}

const MOST_IDS = 20_000;
