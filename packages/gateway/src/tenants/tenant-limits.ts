import type { Usage } from "hawser";
import { RequestError } from "../errors/request-error.js";
import { dayOf, type SpendingLedger } from "./spending-ledger.js";
import type { Admission, RateLimits, Used } from "./tenant.js";
import { TokenBucket } from "./token-bucket.js";

/** The limits of a tenant. One that is `undefined` does not apply. */
export interface Limits {
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
  readonly usdPerDay?: number | undefined;
  readonly concurrency?: number | undefined;
}

/** Counts what a tenant uses. It outlives a change of the configuration. */
export class TenantLimits {
  readonly #tenant: string;
  readonly #ledger: SpendingLedger;
  readonly #now: () => number;
  #limits: Limits;
  #requests: TokenBucket | undefined;
  #tokens: TokenBucket | undefined;
  #running = 0;
  /** The dearest request so far, for requests of unknown cost. */
  #dearestUsd = 0;

  constructor(tenant: string, limits: Limits, ledger: SpendingLedger, now: () => number) {
    this.#tenant = tenant;
    this.#ledger = ledger;
    this.#now = now;
    this.#limits = limits;
    this.change(limits);
  }

  /** Sets other limits. What was used of the earlier ones still counts. */
  change(limits: Limits): void {
    const now = this.#now();
    this.#limits = limits;
    this.#requests = resized(this.#requests, limits.requestsPerMinute, now);
    this.#tokens = resized(this.#tokens, limits.tokensPerMinute, now);
  }

  /** Requests that were admitted and not settled. */
  get running(): number {
    return this.#running;
  }

  state(): RateLimits {
    const now = this.#now();
    return { requests: this.#requests?.state(now), tokens: this.#tokens?.state(now) };
  }

  /**
   * Throws `insufficient_quota` if the money of the day is spent, and `rate_limit_exceeded` for the other limits. A
   * refused request does not count.
   */
  admit(): Admission {
    const now = this.#now();
    this.#refuseSpent(now);
    this.#refuseConcurrent();
    this.#refuseUntil("requestsPerMinute", this.#requests?.waitFor(1, now));
    // An answer is as long as it is, so a request is admitted as soon as one token is left.
    this.#refuseUntil("tokensPerMinute", this.#tokens?.waitFor(1, now));
    this.#requests?.take(1, now);
    this.#running += 1;
    let isSettled = false;
    return {
      limits: this.state(),
      settle: (used) => {
        if (isSettled) return;
        isSettled = true;
        this.#running -= 1;
        if (used !== undefined) this.#book(used);
      },
    };
  }

  #book({ usage, costUsd, isEstimate = false }: Used): void {
    const now = this.#now();
    this.#tokens?.take(countedTokens(usage), now);
    if (costUsd !== undefined) this.#dearestUsd = Math.max(this.#dearestUsd, costUsd);
    // The dearest request alone would be too little: a long answer that is cut off can follow a cheap one.
    const usd = costUsd ?? Math.max(this.#dearestUsd, highestPrice(usage));
    if (usd > 0) this.#ledger.add(this.#tenant, dayOf(now), usd, isEstimate);
  }

  #refuseSpent(now: number): void {
    const { usdPerDay } = this.#limits;
    if (usdPerDay === undefined) return;
    const spent = this.#ledger.spent(this.#tenant, dayOf(now));
    if (spent < usdPerDay) return;
    const tomorrow = Date.parse(`${dayOf(now + 86_400_000)}T00:00:00Z`);
    throw new RequestError(
      "insufficient_quota",
      `Tenant "${this.#tenant}" has spent $${spent.toFixed(4)} of its $${usdPerDay} for today. The next day begins at ${new Date(tomorrow).toISOString()}.`,
      { retryAfterMs: tomorrow - now },
    );
  }

  #refuseConcurrent(): void {
    const { concurrency } = this.#limits;
    if (concurrency === undefined || this.#running < concurrency) return;
    throw new RequestError(
      "rate_limit_exceeded",
      `Tenant "${this.#tenant}" may run ${concurrency} requests at the same time. Send the request again when one has ended.`,
      { retryAfterMs: CONCURRENCY_RETRY_MS },
    );
  }

  #refuseUntil(name: "requestsPerMinute" | "tokensPerMinute", waitMs: number | undefined): void {
    if (waitMs === undefined || waitMs === 0) return;
    const what = name === "requestsPerMinute" ? "requests" : "tokens";
    throw new RequestError(
      "rate_limit_exceeded",
      `Tenant "${this.#tenant}" may use ${this.#limits[name]} ${what} per minute. Send the request again in ${Math.ceil(waitMs / 1000)} s.`,
      { retryAfterMs: waitMs },
    );
  }
}

/** Nothing says when a running request ends. */
const CONCURRENCY_RETRY_MS = 1000;

function resized(bucket: TokenBucket | undefined, limit: number | undefined, now: number) {
  if (limit === undefined) return undefined;
  if (bucket === undefined) return new TokenBucket(limit, now);
  bucket.resize(limit, now);
  return bucket;
}

/** The dollars of these tokens at $15 and $75 a million, the prices of a dear model. */
function highestPrice(usage: Usage): number {
  const { input_tokens: input, output_tokens: output } = usage;
  const cached = usage.cache_creation_input_tokens ?? 0;
  return (15 * (input + 1.25 * cached) + 75 * output) / 1_000_000;
}

/** As the API counts them: tokens that were read from the cache are free. */
function countedTokens(usage: Usage): number {
  return usage.input_tokens + usage.output_tokens + (usage.cache_creation_input_tokens ?? 0);
}
