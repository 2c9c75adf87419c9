import { type Approvals, createApprovals, createPool, type Options, type Pool } from "hawser";
import { Hono } from "hono";
import type { AgentDefinitions } from "./agents/agent-definition.js";
import { Answering } from "./answer/answering.js";
import { anthropicRoutes } from "./anthropic/anthropic-routes.js";
import type { HostedTools } from "./body/hosted-tools.js";
import { errorResponse } from "./errors/error-response.js";
import { RequestError } from "./errors/request-error.js";
import type { GatewayCore } from "./gateway-core.js";
import { allowedMethods } from "./http/allowed-methods.js";
import { type Env, Exchanges } from "./http/exchange.js";
import { createUrlFetcher, type FetchUrl, type UrlFetcherOptions } from "./http/fetch-url.js";
import { front } from "./http/front.js";
import type { HttpOptions } from "./http/http-options.js";
import { limitedFetcher } from "./http/limited-fetcher.js";
import { Metrics } from "./http/metrics.js";
import { operationRoutes } from "./http/operation-routes.js";
import { BODY_LIMIT } from "./http/read-body.js";
import { modelsRoute } from "./models-route.js";
import { createNativeApi, type NativeApi } from "./native/create-native-api.js";
import { openaiRoutes } from "./openai/openai-routes.js";
import { memoryResponseStore } from "./openai/responses/memory-response-store.js";
import type { ResponseStore } from "./openai/responses/response-store.js";
import { anonymousTenant } from "./tenants/anonymous-tenant.js";
import type { Tenant } from "./tenants/tenant.js";

export interface GatewayOptions {
  /**
   * The pool that answers. It stays open when the gateway is closed.
   * @default a pool of the gateway's own, closed with the gateway
   */
  readonly pool?: Pool | undefined;
  /** The tenants and their keys. Without them, every request is allowed everything. */
  readonly tenants?: TenantSource | undefined;
  /** The options of all calls, if there are no `tenants`. */
  readonly options?: Options | undefined;
  /** Names of models for clients, and the models or agents (`agent:<name>`) that they stand for. */
  readonly models?: Readonly<Record<string, string>> | undefined;
  /** Agents of the server by name. Clients use them as the model `agent:<name>`. */
  readonly agents?: AgentDefinitions | undefined;
  /** Where agents ask for permission. */
  readonly approvals?: Approvals | undefined;
  /**
   * Where the responses of `POST /v1/responses` are kept.
   * @default memoryResponseStore()
   */
  readonly responses?: ResponseStore | undefined;
  /**
   * Answers `POST /v1/messages/count_tokens` with an estimate.
   * @default false
   */
  readonly countTokens?: boolean | undefined;
  /**
   * Fetches images and documents that a client names by URL, with these limits; never from private addresses.
   * @default false: URLs are refused
   */
  readonly fetchUrls?: boolean | UrlFetcherOptions | undefined;
  /**
   * What happens to tools that the servers of Anthropic or OpenAI run or define, such as web search: the request is
   * refused, or they are left out and named in `x-hawser-ignored`.
   * @default "refuse"
   */
  readonly hostedTools?: HostedTools | undefined;
  /**
   * Refuses requests with parameters that have no effect. Otherwise they are named in `x-hawser-ignored`.
   * @default false
   */
  readonly strict?: boolean | undefined;
  /**
   * How long a stream may be silent before a sign of life is sent, in milliseconds.
   * @default 15_000
   */
  readonly heartbeatMs?: number | undefined;
  /** What is checked of each request, and who gets the access log. */
  readonly http?: HttpOptions | undefined;
}

/** The options that can change while the gateway runs. */
export type GatewaySettings = Pick<
  GatewayOptions,
  | "models"
  | "agents"
  | "countTokens"
  | "fetchUrls"
  | "hostedTools"
  | "strict"
  | "heartbeatMs"
  | "http"
>;

/** Finds the tenant of a request by its key. Throws `invalid_api_key`. */
export interface TenantSource {
  authenticate(headers: Headers): Tenant;
}

/** A gateway: a handler of web-standard requests, which any server can call. */
export interface Gateway {
  fetch(request: Request): Promise<Response>;
  /** Takes other settings for later requests. Those that are left out get their defaults. */
  change(settings: GatewaySettings): void;
  /** How many requests are being answered. */
  readonly openRequests: number;
  /** Ends the streams that only watch, such as those of events, because they would never end by themselves. */
  endSubscriptions(): void;
  /** Ends all requests that are open, and the pool if it is the gateway's own. */
  close(): Promise<void>;
}

/**
 * Creates a gateway: the Anthropic and OpenAI formats in front of a pool of Claude Code processes.
 *
 * @example
 * ```ts
 * import { createGateway } from "@hawser/gateway";
 *
 * const gateway = createGateway({ models: { "gpt-4o": "sonnet" } });
 * const response = await gateway.fetch(new Request("http://localhost/v1/models"));
 * ```
 */
export function createGateway(options: GatewayOptions = {}): Gateway {
  const { pool: givenPool, approvals: givenApprovals } = options;
  const pool = givenPool ?? createPool();
  const approvals = givenApprovals ?? createApprovals();
  const live: Live = { settings: options };
  const answering = new Answering({
    pool,
    approvals,
    get models() {
      return live.settings.models ?? {};
    },
    get agents() {
      return live.settings.agents ?? {};
    },
    get isStrict() {
      return live.settings.strict ?? false;
    },
  });
  const core: GatewayCore = {
    pool,
    approvals,
    responses: options.responses ?? memoryResponseStore(),
    get heartbeatMs() {
      return live.settings.heartbeatMs;
    },
    get countTokens() {
      return live.settings.countTokens ?? false;
    },
    fetcherFor: ({ signal }) => {
      const fetchUrl = fetcherOf(live.settings.fetchUrls);
      return fetchUrl && limitedFetcher(fetchUrl, signal);
    },
    get hostedTools() {
      return live.settings.hostedTools ?? "refuse";
    },
    answer: (exchange, request) => answering.answer(exchange, request),
    models: (exchange) => answering.models(exchange),
  };
  const exchanges = new Exchanges();
  const anonymous = anonymousTenant(options.options);
  const tenants = options.tenants ?? { authenticate: () => anonymous };
  const native = createNativeApi({
    pool,
    approvals,
    agents: () => live.settings.agents ?? {},
    heartbeatMs: options.heartbeatMs,
  });
  const app = application(core, exchanges, tenants, live, native);
  let closed: Promise<void> | undefined;
  const close = async () => {
    exchanges.abort();
    await native.close();
    if (givenPool === undefined) await pool.close();
    if (givenApprovals === undefined) await approvals.close();
  };
  return {
    fetch: async (request) => app.fetch(request),
    change: (settings) => {
      live.settings = settings;
    },
    get openRequests() {
      return exchanges.size;
    },
    endSubscriptions: () => exchanges.abort((exchange) => exchange.record.isSubscription === true),
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

/** The settings of now. */
interface Live {
  settings: GatewaySettings;
}

function application(
  core: GatewayCore,
  exchanges: Exchanges,
  tenants: TenantSource,
  live: Live,
  native: NativeApi,
): Hono<Env> {
  const app = new Hono<Env>();
  const metrics = new Metrics();
  const http = () => live.settings.http ?? {};
  const authenticate = (headers: Headers) => tenants.authenticate(headers);
  const isDraining = () => http().isDraining?.() ?? false;
  app.use(
    front({
      exchanges,
      authenticate,
      isDraining,
      rules: () => ({
        isLoopback: http().isLoopback ?? false,
        allowedHosts: http().allowedHosts,
        allowedOrigins: http().allowedOrigins ?? [],
        bodyLimit: http().bodyLimit ?? BODY_LIMIT,
      }),
      record: (entry) => {
        metrics.count(entry);
        http().log?.(entry);
      },
      report: (error, id) => http().onError?.(error, id),
    }),
  );
  app.route(
    "/",
    operationRoutes({
      metrics,
      authenticate,
      pools: () => http().pools?.() ?? [core.pool],
      openRequests: () => exchanges.size,
      readiness: async () => {
        if (isDraining()) return { isReady: false, reason: "draining" };
        return (await http().readiness?.()) ?? { isReady: true };
      },
    }),
  );
  app.route("/", modelsRoute(core));
  app.route("/", anthropicRoutes(core));
  app.route("/", native.app);
  app.route("/", openaiRoutes(core));
  app.onError((error, c) => errorResponse(c, error));
  app.notFound((c) => {
    const { method, path } = c.req;
    const methods = allowedMethods(app, path);
    if (methods.length === 0) {
      return errorResponse(c, new RequestError("not_found", `There is no ${method} ${path} here.`));
    }
    const message = `${path} does not take ${method}. Use ${methods.join(" or ")}.`;
    const refused = errorResponse(c, new RequestError("method_not_allowed", message));
    refused.headers.set("allow", methods.join(", "));
    return refused;
  });
  return app;
}

function fetcherOf(options: GatewayOptions["fetchUrls"] = false): FetchUrl | undefined {
  if (options === false) return undefined;
  return createUrlFetcher(options === true ? {} : options);
}
