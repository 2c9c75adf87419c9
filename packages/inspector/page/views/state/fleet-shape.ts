/** What `GET /fleet` says. */
export interface FleetState {
  readonly runs: Readonly<Record<string, number>>;
  readonly approvals: number;
  readonly database?: { readonly kind?: string; readonly postgres?: string };
  readonly hosts: readonly {
    readonly name: string;
    readonly slots: number;
    readonly active: number;
    readonly queues: readonly string[];
    readonly draining: boolean;
    readonly seenAt: string;
    readonly hawser?: string;
  }[];
  readonly accounts: readonly {
    readonly account: string;
    readonly active: number;
    readonly pausedUntil?: string;
    readonly reason?: string;
  }[];
  readonly tenants: readonly TenantState[];
}

export interface TenantState {
  readonly tenant: string;
  readonly runs: Readonly<Record<string, number>>;
  readonly limits?: {
    readonly concurrency?: number | null;
    readonly weight?: number;
    readonly budgetUsd?: Readonly<Record<"day" | "month" | "total", number | null>>;
    readonly paused?: unknown;
  };
  readonly spentUsd: Readonly<Record<"day" | "month" | "total", number>>;
  readonly reservedUsd?: number;
  readonly waitsUntil?: string;
}
