import type { Approvals, Pool } from "hawser";
import type { Answer, ModelRequest } from "hawser/answer";
import type { HostedTools } from "./body/hosted-tools.js";
import type { Exchange } from "./http/exchange.js";
import type { FetchUrl } from "./http/fetch-url.js";
import type { ResponseStore } from "./openai/responses/response-store.js";

/** What the routes need of the gateway. */
export interface GatewayCore {
  readonly pool: Pool;
  readonly approvals: Approvals;
  /** Where the responses of the Responses API are kept. */
  readonly responses: ResponseStore;
  /** How long a stream may be silent; undefined for the default of `sseResponse()`. */
  readonly heartbeatMs: number | undefined;
  /** Whether tokens are counted by an estimate. */
  readonly countTokens: boolean;
  /** Fetches what a request names by URL, within the limits of one request; undefined if URLs are refused. */
  fetcherFor(exchange: Exchange): FetchUrl | undefined;
  readonly hostedTools: HostedTools;
  /**
   * Answers a request: finds the model or the agent, checks the rights and limits of the tenant, runs the call, and
   * books what it used. Throws before the first event if the request is refused.
   */
  answer(exchange: Exchange, request: ModelRequest): Promise<Answer>;
  /** The models and agents that the tenant may use. */
  models(exchange: Exchange): readonly ModelEntry[];
}

/** A row of `GET /v1/models`. */
export interface ModelEntry {
  readonly id: string;
  readonly displayName: string;
}
