import { HawserError, onAbort } from "../../base/index.js";
import type { PoolSettings } from "../options.js";
import { FairQueue } from "./fair-queue.js";
import { type Charge, Ledger } from "./ledger.js";
import { Throttle } from "./throttle.js";

/** Who wants to be served. */
export interface AdmissionRequest {
  readonly priority: number;
  readonly tenant: string | undefined;
  /** Of the key that it has in common with others, so that none of them keeps the rest waiting. */
  readonly lane: string;
  readonly account: string;
  readonly purpose: "call" | "session";
  /** By `performance.now()`. */
  readonly deadlineAt: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The right to be served now. */
export interface Slot {
  readonly queuedMs: number;
  readonly charge: Charge;
  /** Once, when it is over, well or with this failure. */
  release(failure: HawserError | undefined): void;
}

interface Waiter extends AdmissionRequest {
  readonly enteredAt: number;
  readonly admit: (slot: Slot) => void;
  readonly refuse: (why: HawserError) => void;
}

/** One who pays: limits of one say nothing about another. */
interface AccountLoad {
  readonly throttle: Throttle;
  running: number;
  /** By `performance.now()`. */
  usedAt: number;
}

/** Decides who is served, and when. */
export class Admission {
  readonly ledger: Ledger;
  readonly #settings: PoolSettings;
  readonly #queue = new FairQueue<Waiter>();
  readonly #accounts = new Map<string, AccountLoad>();
  #running = 0;
  #timer: NodeJS.Timeout | undefined;
  /** When the first of the pauses that keep somebody waiting is over, as last seen. */
  #opensInMs = Number.POSITIVE_INFINITY;

  constructor(settings: PoolSettings) {
    this.#settings = settings;
    this.ledger = new Ledger(settings.budgetUsd);
  }

  get queued(): number {
    return this.#queue.size;
  }

  get running(): number {
    return this.#running;
  }

  /** How many may run at once now, all accounts together. */
  get limit(): number {
    const limits = [...this.#accounts.values()].map(({ throttle }) => throttle.limit);
    return limits.length === 0 ? this.#settings.concurrency : Math.max(...limits);
  }

  /** Waits for its turn. */
  enter(application: AdmissionRequest): Promise<Slot> {
    return new Promise((resolve, reject) => {
      const ticket: Waiter = {
        ...application,
        enteredAt: performance.now(),
        admit: (slot) => {
          stopListening();
          resolve(slot);
        },
        refuse: (why) => {
          stopListening();
          this.#queue.remove(ticket);
          if (this.#queue.size === 0) clearTimeout(this.#timer);
          reject(why);
        },
      };
      let stopListening = () => {};
      this.#queue.add(ticket);
      stopListening = onAbort([application.signal], (error) => ticket.refuse(error));
      this.#dispatch();
      if (this.#queue.size > this.#settings.queueLimit && this.#isWaiting(ticket)) {
        ticket.refuse(new HawserError("pool_full", tooMany(this.#settings.queueLimit)));
      }
    });
  }

  /** All that wait are told. */
  refuseAll(why: () => HawserError): void {
    for (const ticket of this.#queue.clear()) ticket.refuse(why());
    clearTimeout(this.#timer);
  }

  #isWaiting(ticket: Waiter): boolean {
    return [...this.#queue].includes(ticket);
  }

  #dispatch(): void {
    this.#refuseHopeless();
    this.#opensInMs = Number.POSITIVE_INFINITY;
    while (this.#running < this.#settings.concurrency) {
      const ticket = this.#queue.take((each) => this.#mayGo(each));
      if (ticket === undefined) break;
      this.#admit(ticket);
    }
    this.#forgetAccounts();
    this.#schedule();
  }

  #mayGo({ account, tenant }: Waiter): boolean {
    const { throttle, running } = this.#accountOf(account);
    if (throttle.pausedUntil > 0) {
      // A pause may end between two looks at the clock: whoever saw it must look again.
      this.#opensInMs = Math.min(this.#opensInMs, Math.max(1, throttle.msUntilOpen()));
      return false;
    }
    if (running >= throttle.limit) return false;
    return this.ledger.verdict(tenant) === "go";
  }

  #admit(ticket: Waiter): void {
    const startedAt = performance.now();
    const account = this.#accountOf(ticket.account);
    const charge = this.ledger.begin(ticket.tenant, ticket.purpose === "call");
    this.#running += 1;
    account.running += 1;
    account.usedAt = startedAt;
    let left = false;
    ticket.admit({
      queuedMs: startedAt - ticket.enteredAt,
      charge,
      release: (failure) => {
        if (left) return;
        left = true;
        this.#running -= 1;
        account.running -= 1;
        if (failure === undefined) account.throttle.succeeded(startedAt);
        else account.throttle.failed(failure, startedAt);
        this.#dispatch();
      },
    });
  }

  /** Those for whom waiting is of no use: the money is spent, or the limit outlasts them. */
  #refuseHopeless(): void {
    const isPaused = [...this.#accounts.values()].some(({ throttle }) => throttle.usageLimit);
    if (this.#settings.budgetUsd === undefined && !isPaused) return;
    const verdicts = new Map<string | undefined, ReturnType<Ledger["verdict"]>>();
    for (const ticket of this.#queue) {
      const { tenant, account, deadlineAt = Number.NEGATIVE_INFINITY } = ticket;
      const verdict = verdicts.get(tenant) ?? this.ledger.verdict(tenant);
      verdicts.set(tenant, verdict);
      const { throttle } = this.#accountOf(account);
      const limit = throttle.usageLimit;
      if (verdict instanceof HawserError) ticket.refuse(verdict.but({}));
      else if (limit !== undefined && deadlineAt < throttle.pausedUntil) {
        ticket.refuse(limitReached(limit));
      }
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

  /** One that knows nothing, or nothing new, is made anew when it is needed. */
  #forgetAccounts(): void {
    const now = performance.now();
    for (const [name, { throttle, running, usedAt }] of this.#accounts) {
      const isPlain = throttle.limit === this.#settings.concurrency || now - usedAt > STALE_MS;
      if (running === 0 && throttle.pausedUntil === 0 && isPlain) this.#accounts.delete(name);
    }
  }

  /** Whoever waits for the end of a pause keeps the program alive. */
  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#queue.size === 0 || !Number.isFinite(this.#opensInMs)) return;
    const ms = Math.min(this.#opensInMs, LONGEST_WAIT_MS);
    this.#timer = setTimeout(() => this.#dispatch(), ms);
  }
}

/** A timer stands still while the machine sleeps: after that, a pause may be over before its timer. */
const LONGEST_WAIT_MS = 30_000;

const STALE_MS = 10 * 60_000;

function tooMany(limit: number): string {
  return limit === 0 ? "All places of the pool are taken." : `${limit} callers wait already.`;
}

/** What one caller was told holds for the others, who have sent nothing. */
function limitReached({ resetsAt, message }: HawserError): HawserError {
  return new HawserError("usage_limit", `Another call was told: ${message}`, {
    hint: "No call was made. Wait until `resetsAt`, or give the call a longer `timeouts.totalMs`.",
    ...(resetsAt === undefined ? {} : { resetsAt }),
  });
}
