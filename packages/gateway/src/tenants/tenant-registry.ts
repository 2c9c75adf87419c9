import type { Options, Pool } from "hawser";
import { RequestError } from "../errors/request-error.js";
import { equalHashes, hashKey, keysOf } from "./api-key.js";
import { includesModel, type ModelRights } from "./model-rights.js";
import type { SpendingLedger } from "./spending-ledger.js";
import type { Admission, RateLimits, Tenant } from "./tenant.js";
import { type Limits, TenantLimits } from "./tenant-limits.js";

/** A tenant as the configuration describes it. */
export interface TenantPlan extends ModelRights, Limits {
  readonly name: string;
  readonly options: Options;
  /** Whether no other tenant and no agent uses the configuration folder of `options`. */
  readonly ownsConfigDir?: boolean | undefined;
  readonly isAdmin: boolean;
  readonly canControl: boolean;
  /** The pool of this tenant alone; `undefined` for the pool of the gateway. */
  readonly pool?: Pool | undefined;
}

export interface RegistryPlan {
  readonly tenants: readonly TenantPlan[];
  readonly keys: readonly { readonly tenant: string; readonly sha256: string }[];
  /** The map of model names. */
  readonly models: Readonly<Record<string, string>>;
}

/** Finds the tenant of a request. The counters of the tenants stay when the plan changes. */
export class TenantRegistry {
  readonly #ledger: SpendingLedger;
  readonly #now: () => number;
  readonly #limits = new Map<string, TenantLimits>();
  #tenants: ReadonlyMap<string, RegisteredTenant> = new Map();
  #keys: RegistryPlan["keys"] = [];
  #needsKey = false;

  constructor(plan: RegistryPlan, ledger: SpendingLedger, now: () => number = Date.now) {
    this.#ledger = ledger;
    this.#now = now;
    this.change(plan);
  }

  /** Replaces tenants and keys. Requests that run keep the tenant that they have. */
  change({ tenants, keys, models }: RegistryPlan): void {
    const made = tenants.map((plan) => {
      const limits = this.#limitsOf(plan);
      return [plan.name, new RegisteredTenant(plan, models, limits)] as const;
    });
    this.#tenants = new Map(made);
    this.#keys = keys;
    this.#needsKey ||= keys.length > 0;
  }

  get tenants(): readonly RegisteredTenant[] {
    return [...this.#tenants.values()];
  }

  /** The hashes of the keys, as hexadecimal digits. */
  get keyHashes(): readonly string[] {
    return this.#keys.map(({ sha256 }) => sha256);
  }

  /** Whether requests need a key. It stays so without any key: who removes the last key wants nobody to get in. */
  get needsKey(): boolean {
    return this.#needsKey;
  }

  /**
   * The tenant whose key the request carries. Without any keys, the only tenant. Throws `invalid_api_key`. Every
   * stored hash is compared, so that the time does not tell which of them is close.
   */
  authenticate(headers: Headers): RegisteredTenant {
    if (!this.needsKey) {
      const [only] = this.#tenants.values();
      if (only !== undefined) return only;
    }
    const given = keysOf(headers).slice(0, 2);
    let name: string | undefined;
    for (const key of given) {
      const hash = hashKey(key);
      for (const { tenant, sha256 } of this.#keys) {
        if (equalHashes(hash, sha256)) name ??= tenant;
      }
    }
    const tenant = name === undefined ? undefined : this.#tenants.get(name);
    if (tenant !== undefined) return tenant;
    throw new RequestError(
      "invalid_api_key",
      given.length === 0
        ? "This gateway needs a key. Send it as `x-api-key` or as `Authorization: Bearer`."
        : "The key is not valid. `hawser serve keys add <tenant>` creates one.",
    );
  }

  #limitsOf(plan: TenantPlan): TenantLimits {
    const known = this.#limits.get(plan.name);
    known?.change(plan);
    const limits = known ?? new TenantLimits(plan.name, plan, this.#ledger, this.#now);
    this.#limits.set(plan.name, limits);
    return limits;
  }
}

/** A tenant with its counters. */
export class RegisteredTenant implements Tenant {
  readonly name: string;
  readonly options: Options;
  readonly ownsConfigDir: boolean;
  readonly isAdmin: boolean;
  readonly canControl: boolean;
  readonly pool: Pool | undefined;
  readonly #rights: ModelRights;
  readonly #models: Readonly<Record<string, string>>;
  readonly #limits: TenantLimits;

  constructor(plan: TenantPlan, models: Readonly<Record<string, string>>, limits: TenantLimits) {
    this.name = plan.name;
    this.options = plan.options;
    this.ownsConfigDir = plan.ownsConfigDir === true;
    this.isAdmin = plan.isAdmin;
    this.canControl = plan.canControl;
    this.pool = plan.pool;
    this.#rights = plan;
    this.#models = models;
    this.#limits = limits;
  }

  mayUse(model: string): boolean {
    const target = Object.hasOwn(this.#models, model) ? this.#models[model] : undefined;
    return includesModel(this.#rights, model, target ?? model);
  }

  admit(): Admission {
    return this.#limits.admit();
  }

  /** What is left of the limits now. */
  rateLimits(): RateLimits {
    return this.#limits.state();
  }

  /** Requests that were admitted and not settled. */
  get running(): number {
    return this.#limits.running;
  }
}
