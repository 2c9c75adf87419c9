import { HawserError } from "../../base/index.js";

/**
 * The budget of a pool in US dollars. A number limits the whole pool. `tenants` takes precedence over
 * `perTenant`.
 *
 * @example
 * ```ts
 * const pool = createPool({ budgetUsd: { total: 100, perTenant: 5, tenants: { acme: 20 } } });
 * ```
 */
export type PoolBudget =
  | number
  | {
      /** For all calls of the pool together. */
      readonly total?: number | undefined;
      /** For each tenant that is not named in `tenants`. A call without a tenant counts only for `total`. */
      readonly perTenant?: number | undefined;
      /** For single tenants, by name. */
      readonly tenants?: Readonly<Record<string, number>> | undefined;
    };

/** The costs of one call or session. */
export interface Charge {
  /** Adds the cost of one result; undefined if it is not known. */
  add(usd: number | undefined): void;
  /**
   * The call is over. `lostUnknown`: it may have cost more than its results say. Only the first time
   * counts.
   */
  settle(lostUnknown: boolean): void;
}

/**
 * Refuses calls when a budget is spent. The cost of a call is not known before it ends, so each running
 * call reserves the cost of the dearest call so far. Until the first cost is known, calls run one at a time.
 *
 * Example: the budget is $1.00, $0.70 is spent, and the dearest call has cost $0.20. One call may start
 * (it reserves $0.20, which makes $0.90) and a second one ($0.90 is still below $1.00; with it $1.10 is
 * reserved). A third waits. If both cost $0.20, $1.10 is spent: less than the budget and one call. Only
 * calls that are dearer than all before them can exceed that, by what they cost above the reservation.
 */
export class Ledger {
  readonly #budget: Exclude<PoolBudget, number>;
  readonly #named: ReadonlyMap<string, number>;
  readonly #pool: BudgetAccount;
  readonly #tenants = new Map<string, BudgetAccount>();
  #spentBudgets = 0;

  constructor(budget: PoolBudget | undefined) {
    this.#budget = typeof budget === "object" ? budget : { total: budget };
    this.#named = new Map(Object.entries(this.#budget.tenants ?? {}));
    const path = typeof budget === "object" ? "budgetUsd.total" : "budgetUsd";
    this.#pool = new BudgetAccount("The pool", path, this.#budget.total, this.#onSpent);
  }

  /** How many budgets calls have spent. A spent budget stays spent. */
  get spentBudgets(): number {
    return this.#spentBudgets;
  }

  /** A result of unknown cost counts as much as the dearest result so far. */
  get spentUsd(): number {
    return this.#pool.spentUsd;
  }

  /** What each tenant has spent. A result of unknown cost counts as the dearest result of that tenant. */
  tenants(): Record<string, number> {
    return Object.fromEntries([...this.#tenants].map(([name, { spentUsd }]) => [name, spentUsd]));
  }

  /** Whether a call may begin. "wait": running calls have reserved the rest and may cost less. */
  verdict(tenant: string | undefined): "go" | "wait" | HawserError {
    const accounts = this.#accounts(tenant);
    const spent = accounts.find((account) => account.isSpent);
    if (spent !== undefined) return spent.refusal();
    return accounts.some((account) => account.isReserved) ? "wait" : "go";
  }

  /**
   * Opens the account of a call, whatever the verdict was. A session reserves nothing, because it may stay
   * open for hours, and other calls would wait for money that it may never spend.
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

  /** The account of the pool comes first, because its refusal is reported if both are spent. */
  #accounts(tenant: string | undefined): BudgetAccount[] {
    if (tenant === undefined) return [this.#pool];
    return [this.#pool, this.#tenants.get(tenant) ?? this.#newAccount(tenant)];
  }

  #newAccount(tenant: string): BudgetAccount {
    const name = JSON.stringify(tenant);
    const own = this.#named.get(tenant);
    const path = own === undefined ? "budgetUsd.perTenant" : `budgetUsd.tenants[${name}]`;
    const limitUsd = own ?? this.#budget.perTenant;
    return new BudgetAccount(`Tenant ${name}`, path, limitUsd, this.#onSpent);
  }

  readonly #onSpent = (): void => {
    this.#spentBudgets += 1;
  };
}

/** Tolerance for floating-point sums (10 × 0.1 < 1). */
const ROUNDING = 1e-9;

/** One budget, of the pool or of a tenant, and the costs charged to it. */
class BudgetAccount {
  readonly #owner: string;
  readonly #path: string;
  readonly #limitUsd: number;
  readonly #onSpent: () => void;
  readonly #running = new Set<Call>();
  #spentUsd = 0;
  #dearestCall = 0;
  #dearestResult = 0;
  /** How many results of unknown cost there were before the first known cost. */
  #unvalued = 0;

  /** `path` is the option that sets the limit. `onSpent` is called once, when a cost reaches the limit. */
  constructor(owner: string, path: string, limitUsd: number | undefined, onSpent: () => void) {
    this.#owner = owner;
    this.#path = path;
    this.#limitUsd = (limitUsd ?? Number.POSITIVE_INFINITY) - ROUNDING;
    this.#onSpent = onSpent;
  }

  get spentUsd(): number {
    return this.#spentUsd;
  }

  get isSpent(): boolean {
    return this.#spentUsd >= this.#limitUsd;
  }

  /** Whether the running calls may need all that is left. */
  get isReserved(): boolean {
    if (this.#limitUsd === Number.POSITIVE_INFINITY || this.#running.size === 0) return false;
    // Calls that cost nothing failed before they reached the model, so no cost is known yet.
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
    const wasSpent = this.isSpent;
    this.#charge(call, usd);
    if (!wasSpent && this.isSpent) this.#onSpent();
  }

  #charge(call: Call, usd: number | undefined): void {
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

/** A running call and its cost so far. */
interface Call {
  usd: number;
  readonly reserves: boolean;
}

/** The CLI's totals may be invalid numbers; these count as unknown. */
function isCost(usd: number | undefined): usd is number {
  return usd !== undefined && Number.isFinite(usd) && usd >= 0;
}

function dollars(usd: number): string {
  return `$${Number(usd.toFixed(6))}`;
}
