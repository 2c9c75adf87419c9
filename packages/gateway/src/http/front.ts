import { randomUUID } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import { problemResponse, shapeOf } from "../errors/error-response.js";
import { problemOf } from "../errors/problem.js";
import { RequestError } from "../errors/request-error.js";
import type { Tenant } from "../tenants/tenant.js";
import { RegisteredTenant } from "../tenants/tenant-registry.js";
import { type AccessEntry, shortText } from "./access-log.js";
import type { BodyMemory } from "./body-memory.js";
import { checkHost, type HostRules } from "./check-host.js";
import { checkOrigin, corsHeaders, preflight } from "./check-origin.js";
import type { Env, Exchange, Exchanges } from "./exchange.js";
import {
  endRequest,
  GATEWAY_CHANNELS,
  runRequest,
  type TracedRequest,
  traceContextOf,
} from "./gateway-channels.js";
import { rateLimitHeaders } from "./rate-limit-headers.js";
import { checkContentType, readBody } from "./read-body.js";
import { type RequestStartEvent, requestEnd } from "./request-events.js";

/** What the front checks of each request. It is read anew for each, because a reload can change it. */
export interface FrontRules extends HostRules {
  readonly allowedOrigins: readonly string[];
  readonly bodyLimit: number;
  /** How many bytes of bodies may be in memory. */
  readonly bodyMemory: number;
}

export interface FrontFacts {
  /** The number of the gateway in this program. */
  readonly gateway: number;
  readonly exchanges: Exchanges;
  readonly bodies: BodyMemory;
  rules(): FrontRules;
  authenticate(headers: Headers): Tenant;
  /** Whether the server ends, so that new requests are refused. */
  isDraining(): boolean;
  /** Gets each request after its answer was sent. */
  record(entry: AccessEntry): void;
  /** Gets errors that no client is told about. */
  report(error: unknown, requestId: string): void;
}

/** Paths that need no key and are answered while the server ends. Their routes decide who may read them. */
const OPERATION_PATHS = new Set(["/health", "/ready", "/metrics", "/openapi.json"]);

const ID_HEADERS = ["request-id", "x-request-id"];

/**
 * The first middleware: the id, the trace, Host and Origin, the key, the body, and after the answer its headers
 * and the access log. Routes find the exchange in the variable `exchange`, and the body with `readJson()`.
 */
export function front(facts: FrontFacts): MiddlewareHandler<Env> {
  return (c, next) => {
    const request = new FrontRequest(facts, c);
    return runRequest(request.traced, () => request.handle(next));
  };
}

class FrontRequest {
  readonly traced: TracedRequest;
  readonly #facts: FrontFacts;
  readonly #c: Context<Env>;
  readonly #startedAt = performance.now();
  readonly #at = Date.now();
  #exchange: Exchange | undefined;
  #started: RequestStartEvent | undefined;
  /** Why the request was refused before its route. */
  #errorCode: string | undefined;

  constructor(facts: FrontFacts, c: Context<Env>) {
    this.#facts = facts;
    this.#c = c;
    const { method, path } = c.req;
    this.traced = {
      id: `req_${randomUUID().replaceAll("-", "")}`,
      method,
      path: shortText(path),
      ...traceContextOf(c.req.raw.headers),
    };
  }

  async handle(next: () => Promise<void>): Promise<void> {
    const c = this.#c;
    try {
      const early = await this.#check();
      if (early === undefined) await next();
      else c.res = early;
    } catch (error) {
      const problem = problemOf(error, false);
      this.#errorCode = problem.code;
      c.res = problemResponse(problem, shapeOf(c), this.traced.id);
      c.error = error instanceof Error ? error : new Error(String(error));
    }
    this.#finish();
  }

  /** Returns an answer that needs no route. */
  async #check(): Promise<Response | undefined> {
    const { exchanges, authenticate, isDraining, rules } = this.#facts;
    const { raw, path } = this.#c.req;
    const { headers } = raw;
    const { allowedOrigins, bodyLimit, bodyMemory, ...hostRules } = rules();
    checkHost(headers, hostRules);
    checkOrigin(headers, allowedOrigins);
    const asked = preflight(raw, allowedOrigins);
    if (asked !== undefined) return asked;
    if (OPERATION_PATHS.has(path)) return undefined;
    if (isDraining()) {
      throw new RequestError("draining", "The server ends. Send the request again.", {
        retryAfterMs: 1000,
      });
    }
    const tenant = authenticate(headers);
    this.traced.tenant = tenant.name;
    const exchange = exchanges.open({ id: this.traced.id, tenant, client: raw.signal });
    this.#exchange = exchange;
    this.#c.set("exchange", exchange);
    this.#publishStart(tenant.name);
    await this.#takeBody(exchange, bodyLimit, bodyMemory);
    return undefined;
  }

  #publishStart(tenant: string): void {
    const { id: request, method, path } = this.traced;
    const { gateway } = this.#facts;
    this.#started = { at: this.#at, gateway, request, tenant, method, path };
    GATEWAY_CHANNELS.requestStart.publish(this.#started);
  }

  async #takeBody(exchange: Exchange, limit: number, memory: number): Promise<void> {
    const { req } = this.#c;
    if (!["POST", "PUT", "PATCH"].includes(req.method)) return;
    const body = this.#facts.bodies.hold(exchange.tenant.name, memory);
    void exchange.bodyUnused.then(() => body.release());
    const text = await readBody(req.raw, limit, (bytes) => body.add(bytes));
    if (text !== "") checkContentType(req.raw.headers);
    // Where Hono keeps a body that was read, for `c.req.text()` and `c.req.json()`. It keeps a promise, although
    // its types say otherwise.
    req.bodyCache.text = Promise.resolve(text) as unknown as string;
  }

  #finish(): void {
    const c = this.#c;
    const exchange = this.#exchange;
    const { id } = this.traced;
    for (const name of ID_HEADERS) c.res.headers.set(name, id);
    const extra = {
      ...this.#limitHeaders(),
      ...corsHeaders(c.req.raw.headers, this.#facts.rules().allowedOrigins),
      ...(this.#facts.isDraining() ? { connection: "close" } : {}),
    };
    for (const [name, value] of Object.entries(extra)) c.res.headers.set(name, value);
    if (c.error !== undefined && c.res.status >= 500) this.#facts.report(c.error, id);
    const { status } = c.res;
    const firstByteMs = performance.now() - this.#startedAt;
    const end = () => this.#record(status, firstByteMs);
    if (exchange === undefined) {
      end();
      return;
    }
    exchange.onEnd(end);
    const isStream = c.res.headers.get("content-type")?.startsWith("text/event-stream") === true;
    if (isStream && c.req.method === "HEAD") {
      // The answer to HEAD has no body, so nothing would ever read this one to its end.
      c.res.body?.cancel().catch(() => {});
    }
    if (!isStream || c.req.method === "HEAD") {
      exchange.end();
      return;
    }
    // The streams of events of the native API.
    if (c.req.method === "GET" && c.req.path.startsWith("/hawser/")) {
      exchange.record.isSubscription = true;
    }
    endIfUnread(exchange, c.req.raw.signal);
  }

  #limitHeaders(): Record<string, string> {
    const exchange = this.#exchange;
    if (exchange === undefined) return {};
    const { record, tenant } = exchange;
    const isRefused = this.#c.res.status === 429 && tenant instanceof RegisteredTenant;
    const limits = isRefused ? tenant.rateLimits() : record.limits;
    return limits === undefined ? {} : rateLimitHeaders(limits, Date.now());
  }

  #record(status: number, firstByteMs: number): void {
    const { req } = this.#c;
    const { id, method, path, tenant, traceparent } = this.traced;
    const record = this.#exchange?.record ?? {};
    const isAborted = this.#exchange?.signal.aborted === true;
    const route = matchedRoutes(this.#c).findLast(({ method: each }) => each !== "ALL")?.path;
    this.traced.route = route;
    this.traced.status = status;
    this.traced.model = record.model;
    this.traced.errorCode = record.errorCode ?? this.#errorCode;
    // A subscription has no other end than that its client leaves.
    const isCutOff = isAborted && record.isSubscription !== true;
    if (isCutOff) this.traced.error = req.raw.signal.reason ?? new Error("The client is gone.");
    const ms = performance.now() - this.#startedAt;
    const time = new Date(this.#at).toISOString();
    const entry: AccessEntry = {
      ...{ time, id, method, path, route, status, ms, tenant, isAborted, traceparent },
      firstByteMs,
      ...(this.#errorCode === undefined ? {} : { errorCode: this.#errorCode }),
      ...record,
    };
    this.#facts.record(entry);
    if (this.#started !== undefined) {
      GATEWAY_CHANNELS.requestEnd.publish(requestEnd(this.#started, entry));
    }
    endRequest(this.traced);
  }
}

/**
 * Ends the exchange of a stream if the client is gone and nothing reads the stream. A server that notices the
 * closed connection before it begins to send never cancels the body.
 */
function endIfUnread(exchange: Exchange, client: AbortSignal): void {
  const end = () => void setTimeout(() => exchange.end(), UNREAD_MS).unref();
  if (client.aborted) end();
  else client.addEventListener("abort", end, { once: true });
  exchange.onEnd(() => client.removeEventListener("abort", end));
}

const UNREAD_MS = 1000;
