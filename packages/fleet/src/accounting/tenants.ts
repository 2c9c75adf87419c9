/** What a tenant may do. Unset fields keep their value. */
export interface TenantLimits {
  /** Runs at once, over the whole fleet. `null` removes the limit. */
  readonly concurrency?: number | null;
  /** The share of the fleet, beside the others. @default 1 */
  readonly weight?: number;
  readonly budgetUsd?: {
    readonly day?: number | null;
    readonly month?: number | null;
    readonly total?: number | null;
  };
  /** What happens when a budget is spent: refuse with `budget_refused`, or wait for the next day or month. @default "refuse" */
  readonly onBudget?: "refuse" | "wait";
  readonly paused?: boolean;
  /** The account whose key its runs use. @default "default" */
  readonly account?: string;
}

export interface AccountLimits {
  /** Runs at once, over the whole fleet. */
  readonly concurrency?: number | null;
  /** Nothing of this account is begun before. The API's limits set it. */
  readonly pausedUntil?: Date | null;
}

/** A tenant at one moment. */
export interface TenantState {
  readonly tenant: string;
  /** How many of its runs have not ended. */
  readonly runs: Readonly<Record<"queued" | "held" | "running" | "waiting", number>>;
  readonly limits: TenantLimits;
  /** What it has spent today, in this month (UTC), and in all. */
  readonly spentUsd: { readonly day: number; readonly month: number; readonly total: number };
  /** What running segments may still spend, as far as the run or the tenant has a budget. */
  readonly reservedUsd: number;
  /** Its budget is spent, so that none of its runs begins before. */
  readonly waitsUntil?: Date;
}

/** Who may use how much. */
export interface Tenants {
  /** The tenants that have limits, runs that have not ended, or have spent money; at most 1000, by name. */
  list(): Promise<TenantState[]>;
  set(tenant: string, limits: TenantLimits): Promise<void>;
  get(tenant: string): Promise<TenantLimits>;
  setAccount(account: string, limits: AccountLimits): Promise<void>;
  /**
   * Pauses an account for all hosts, until a time or for so many milliseconds from now, by the clock of the database. A
   * later end wins. Workers call it when the API says so.
   */
  pauseAccount(account: string, until: Date | number, reason: string): Promise<void>;
}

/** The money and tokens of one day. */
export interface DayUsage {
  readonly tenant: string;
  readonly day: string;
  readonly costUsd: number;
  /** The part of it that is an estimate. */
  readonly estimatedUsd: number;
  /** What running segments may still spend, as far as the run or the tenant has a budget. */
  readonly reservedUsd: number;
  /**
   * The runs that were settled on this day, after they had begun. Each run counts once: one that is retried does not
   * count until it is settled again, and then on that day.
   */
  readonly runs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}
