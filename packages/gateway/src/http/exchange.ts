import { RequestError } from "../errors/request-error.js";
import type { RateLimits, Tenant } from "../tenants/tenant.js";

/** One request of a client whose key was checked. Hono keeps it in the variable `exchange`. */
export interface Exchange {
  /** `req_…`, in the headers `request-id` and `x-request-id`, and in the access log. */
  readonly id: string;
  readonly tenant: Tenant;
  /** Aborted when the client is gone, or when the gateway closes. */
  readonly signal: AbortSignal;
  /** What the access log and the metrics tell about this request. */
  readonly record: RequestRecord;
  /** Aborts `signal`, because the client is gone. */
  abort(): void;
  /** The response is complete, or nobody reads it any more. Later calls have no effect. */
  end(): void;
  /** Calls the listener once, when the exchange has ended. */
  onEnd(listener: () => void): void;
  /** Says that this work needs the body of the request, also after the exchange has ended. */
  keepBodyFor(work: Promise<unknown>): void;
  /** Resolves when nothing needs the body of the request any more. */
  readonly bodyUnused: Promise<void>;
}

/** Facts of a request for the access log. It holds no prompts. The handlers fill it in. */
export interface RequestRecord {
  model?: string;
  /** Set before the answer is asked for: an answer that is not streamed may be begun anew. */
  isStreamed?: boolean;
  /** A stream that only watches and never ends by itself. */
  isSubscription?: boolean;
  ignored?: readonly string[];
  inputTokens?: number;
  outputTokens?: number;
  cacheReadTokens?: number;
  cacheCreationTokens?: number;
  /** The tokens are an estimate, because the answer was cut off. */
  isEstimate?: boolean;
  costUsd?: number | undefined;
  queuedMs?: number | undefined;
  firstByteMs?: number;
  stopReason?: string;
  errorCode?: string;
  /** The model has worked for this request, so the client must not repeat it by itself. */
  isPaid?: boolean;
  /** The limits of the tenant after this request was admitted, for the rate-limit headers. */
  limits?: RateLimits;
}

/** The variables of the Hono application. */
export interface Env {
  Variables: { exchange: Exchange };
}

export interface ExchangeFacts {
  readonly id: string;
  readonly tenant: Tenant;
  /** The signal of the request: aborted when the connection is closed. */
  readonly client: AbortSignal;
}

/** The exchanges that are open, so that a gateway that closes can end them. */
export class Exchanges {
  readonly #open = new Set<OpenExchange>();

  get size(): number {
    return this.#open.size;
  }

  open(facts: ExchangeFacts): Exchange {
    const exchange = new OpenExchange(facts);
    this.#open.add(exchange);
    exchange.onEnd(() => this.#open.delete(exchange));
    return exchange;
  }

  some(isMeant: (exchange: Exchange) => boolean): boolean {
    return [...this.#open].some(isMeant);
  }

  /** Aborts all open exchanges, or those that are meant, because the gateway closes. */
  abort(isMeant: (exchange: Exchange) => boolean = () => true): void {
    const reason = new RequestError("draining", "The gateway closes. Send the request again.");
    for (const exchange of [...this.#open].filter(isMeant)) exchange.abortFor(reason);
  }
}

class OpenExchange implements Exchange {
  readonly id: string;
  readonly tenant: Tenant;
  readonly record: RequestRecord = {};
  readonly #client: AbortSignal;
  // AbortSignal.any() is not used, because it keeps memory for each signal that depends on a long-lived one.
  readonly #controller = new AbortController();
  readonly #listeners: (() => void)[] = [];
  readonly bodyUnused: Promise<void>;
  #bodyUsers: Promise<unknown>[] = [];
  #isEnded = false;

  constructor({ id, tenant, client }: ExchangeFacts) {
    this.id = id;
    this.tenant = tenant;
    this.#client = client;
    const ended = new Promise<void>((resolve) => this.onEnd(resolve));
    this.bodyUnused = ended.then(async () => void (await Promise.allSettled(this.#bodyUsers)));
    client.addEventListener("abort", this.abort);
    if (client.aborted) this.abort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  readonly abort = (): void => {
    this.#controller.abort();
  };

  abortFor(reason: Error): void {
    this.#controller.abort(reason);
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#client.removeEventListener("abort", this.abort);
    for (const listener of this.#listeners) listener();
  }

  onEnd(listener: () => void): void {
    if (this.#isEnded) listener();
    else this.#listeners.push(listener);
  }

  keepBodyFor(work: Promise<unknown>): void {
    this.#bodyUsers.push(work);
  }
}
