import type { Options, Pool, Usage } from "hawser";

/** The sender of a request, found by its key: its rights, its limits, and the options of its calls. */
export interface Tenant {
  readonly name: string;
  /** The options of this tenant's calls: credential, configuration folder, working directory. */
  readonly options: Options;
  /** Whether no other tenant and no agent uses the configuration folder of `options`. @default false */
  readonly ownsConfigDir?: boolean | undefined;
  /** The pool of this tenant alone; `undefined` for the pool of the gateway. */
  readonly pool?: Pool | undefined;
  /** Whether the native API shows this tenant the sessions, approvals and events of all tenants. */
  readonly isAdmin: boolean;
  /** False for a key that may only look: the native API then refuses to open, prompt, stop and answer. */
  readonly canControl: boolean;
  /** Whether the tenant may use this model or agent, by the name that the client gave. */
  mayUse(model: string): boolean;
  /**
   * Reserves a request. Throws `rate_limit_exceeded` or `insufficient_quota`. The reservation must be settled.
   */
  admit(): Admission;
}

/** A request that counts towards the limits of a tenant. */
export interface Admission {
  /** Limits and what is left of them, for the rate-limit headers. */
  readonly limits: RateLimits;
  /** Books what was used and ends the reservation. Later calls have no effect. */
  settle(used?: Used): void;
}

/** What a request has used. */
export interface Used {
  readonly usage: Usage;
  /** Undefined if it is not known. */
  readonly costUsd: number | undefined;
  /** Whether the tokens are an estimate, because the answer was cut off. @default false */
  readonly isEstimate?: boolean | undefined;
}

export interface RateLimits {
  readonly requests?: RateLimit | undefined;
  readonly tokens?: RateLimit | undefined;
}

export interface RateLimit {
  readonly limit: number;
  readonly remaining: number;
  /** When all of it is available again, in milliseconds since 1970. */
  readonly resetsAt: number;
}
