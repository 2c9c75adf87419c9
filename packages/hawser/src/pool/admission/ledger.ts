import { HawserError } from "../../base/index.js";

/** In US dollars: a number is for the whole pool; `tenants` goes before `perTenant`. */
export type PoolBudget =
  | number
  | {
      readonly total?: number | undefined;
      /** For each tenant that is not named in `tenants`. Calls without a tenant are nobody's. */
      readonly perTenant?: number | undefined;
      readonly tenants?: Readonly<Record<string, number>> | undefined;
    };

/** What one call, or one session, costs. */
export interface Charge {
  /** One result; undefined if its cost is not known. */
  add(usd: number | undefined): void;
  /** Once; `lostUnknown`: a request may have been paid for that nobody counted. */
  settle(lostUnknown: boolean): void;
}

/**
 * Refuses what a budget has no money for. What a call will cost is not known before, so that each that
 * runs reserves as much as the dearest so far, and until one is known they go one at a time. What was
 * let in costs less than the budget and one call, the last. Only if some that ran beside that one are
 * dearer than all that was known when it was let in, what they cost above it comes on top.
 */
export class Ledger {
  readonly #budget: Exclude<PoolBudget, number>;
  readonly #named: ReadonlyMap<string, number>;
  readonly #pool: BudgetAccount;
  readonly #tenants = new Map<string, BudgetAccount>();

  constructor(budget: PoolBudget | undefined) {
    this.#budget = typeof budget === "object" ? budget : { total: budget };
    this.#named = new Map(Object.entries(this.#budget.tenants ?? {}));
    const path = typeof budget === "object" ? "budgetUsd.total" : "budgetUsd";
    this.#pool = new BudgetAccount("The pool", path, this.#budget.total);
  }

  /** Where a cost was not known, the dearest result seen stands for it. */
  get spentUsd(): number {
    return this.#pool.spentUsd;
  }

  /** What each has spent, counted as `spentUsd` is, but by the dearest result of that tenant. */
  tenants(): Record<string, number> {
    return Object.fromEntries([...this.#tenants].map(([name, { spentUsd }]) => [name, spentUsd]));
  }

  /** Whether a call may begin; "wait" only if one that runs may yet leave enough. */
  verdict(tenant: string | undefined): "go" | "wait" | HawserError {
    const accounts = this.#accounts(tenant);
    const spent = accounts.find((account) => account.isSpent);
    if (spent !== undefined) return spent.refusal();
    return accounts.some((account) => account.isReserved) ? "wait" : "go";
  }

  /**
   * The call begins, whatever the verdict. One that may stay open for hours, as a session, reserves
   * nothing: others would wait for what it may never spend.
   */
  begin(tenant: string | undefined, reserves = true): Charge {
    const accounts = this.#accounts(tenant);
    const own = accounts[1];
    if (tenant !== undefined && own !== undefined) this.#tenants.set(tenant, own);
    const charges = accounts.map((account) => account.begin(reserves));
    return {
      add: (usd) => {
        for (const charge of charges) charge.add(usd);
      },
      settle: (lostUnknown) => {
        for (const charge of charges) charge.settle(lostUnknown);
      },
    };
  }

  /** The pool's first: where it has nothing left, a tenant's does not matter. */
  #accounts(tenant: string | undefined): BudgetAccount[] {
    if (tenant === undefined) return [this.#pool];
    return [this.#pool, this.#tenants.get(tenant) ?? this.#newAccount(tenant)];
  }

  #newAccount(tenant: string): BudgetAccount {
    const name = JSON.stringify(tenant);
    const own = this.#named.get(tenant);
    const path = own === undefined ? "budgetUsd.perTenant" : `budgetUsd.tenants[${name}]`;
    return new BudgetAccount(`Tenant ${name}`, path, own ?? this.#budget.perTenant);
  }
}

/** So that ten times ten cents are a dollar. */
const ROUNDING = 1e-9;

/** One budget, and what is charged to it. */
class BudgetAccount {
  readonly #owner: string;
  readonly #path: string;
  readonly #limitUsd: number;
  readonly #running = new Set<Call>();
  #spentUsd = 0;
  #dearestCall = 0;
  #dearestResult = 0;
  /** Results of unknown cost from before any was known. */
  #unvalued = 0;

  /** `path` is the option that limits it. */
  constructor(owner: string, path: string, limitUsd = Number.POSITIVE_INFINITY) {
    this.#owner = owner;
    this.#path = path;
    this.#limitUsd = limitUsd - ROUNDING;
  }

  get spentUsd(): number {
    return this.#spentUsd;
  }

  get isSpent(): boolean {
    return this.#spentUsd >= this.#limitUsd;
  }

  /** Whether those that run may need all that is left. */
  get isReserved(): boolean {
    if (this.#limitUsd === Number.POSITIVE_INFINITY || this.#running.size === 0) return false;
    // A call for nothing says as little as none: it failed before it came to the model.
    if (this.#dearestCall === 0) return true;
    let usd = this.#spentUsd;
    for (const call of this.#running) usd += Math.max(0, this.#dearestCall - call.usd);
    return usd >= this.#limitUsd;
  }

  refusal(): HawserError {
    const [spent, limit] = [this.#spentUsd, this.#limitUsd + ROUNDING].map(dollars);
    return new HawserError(
      "budget_refused",
      `${this.#owner} has spent ${spent} of its budget of ${limit}.`,
      { hint: `Raise \`${this.#path}\`.` },
    );
  }

  begin(reserves: boolean): Charge {
    const call: Call = { usd: 0, reserves };
    let ended = false;
    if (reserves) this.#running.add(call);
    return {
      add: (usd) => this.#add(call, usd),
      settle: (lostUnknown) => {
        if (ended) return;
        ended = true;
        this.#running.delete(call);
        if (lostUnknown) this.#add(call, undefined);
      },
    };
  }

  #add(call: Call, usd: number | undefined): void {
    if (isCost(usd)) {
      this.#dearestResult = Math.max(this.#dearestResult, usd);
      this.#count(call, usd);
    } else if (this.#dearestResult > 0) {
      this.#count(call, this.#dearestResult);
    } else {
      this.#unvalued += 1;
    }
    if (this.#dearestResult === 0) return;
    this.#spentUsd += this.#unvalued * this.#dearestResult;
    this.#unvalued = 0;
  }

  #count(call: Call, usd: number): void {
    call.usd += usd;
    this.#spentUsd += usd;
    if (call.reserves) this.#dearestCall = Math.max(this.#dearestCall, call.usd);
  }
}

/** What a call has cost so far. */
interface Call {
  usd: number;
  readonly reserves: boolean;
}

/** The CLI's totals may make no sense, and then say as little as none. */
function isCost(usd: number | undefined): usd is number {
  return usd !== undefined && Number.isFinite(usd) && usd >= 0;
}

function dollars(usd: number): string {
  return `$${Number(usd.toFixed(6))}`;
}
