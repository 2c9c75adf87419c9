import {
  type AdmissionEvent,
  abortedBy,
  CHANNELS,
  eventTime,
  HawserError,
  onAbort,
  publish,
} from "../../base/index.js";
import type { Binding } from "../binding.js";
import type { PoolSettings } from "../options.js";
import { FairQueue, type OutOfTurn } from "./fair-queue.js";
import { type Charge, Ledger } from "./ledger.js";
import { Throttle } from "./throttle.js";

/** A call or session that wants to run. */
export interface AdmissionRequest {
  readonly priority: number;
  readonly tenant: string | undefined;
  /**
   * Lanes of one priority take turns, so that many calls with one key do not block the calls with another.
   */
  readonly lane: string;
  readonly account: string;
  /** Says which processes can serve the request. */
  readonly binding: Binding;
  readonly purpose: "call" | "session";
  /** The number of the call, for events. */
  readonly call?: number | undefined;
  /** By `performance.now()`. */
  readonly deadlineAt: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The processes of a pool as the admission sees them. `WorkerSet` implements it. */
export interface ProcessSupply {
  /** Whether this can be served without the end of a process: one is free, or soon free, or there is room. */
  hasPlaceFor(binding: Binding): boolean;
  /** How many processes serve only requests like this one, busy processes included. */
  countFor(binding: Binding): number;
}

/** The right to run now. */
export interface Slot {
  readonly queuedMs: number;
  readonly charge: Charge;
  /** The call is over, well or with this failure. Only the first time counts. */
  release(failure: HawserError | undefined): void;
}

/** A request that has entered. */
interface Entrant extends AdmissionRequest {
  /** The number of the request, for events. */
  readonly number: number;
  readonly enteredAt: number;
}

interface Waiter extends Entrant {
  readonly admit: (slot: Slot) => void;
  readonly refuse: (why: HawserError) => void;
}

/** The load of one account of the API. The limits of one account say nothing about another. */
interface AccountLoad {
  readonly throttle: Throttle;
  running: number;
  /** By `performance.now()`. */
  usedAt: number;
}

/** The accounts and tenants whose waiters may not go now. */
interface HeldBack {
  readonly accounts: Set<string>;
  readonly tenants: Set<string | undefined>;
}

/** Decides which call may run, and when: by concurrency, priority, the API's limits and budgets. */
export class Admission {
  readonly ledger: Ledger;
  readonly #settings: PoolSettings;
  readonly #pool: number;
  readonly #supply: ProcessSupply;
  readonly #queue = new FairQueue<Waiter>();
  readonly #accounts = new Map<string, AccountLoad>();
  #running = 0;
  #entered = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The time until the first pause ends that a waiter was held back by in the last dispatch. */
  #opensInMs = Number.POSITIVE_INFINITY;
  /** How many budgets were spent when the waiters were last looked through. */
  #spentBefore = 0;

  /** `pool` is the number of the pool, for events. */
  constructor(settings: PoolSettings, pool: number, supply: ProcessSupply) {
    this.#settings = settings;
    this.#pool = pool;
    this.#supply = supply;
    this.ledger = new Ledger(settings.budgetUsd);
  }

  get queued(): number {
    return this.#queue.size;
  }

  get running(): number {
    return this.#running;
  }

  /** How many requests of each tenant wait. */
  queuedByTenant(): Record<string, number> {
    const counts = new Map<string, number>();
    for (const { tenant } of this.#queue) {
      if (tenant !== undefined) counts.set(tenant, (counts.get(tenant) ?? 0) + 1);
    }
    return Object.fromEntries(counts);
  }

  /** How many calls may run at once now: the highest limit of all accounts. */
  get limit(): number {
    const limits = [...this.#accounts.values()].map(({ throttle }) => throttle.limit);
    return limits.length === 0 ? this.#settings.concurrency : Math.max(...limits);
  }

  /** Resolves when it is the turn of this request; rejects if it is refused or aborted. */
  async enter(request: AdmissionRequest): Promise<Slot> {
    const { signal } = request;
    if (signal?.aborted) throw abortedBy(signal);
    const entrant = { ...request, number: ++this.#entered, enteredAt: performance.now() };
    if (!this.#mayGoAtOnce(entrant)) return this.#wait(entrant);
    this.#queue.pass(entrant);
    return this.#admit(entrant);
  }

  #wait(entrant: Entrant): Promise<Slot> {
    return new Promise((resolve, reject) => {
      const { signal } = entrant;
      let stopListening = () => {};
      const waiter: Waiter = {
        ...entrant,
        admit: (slot) => {
          stopListening();
          resolve(slot);
        },
        refuse: (why) => {
          stopListening();
          this.#queue.remove(waiter);
          if (this.#queue.size === 0) clearTimeout(this.#timer);
          publish(CHANNELS.admissionRefused, () => {
            const { code } = why;
            return { ...this.#eventOf(waiter), ms: waitedMs(waiter), code, error: why };
          });
          reject(why);
        },
      };
      this.#queue.add(waiter);
      this.#refuseIfHopeless(waiter);
      this.#dispatch();
      if (!this.#queue.has(waiter)) return;
      if (this.#queue.size > this.#settings.queueLimit) {
        waiter.refuse(new HawserError("pool_full", tooMany(this.#settings.queueLimit)));
        return;
      }
      publish(CHANNELS.admissionQueued, () => this.#eventOf(waiter));
      stopListening = onAbort([signal], (error) => waiter.refuse(error));
    });
  }

  /** Refuses all waiters. */
  refuseAll(why: () => HawserError): void {
    for (const waiter of this.#queue.clear()) waiter.refuse(why());
    clearTimeout(this.#timer);
  }

  #dispatch(): void {
    if (this.#spentBefore !== this.ledger.spentBudgets) this.#refuseHopeless();
    this.#opensInMs = Number.POSITIVE_INFINITY;
    // An admission can only hold back more waiters, so each account and tenant is judged once.
    const heldBack = { accounts: new Set<string>(), tenants: new Set<string | undefined>() };
    while (this.#running < this.#settings.concurrency) {
      const waiter = this.#queue.take((each) => this.#mayGo(each, heldBack), this.#byProcesses());
      if (waiter === undefined) break;
      waiter.admit(this.#admit(waiter));
    }
    this.#removeStaleAccounts();
    this.#schedule();
  }

  /**
   * A free process first serves a request that fits it. Strict turns would end it for a request of another kind,
   * and nearly every request would wait for the start of a process. A request whose kind has its share of the
   * processes waits for one of them; other requests are not passed often.
   */
  #byProcesses(): OutOfTurn<Waiter> {
    const known = new Map<string, boolean>();
    return {
      isPreferred: ({ binding }) => {
        const { requestKey } = binding;
        const hasPlace = known.get(requestKey) ?? this.#supply.hasPlaceFor(binding);
        known.set(requestKey, hasPlace);
        return hasPlace;
      },
      patienceOf: ({ binding, priority }) => {
        const kinds = new Set<string>();
        for (const each of this.#queue.upcoming(priority)) kinds.add(each.binding.requestKey);
        const share = Math.max(1, Math.floor(this.#settings.max / kinds.size));
        return this.#supply.countFor(binding) >= share ? PATIENCE_WITH_SHARE : PATIENCE;
      },
    };
  }

  #mayGo({ account, tenant }: Waiter, { accounts, tenants }: HeldBack): boolean {
    if (accounts.has(account) || tenants.has(tenant)) return false;
    if (this.#isHeldBack(account)) accounts.add(account);
    else if (this.ledger.verdict(tenant) === "go") return true;
    else tenants.add(tenant);
    return false;
  }

  #isHeldBack(account: string): boolean {
    const { throttle, running } = this.#accountOf(account);
    if (throttle.pausedUntil === 0) return running >= throttle.limit;
    // The pause may end between two looks at the clock, so wait for at least 1 ms and look again.
    this.#opensInMs = Math.min(this.#opensInMs, Math.max(1, throttle.msUntilOpen()));
    return true;
  }

  /** Whether the queue is empty and nothing holds this request back. */
  #mayGoAtOnce({ account, tenant }: Entrant): boolean {
    const hasRoom = this.#queue.size === 0 && this.#running < this.#settings.concurrency;
    return hasRoom && !this.#isHeldBack(account) && this.ledger.verdict(tenant) === "go";
  }

  #admit(waiter: Entrant): Slot {
    const startedAt = performance.now();
    const account = this.#accountOf(waiter.account);
    const charge = this.ledger.begin(waiter.tenant, waiter.purpose === "call");
    this.#running += 1;
    account.running += 1;
    account.usedAt = startedAt;
    let isReleased = false;
    const queuedMs = startedAt - waiter.enteredAt;
    publish(CHANNELS.admissionAdmitted, () => ({ ...this.#eventOf(waiter), ms: queuedMs }));
    return {
      queuedMs,
      charge,
      release: (failure) => {
        if (isReleased) return;
        isReleased = true;
        this.#running -= 1;
        account.running -= 1;
        if (failure === undefined) account.throttle.succeeded(startedAt);
        else this.#slowDown(account.throttle, waiter.account, failure, startedAt);
        if (failure?.code === "usage_limit") this.#refuseHopeless();
        this.#dispatch();
      },
    };
  }

  #slowDown(throttle: Throttle, account: string, failure: HawserError, startedAt: number): void {
    const before = throttle.pausedUntil;
    throttle.failed(failure, startedAt);
    // The end of a usage limit is computed from two clocks, so it may move by less than a millisecond.
    if (throttle.pausedUntil < before + 1) return;
    publish(CHANNELS.pauseStart, () => {
      const at = eventTime();
      const ms = throttle.msUntilOpen();
      const { code } = failure;
      return { at, pool: this.#pool, account, code, ms, until: at + ms, limit: throttle.limit };
    });
  }

  #eventOf({ number: admission, call, purpose, tenant, priority }: Entrant): AdmissionEvent {
    const { queued, running } = this;
    const request = { pool: this.#pool, admission, call, purpose, tenant, priority };
    return { at: eventTime(), ...request, queued, running };
  }

  /** For all waiters, after a budget was spent or an account has reached its usage limit. */
  #refuseHopeless(): void {
    this.#spentBefore = this.ledger.spentBudgets;
    for (const waiter of this.#queue) this.#refuseIfHopeless(waiter);
  }

  /** Refuses a waiter whose budget is spent, or whose deadline comes before the end of a usage limit. */
  #refuseIfHopeless(waiter: Waiter): void {
    const { tenant, account, deadlineAt = Number.NEGATIVE_INFINITY } = waiter;
    const verdict = this.ledger.verdict(tenant);
    const { throttle } = this.#accountOf(account);
    const limit = throttle.usageLimit;
    if (verdict instanceof HawserError) waiter.refuse(verdict);
    else if (limit !== undefined && deadlineAt < throttle.pausedUntil) {
      waiter.refuse(limitReached(limit));
    }
  }

  #accountOf(name: string): AccountLoad {
    const known = this.#accounts.get(name);
    if (known !== undefined) return known;
    const { concurrency } = this.#settings;
    const account = {
      throttle: new Throttle({ concurrency }),
      running: 0,
      usedAt: performance.now(),
    };
    this.#accounts.set(name, account);
    return account;
  }

  /** Removes accounts that have no memory worth keeping; they are created again when needed. */
  #removeStaleAccounts(): void {
    const now = performance.now();
    for (const [name, { throttle, running, usedAt }] of this.#accounts) {
      const isPlain = throttle.limit === this.#settings.concurrency || now - usedAt > STALE_MS;
      if (running === 0 && throttle.pausedUntil === 0 && isPlain) this.#accounts.delete(name);
    }
  }

  /** The timer is not unref'd, because a caller that waits for the end of a pause keeps the program alive. */
  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#queue.size === 0 || !Number.isFinite(this.#opensInMs)) return;
    const ms = Math.min(this.#opensInMs, LONGEST_WAIT_MS);
    this.#timer = setTimeout(() => this.#dispatch(), ms);
  }
}

/** How many requests in a row may pass one for which another process must end. */
const PATIENCE = 2;
/** How many may pass a request whose kind has its share of the processes, one of which will be free. */
const PATIENCE_WITH_SHARE = 64;

/** Timers pause while the machine sleeps, so the clock is checked from time to time. */
const LONGEST_WAIT_MS = 30_000;

const STALE_MS = 10 * 60_000;

function waitedMs({ enteredAt }: Waiter): number {
  return performance.now() - enteredAt;
}

function tooMany(limit: number): string {
  return limit === 0 ? "All places of the pool are taken." : `${limit} callers wait already.`;
}

/** The usage limit that another call of the account has met, for a call that has sent nothing. */
function limitReached({ resetsAt, message }: HawserError): HawserError {
  return new HawserError("usage_limit", `Another call reached a usage limit: ${message}`, {
    hint: "No call was made. Wait until `resetsAt`, or set a longer `timeouts.totalMs`.",
    ...(resetsAt === undefined ? {} : { resetsAt }),
  });
}
