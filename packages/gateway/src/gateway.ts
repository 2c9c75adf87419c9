import { type Approvals, createApprovals, createPool, type Options, type Pool } from "hawser";
import type { AgentDefinitions } from "./agents/agent-definition.js";
import { Answering } from "./answer/answering.js";
import { application, type Live } from "./application.js";
import type { HostedTools } from "./body/hosted-tools.js";
import { checkFleetAgents } from "./fleet/fleet-agent.js";
import { fleetResponses } from "./fleet/fleet-responses.js";
import type { GatewayFleet } from "./fleet/gateway-fleet.js";
import type { GatewayCore } from "./gateway-core.js";
import { type Exchange, Exchanges } from "./http/exchange.js";
import { createUrlFetcher, type FetchUrl, type UrlFetcherOptions } from "./http/fetch-url.js";
import type { HttpOptions } from "./http/http-options.js";
import { keepRequest } from "./http/keep-request.js";
import { UrlFiles } from "./http/url-files.js";
import { createNativeApi } from "./native/create-native-api.js";
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
  /**
   * Where agents run that say so (`runOn: "fleet"`), or all agents if there is no `pool`: what `openFleet()` of
   * `@hawser/fleet` returns. The native API then has runs, and the questions of all runs. A tenant of the gateway is
   * the tenant of its runs. The fleet stays open when the gateway is closed.
   */
  readonly fleet?: GatewayFleet | undefined;
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
   * @default the database of the fleet, or memoryResponseStore() without a fleet
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
  /** Whether no request is being answered, apart from streams that only watch, and no turn of the native API runs. */
  readonly isIdle: boolean;
  /** Ends the streams that only watch, such as those of events, because they would never end by themselves. */
  endSubscriptions(): void;
  /**
   * Ends all requests that are open, all turns of the native API, and the pool if it is the gateway's own. Streams of
   * events end after the last event.
   */
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
  const { pool: givenPool, approvals: givenApprovals, fleet } = options;
  const hasPool = givenPool !== undefined || fleet === undefined;
  const places = { hasPool, hasFleet: fleet !== undefined };
  checkFleetAgents(options.agents ?? {}, places);
  const pool = givenPool ?? createPool();
  const approvals = givenApprovals ?? createApprovals();
  const live: Live = { settings: options };
  const answering = new Answering({
    pool,
    fleet,
    hasPool,
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
    responses: options.responses ?? responsesOf(fleet),
    get heartbeatMs() {
      return live.settings.heartbeatMs;
    },
    get countTokens() {
      return live.settings.countTokens ?? false;
    },
    filesFor: ({ signal }) => {
      const fetchUrl = fetcherOf(live.settings.fetchUrls);
      return fetchUrl && new UrlFiles(fetchUrl, signal);
    },
    get hostedTools() {
      return live.settings.hostedTools ?? "refuse";
    },
    answer: (exchange, request, files) => answering.answer(exchange, request, files),
    models: (exchange) => answering.models(exchange),
  };
  const exchanges = new Exchanges();
  const anonymous = anonymousTenant(options.options);
  const tenants = options.tenants ?? { authenticate: () => anonymous };
  gateways += 1;
  const native = createNativeApi({
    gateway: gateways,
    pool,
    approvals,
    fleet,
    hasPool,
    agents: () => live.settings.agents ?? {},
    models: () => live.settings.models ?? {},
    heartbeatMs: options.heartbeatMs,
  });
  const app = application({ gateway: gateways, core, exchanges, tenants, live, native });
  let closed: Promise<void> | undefined;
  const close = async () => {
    // The streams that only watch are told how the turns end, so they end last.
    exchanges.abort((exchange) => !isSubscription(exchange));
    await native.close();
    exchanges.abort();
    if (givenPool === undefined) await pool.close();
    if (givenApprovals === undefined) await approvals.close();
  };
  return {
    fetch: async (request) => app.fetch(keepRequest(request)),
    change: (settings) => {
      checkFleetAgents(settings.agents ?? {}, places);
      live.settings = settings;
    },
    get openRequests() {
      return exchanges.size;
    },
    get isIdle() {
      return native.runningTurns === 0 && !exchanges.some((each) => !isSubscription(each));
    },
    endSubscriptions: () => exchanges.abort(isSubscription),
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

/** How many gateways this program has created. */
let gateways = 0;

function isSubscription({ record }: Exchange): boolean {
  return record.isSubscription === true;
}

function responsesOf(fleet: GatewayFleet | undefined): ResponseStore {
  const documents = fleet?.documents?.("responses");
  return documents === undefined ? memoryResponseStore() : fleetResponses(documents);
}

function fetcherOf(options: GatewayOptions["fetchUrls"] = false): FetchUrl | undefined {
  if (options === false) return undefined;
  return createUrlFetcher(options === true ? {} : options);
}
